// The stored tensors of a layer: their sizes follow from its settings.
#pragma once

#include <vector>

#include "read/ncnn/loading.h"

namespace strata::ncnn {

struct Weight {
  std::string_view name;
  std::vector<std::int64_t> dims;
  std::size_t slot = 0;  // the input of the node
  bool has_tag = false;
  bool is_input = true;  // false: scales of int8
  // Axes of the file are in another order than those of `dims`.
  DType dtype = DType::F32;
};

// In the order of the .bin file.
std::vector<Weight> weights_of(const Line& line);

// Says that a layer is damaged: `layer "conv1" has …`.
Broken damaged_layer(const Line& line, std::string_view what);

}  // namespace strata::ncnn
