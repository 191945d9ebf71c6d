// The list of operator families, and the lookup of one operator.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ops/rule.h"

namespace strata {

// The rule for an operator of this domain and version; nullptr if no version of
// it has one.
const OpRule* find_rule(std::string_view domain, std::string_view op, int opset);

struct Family {
  std::string_view name;
  std::span<const OpRule> rules;
};
// Every family, in reading order.
std::span<const Family> families();

// One function per family file.
std::span<const OpRule> activation_rules();
std::span<const OpRule> attention_rules();
std::span<const OpRule> concat_rules();
std::span<const OpRule> constant_rules();
std::span<const OpRule> control_rules();
std::span<const OpRule> conv_rules();
std::span<const OpRule> convert_rules();
std::span<const OpRule> detection_rules();
std::span<const OpRule> elementwise_rules();
std::span<const OpRule> gather_rules();
std::span<const OpRule> layout_rules();
std::span<const OpRule> legacy_rules();
std::span<const OpRule> loss_rules();
std::span<const OpRule> math_rules();
std::span<const OpRule> matmul_rules();
std::span<const OpRule> microsoft_attention_rules();
std::span<const OpRule> microsoft_conv_rules();
std::span<const OpRule> microsoft_decoder_rules();
std::span<const OpRule> microsoft_fused_rules();
std::span<const OpRule> microsoft_generation_rules();
std::span<const OpRule> microsoft_grouped_rules();
std::span<const OpRule> microsoft_layout_rules();
std::span<const OpRule> microsoft_matmul_rules();
std::span<const OpRule> microsoft_norm_rules();
std::span<const OpRule> microsoft_packed_rules();
std::span<const OpRule> microsoft_position_rules();
std::span<const OpRule> microsoft_qlinear_rules();
std::span<const OpRule> microsoft_quant_rules();
std::span<const OpRule> microsoft_tensor_rules();
std::span<const OpRule> ml_model_rules();
std::span<const OpRule> ml_rules();
std::span<const OpRule> norm_rules();
std::span<const OpRule> pad_rules();
std::span<const OpRule> pool_rules();
std::span<const OpRule> quant_rules();
std::span<const OpRule> random_rules();
std::span<const OpRule> recurrent_rules();
std::span<const OpRule> reduce_rules();
std::span<const OpRule> reshape_rules();
std::span<const OpRule> resize_rules();
std::span<const OpRule> sample_rules();
std::span<const OpRule> scatter_rules();
std::span<const OpRule> search_rules();
std::span<const OpRule> sequence_rules();
std::span<const OpRule> signal_rules();
std::span<const OpRule> slice_rules();
std::span<const OpRule> string_rules();
std::span<const OpRule> training_rules();

}  // namespace strata
