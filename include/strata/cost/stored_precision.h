// The precision a model computes in, under the name that users give it.
#pragma once

#include <string_view>

#include "strata/graph/graph.h"

namespace strata {

// `int8` if it has whole numbers that are quantized; else `fp64`, `fp32`, `fp16` or `bf16`, by its
// largest stored tensor of floats. One with none of these is `fp32`.
std::string_view stored_precision(const Model& model);

}  // namespace strata
