#include "ops/registry.h"

#include <unordered_map>

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

struct Key {
  std::string_view domain, op;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    return std::hash<std::string_view>()(key.op) ^ (std::hash<std::string_view>()(key.domain) << 1);
  }
};

// Rows of one operator, newest first.
using Table = std::unordered_map<Key, std::vector<const OpRule*>, KeyHash>;

Table make_table() {
  Table table;
  table.reserve(512);
  for (const Family& family : families())
    for (const OpRule& rule : family.rules) {
      auto& rows = table[{rule.domain, rule.name}];
      auto newer = rows.begin();
      while (newer != rows.end() && (*newer)->since > rule.since) ++newer;
      rows.insert(newer, &rule);
    }
  return table;
}

}  // namespace

const OpRule* find_rule(std::string_view domain, std::string_view op, int opset) {
  static const Table kTable = make_table();
  const auto found = kTable.find({domain, op});
  if (found == kTable.end()) return nullptr;
  for (const OpRule* rule : found->second) {
    const bool in_time = rule->until == 0 || opset <= rule->until;
    if (opset >= rule->since && in_time) return rule;
  }
  // Written against a version that does not have it (exporters do that): the
  // oldest row is the nearest.
  return found->second.back();
}

}  // namespace strata
