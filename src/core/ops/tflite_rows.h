// Rows of TensorFlow Lite's operators. Images have their channels last.
#pragma once

#include "ops/recast.h"
#include "ops/tflite_table.h"

namespace strata {

constexpr OpRule tflite(std::string_view name, std::string_view like, ShapeRule shape,
                        CostRule cost, std::span<const Example> examples,
                        const Traits& traits = {}) {
  return row_of(kTflite, name, like, shape, cost, examples, traits);
}
// An operator of ONNX's own by another name.
template <Word onnx, int opset = kPartOpset>
constexpr OpRule tflite_same(std::string_view name, std::span<const Example> examples,
                             const Traits& traits = {}) {
  return tflite(name, onnx.view(), shape_of_same<onnx, opset>, cost_of_same<onnx, opset>, examples,
                traits);
}
template <Word onnx, Recast (*other)(const NodeView&)>
constexpr OpRule tflite_as(std::string_view name, std::span<const Example> examples,
                           const Traits& traits = {}) {
  return tflite(name, onnx.view(), shape_of<other>, cost_of<other>, examples, traits);
}

std::span<const OpRule> tflite_activation_rules();
std::span<const OpRule> tflite_control_rules();
std::span<const OpRule> tflite_conv_rules();
std::span<const OpRule> tflite_elementwise_rules();
std::span<const OpRule> tflite_gather_rules();
std::span<const OpRule> tflite_layout_rules();
std::span<const OpRule> tflite_matmul_rules();
std::span<const OpRule> tflite_pool_rules();
std::span<const OpRule> tflite_quant_rules();
std::span<const OpRule> tflite_recurrent_rules();
std::span<const OpRule> tflite_reduce_rules();
std::span<const OpRule> tflite_scatter_rules();
std::span<const OpRule> tflite_signal_rules();
std::span<const OpRule> tflite_slice_rules();
std::span<const OpRule> tflite_stablehlo_rules();

}  // namespace strata
