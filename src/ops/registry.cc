#include "ops/registry.h"

#include <cstdint>
#include <vector>

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
      {"elementwise", elementwise_rules()},
      {"math", math_rules()},
      {"convert", convert_rules()},
      {"reduce", reduce_rules()},
      {"reshape", reshape_rules()},
      {"layout", layout_rules()},
      {"concat", concat_rules()},
      {"slice", slice_rules()},
      {"pad", pad_rules()},
      {"gather", gather_rules()},
      {"search", search_rules()},
      {"scatter", scatter_rules()},
      {"resize", resize_rules()},
      {"sample", sample_rules()},
      {"constant", constant_rules()},
      {"random", random_rules()},
      {"quant", quant_rules()},
      {"control", control_rules()},
      {"sequence", sequence_rules()},
      {"detection", detection_rules()},
      {"signal", signal_rules()},
      {"string", string_rules()},
      {"loss", loss_rules()},
      {"training", training_rules()},
      {"ml", ml_rules()},
      {"ml_model", ml_model_rules()},
      {"legacy", legacy_rules()},
      {"microsoft_fused", microsoft_fused_rules()},
      {"microsoft_conv", microsoft_conv_rules()},
      {"microsoft_layout", microsoft_layout_rules()},
      {"microsoft_matmul", microsoft_matmul_rules()},
      {"microsoft_packed", microsoft_packed_rules()},
      {"microsoft_norm", microsoft_norm_rules()},
      {"microsoft_attention", microsoft_attention_rules()},
      {"microsoft_decoder", microsoft_decoder_rules()},
      {"microsoft_grouped", microsoft_grouped_rules()},
      {"microsoft_position", microsoft_position_rules()},
      {"microsoft_qlinear", microsoft_qlinear_rules()},
      {"microsoft_quant", microsoft_quant_rules()},
      {"microsoft_tensor", microsoft_tensor_rules()},
      {"microsoft_generation", microsoft_generation_rules()},
  };
  return kFamilies;
}

namespace {

// Rows of one operator, newest first.
struct Rows {
  std::string_view domain, op;
  std::vector<const OpRule*> rules;
};

// A flat hash table: every node of every network is looked up here, twice.
class Table {
 public:
  Table() : slots_(kSlots, 0) {
    for (const Family& family : families())
      for (const OpRule& rule : family.rules) add(rule);
  }
  const Rows* find(std::string_view domain, std::string_view op) const {
    for (std::size_t i = hash(op);; ++i) {
      const std::uint16_t slot = slots_[i % kSlots];
      if (slot == 0) return nullptr;
      const Rows& rows = rows_[slot - 1u];
      if (rows.op == op && rows.domain == domain) return &rows;
    }
  }

 private:
  static constexpr std::size_t kSlots = 2048;

  static std::size_t hash(std::string_view op) {
    const auto at = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(op[i]));
    };
    const std::size_t size = op.size();
    if (size == 0) return 0;
    return size * 31 + at(0) * 401 + at(size / 2) * 131 + at(size - 1) * 29 + at(size / 3) * 7;
  }
  void add(const OpRule& rule) {
    std::size_t i = hash(rule.name) % kSlots;
    while (slots_[i] != 0) {
      const Rows& rows = rows_[slots_[i] - 1u];
      if (rows.op == rule.name && rows.domain == rule.domain) break;
      i = (i + 1) % kSlots;
    }
    if (slots_[i] == 0) {
      rows_.push_back({rule.domain, rule.name, {}});
      slots_[i] = static_cast<std::uint16_t>(rows_.size());
    }
    auto& rules = rows_[slots_[i] - 1u].rules;
    auto newer = rules.begin();
    while (newer != rules.end() && (*newer)->since > rule.since) ++newer;
    rules.insert(newer, &rule);
  }

  std::vector<std::uint16_t> slots_;  // index into rows_, from 1; 0: free
  std::vector<Rows> rows_;
};

}  // namespace

const OpRule* find_rule(std::string_view domain, std::string_view op, int opset) {
  static const Table kTable;
  const Rows* found = kTable.find(domain, op);
  if (found == nullptr) return nullptr;
  for (const OpRule* rule : found->rules) {
    const bool in_time = rule->until == 0 || opset <= rule->until;
    if (opset >= rule->since && in_time) return rule;
  }
  // Written against a version that does not have it (exporters do that): the
  // oldest row is the nearest.
  return found->rules.back();
}

}  // namespace strata
