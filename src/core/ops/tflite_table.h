// The lookup of TensorFlow Lite's operators, which have a table of their own.
#pragma once

#include <span>
#include <string_view>

#include "ops/registry.h"

namespace strata {

inline constexpr std::string_view kTflite = "tflite";
// Operators that a file names and its author wrote: strata knows none.
inline constexpr std::string_view kTfliteCustom = "tflite.custom";

std::span<const Family> tflite_families();
const OpRule* find_tflite_rule(std::string_view op);

// The weights of a convolution of TFLite's as ONNX has them: [outputs, inputs / groups, window…],
// and of a transposed one [inputs, outputs, window…].
TypeInfo tflite_conv_weights(const NodeView& node);

}  // namespace strata
