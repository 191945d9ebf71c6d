// The settings of a layer, as attributes with names (ops/ncnn_rows.h).
#pragma once

#include <vector>

#include "read/ncnn/loading.h"

namespace strata::ncnn {

std::vector<Attribute> attributes_of(Loading& loading, const Line& line);

// Sizes of a convolution's or a pool's window, from the outermost axis.
struct WindowSettings {
  std::vector<std::int64_t> kernel, strides, dilations, pads;
};
WindowSettings window_of(const Line& line);
// The number of axes that a layer's window has, by its type; 0 if it has none.
std::size_t window_axes(std::string_view type);

}  // namespace strata::ncnn
