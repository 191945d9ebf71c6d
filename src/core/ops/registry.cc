#include "ops/registry.h"

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "ops/aten_table.h"
#include "ops/ncnn_table.h"
#include "ops/openvino_table.h"
#include "ops/serving.h"
#include "ops/tflite_table.h"

namespace strata {

std::span<const Family> families() {
  static const Family kFamilies[] = {
      {"conv", conv_rules()},
      {"matmul", matmul_rules()},
      {"attention", attention_rules()},
      {"recurrent", recurrent_rules()},
      {"norm", norm_rules()},
      {"pool", pool_rules()},
      {"activation", activation_rules()},
      {"elementwise", elementwise_rules(), LayerKind::Other},
      {"math", math_rules(), LayerKind::Other},
      {"convert", convert_rules(), LayerKind::Other},
      {"reduce", reduce_rules(), LayerKind::Other},
      {"reshape", reshape_rules(), LayerKind::Other},
      {"layout", layout_rules(), LayerKind::Other},
      {"concat", concat_rules(), LayerKind::Other},
      {"slice", slice_rules(), LayerKind::Other},
      {"pad", pad_rules(), LayerKind::Other},
      {"gather", gather_rules(), LayerKind::Other},
      {"search", search_rules(), LayerKind::Other},
      {"scatter", scatter_rules(), LayerKind::Other},
      {"resize", resize_rules()},
      {"sample", sample_rules(), LayerKind::Other},
      {"constant", constant_rules(), LayerKind::Other},
      {"random", random_rules(), LayerKind::Other},
      {"quant", quant_rules(), LayerKind::Other},
      {"control", control_rules(), LayerKind::Other},
      {"sequence", sequence_rules(), LayerKind::Other},
      {"detection", detection_rules(), LayerKind::Other},
      {"signal", signal_rules(), LayerKind::Other},
      {"string", string_rules(), LayerKind::Other},
      {"loss", loss_rules(), LayerKind::Other},
      {"training", training_rules(), LayerKind::Other},
      {"ml", ml_rules(), LayerKind::Other},
      {"ml_model", ml_model_rules(), LayerKind::Other},
      {"legacy", legacy_rules(), LayerKind::Other},
      {"microsoft_fused", microsoft_fused_rules(), LayerKind::Other},
      {"microsoft_conv", microsoft_conv_rules(), LayerKind::Other},
      {"microsoft_layout", microsoft_layout_rules(), LayerKind::Other},
      {"microsoft_matmul", microsoft_matmul_rules(), LayerKind::Other},
      {"microsoft_packed", microsoft_packed_rules(), LayerKind::Other},
      {"microsoft_norm", microsoft_norm_rules(), LayerKind::Other},
      {"microsoft_attention", microsoft_attention_rules(), LayerKind::Other},
      {"microsoft_decoder", microsoft_decoder_rules(), LayerKind::Other},
      {"microsoft_grouped", microsoft_grouped_rules(), LayerKind::Other},
      {"microsoft_position", microsoft_position_rules(), LayerKind::Other},
      {"microsoft_qlinear", microsoft_qlinear_rules(), LayerKind::Other},
      {"microsoft_quant", microsoft_quant_rules(), LayerKind::Other},
      {"microsoft_tensor", microsoft_tensor_rules(), LayerKind::Other},
      {"microsoft_generation", microsoft_generation_rules(), LayerKind::Other},
      {"serving", serving_rules(), LayerKind::Other},
      {"packed_weights", packed_weight_rules(), LayerKind::Other},
      {"state_scan", state_scan_rules(), LayerKind::Other},
  };
  return kFamilies;
}

std::span<const Dialect> dialects() {
  static const Dialect kDialects[] = {
      {"onnx", families()},      {"aten", aten_families()},         {"tflite", tflite_families()},
      {"ncnn", ncnn_families()}, {"openvino", openvino_families()},
  };
  return kDialects;
}

namespace {

// A flat hash table: every node of every network is looked up here, several times.
constexpr std::size_t kSlots = 2048;

// Null until an operator is looked up for the first time.
std::atomic<const OpTable*> table_in_use = nullptr;

const OpTable& first_table() {
  // Never destroyed: an engine may end the process while a thread of ours looks something up.
  static const OpTable& first = *new OpTable(families());
  table_in_use.store(&first, std::memory_order_release);
  return first;
}

const OpTable& table() {
  const OpTable* in_use = table_in_use.load(std::memory_order_acquire);
  return in_use != nullptr ? *in_use : first_table();
}

constexpr int kNewest = std::numeric_limits<int>::max();

}  // namespace

OpTable::OpTable(std::span<const Family> families) : slots_(kSlots, 0) {
  std::size_t count = 0;
  for (const Family& family : families) count += family.rules.size();
  rules_.reserve(count);
  rows_.reserve(count);
  for (const Family& family : families)
    for (const OpRule& rule : family.rules) {
      rules_.push_back(rule);
      LayerKind& kind = rules_.back().traits.kind;
      if (kind == LayerKind::Unknown && !rule.like_namesake) kind = family.kind;
    }
  for (const OpRule& rule : rules_) add(rule);
  for (OpRule& rule : rules_) {
    const OpRule* namesake = rule.like_namesake ? find("", rule.name, kNewest) : nullptr;
    if (namesake == nullptr) continue;
    const bool channels_last = rule.traits.channels_last;
    rule.traits = namesake->traits;
    rule.traits.channels_last = channels_last;
  }
}

// The first and the last eight letters, or four, or all of fewer.
inline OpTable::Ends OpTable::ends_of(std::string_view op) {
  const char* start = op.data();
  const std::size_t size = op.size();
  Ends ends;
  const auto both_ends = [&](auto word) {
    std::memcpy(&word, start, sizeof word);
    ends.head = word;
    std::memcpy(&word, start + size - sizeof word, sizeof word);
    ends.tail = word;
  };
  if (size >= 8)
    both_ends(std::uint64_t{});
  else if (size >= 4)
    both_ends(std::uint32_t{});
  else
    for (const char letter : op) ends.head = ends.head * 256 + static_cast<unsigned char>(letter);
  return ends;
}

// The slot where the search begins.
std::size_t OpTable::first_slot(const Ends& ends, std::size_t size) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  constexpr int kBits = std::countr_zero(kSlots);
  return static_cast<std::size_t>(((ends.head * kOdd) ^ (ends.tail + size)) * kOdd >> (64 - kBits));
}

inline bool OpTable::Rows::is_of(std::string_view other_domain, std::string_view other_op,
                                 const Ends& ends_of_op) const {
  return ends == ends_of_op && op.size() == other_op.size() && domain == other_domain &&
         (op.size() <= 16 || op == other_op);
}

inline const OpTable::Rows* OpTable::rows_of(std::string_view domain, std::string_view op) const {
  const std::uint16_t* slots = slots_.data();
  const Ends ends = ends_of(op);
  for (std::size_t i = first_slot(ends, op.size());; ++i) {
    const std::uint16_t slot = slots[i % kSlots];
    if (slot == 0) return nullptr;
    const Rows& rows = rows_.data()[slot - 1u];
    if (rows.is_of(domain, op, ends)) return &rows;
  }
}

void OpTable::add(const OpRule& rule) {
  const Ends ends = ends_of(rule.name);
  std::size_t i = first_slot(ends, rule.name.size());
  while (slots_[i] != 0 && !rows_[slots_[i] - 1u].is_of(rule.domain, rule.name, ends))
    i = (i + 1) % kSlots;
  if (slots_[i] == 0) {
    rows_.push_back({rule.domain, rule.name, ends, {}});
    slots_[i] = static_cast<std::uint16_t>(rows_.size());
  }
  auto& rules = rows_[slots_[i] - 1u].rules;
  auto newer = rules.begin();
  while (newer != rules.end() && (*newer)->since > rule.since) ++newer;
  rules.insert(newer, &rule);
}

const OpRule* OpTable::find(std::string_view domain, std::string_view op, int opset) const {
  const Rows* found = rows_of(domain, op);
  // Other dialects have tables of their own, so that networks in ONNX's operators need not wait for
  // them.
  if (found == nullptr) {
    if (domain == kTflite) return find_tflite_rule(op);
    if (domain == kNcnn) return find_ncnn_rule(op);
    if (domain == kOpenvino) return find_openvino_rule(op);
    return is_of_torch(domain) ? aten_table().find(domain, op) : nullptr;
  }
  for (const OpRule* rule : found->rules) {
    const bool in_time = rule->until == 0 || opset <= rule->until;
    if (opset >= rule->since && in_time) return rule;
  }
  // The node's version does not have the operator (exporters do that), so the oldest row is the
  // closest.
  return found->rules.back();
}

TableInUse::TableInUse(const OpTable& other) : before_(table_in_use.exchange(&other)) {}
TableInUse::~TableInUse() { table_in_use = before_; }

const OpRule* find_rule(std::string_view domain, std::string_view op, int opset) {
  return table().find(domain, op, opset);
}

const Traits& traits_of(const Node& node) {
  static const Traits kUnknown;
  const OpRule* rule = find_rule(node.domain, node.op, node.opset);
  return rule == nullptr ? kUnknown : rule->traits;
}

}  // namespace strata
