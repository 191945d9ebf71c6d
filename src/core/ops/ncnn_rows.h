// Rows of ncnn's layers. Their attributes have ncnn's names, except those of windows, which have
// ONNX's: kernel_shape, strides, dilations, pads.
#pragma once

#include <optional>

#include "ops/ncnn_table.h"
#include "ops/recast.h"

namespace strata {

constexpr OpRule ncnn(std::string_view name, std::string_view like, ShapeRule shape, CostRule cost,
                      std::span<const Example> examples, const Traits& traits = {}) {
  return row_of(kNcnn, name, like, shape, cost, examples, traits);
}
template <Word onnx, int opset = kPartOpset>
constexpr OpRule ncnn_same(std::string_view name, std::span<const Example> examples,
                           const Traits& traits = {}) {
  return ncnn(name, onnx.view(), shape_of_same<onnx, opset>, cost_of_same<onnx, opset>, examples,
              traits);
}
// A function of each element.
constexpr OpRule ncnn_each(std::string_view name, std::string_view like,
                           std::span<const Example> examples, CostRule cost = nullptr,
                           const Traits& traits = {}) {
  return ncnn(name, like, like_input, cost, examples, traits);
}

// The place of axis `axis` of a blob among those of the tensor, which has one more in front;
// nullopt if there is no such axis.
std::optional<std::size_t> blob_axis(std::int64_t axis, std::size_t rank);

// Sizes that `text` states, in its order, with sizes of the node's inputs put in; nullopt if it is
// no such list. What cannot be computed is unknown.
std::optional<Dims> ncnn_sizes(const NodeView& node, std::string_view text);

std::span<const OpRule> ncnn_activation_rules();
std::span<const OpRule> ncnn_blocks_rules();
std::span<const OpRule> ncnn_conv_rules();
std::span<const OpRule> ncnn_elementwise_rules();
std::span<const OpRule> ncnn_layout_rules();
std::span<const OpRule> ncnn_matmul_rules();
std::span<const OpRule> ncnn_norm_rules();
std::span<const OpRule> ncnn_pool_rules();
std::span<const OpRule> ncnn_quant_rules();
std::span<const OpRule> ncnn_recurrent_rules();

}  // namespace strata
