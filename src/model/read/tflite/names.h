// Names of layers. TFLite names tensors and not operators; a tensor that several operators of
// TensorFlow were fused into has all of their paths, joined by semicolons.
#pragma once

#include <string_view>

namespace strata::tflite {

// The path of the layer that makes a tensor: `model/conv2d/Conv2D` of
// `model/re_lu/Relu6;model/bn/FusedBatchNormV3;model/conv2d/Conv2D`.
std::string_view layer_name(std::string_view tensor, std::string_view op);

}  // namespace strata::tflite
