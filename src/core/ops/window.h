// The sliding window of convolutions and pools: its attributes, checked once, and the sizes that
// follow from them, axis by axis. These are views into the node, not copies.
#pragma once

#include "ops/shape_context.h"

namespace strata {

enum class AutoPad : std::uint8_t {
  None,   // attribute `pads`, or no padding
  Valid,  // no padding, whatever `pads` says
  Same,  // enough to make the output ⌈input / stride⌉; which end gets more does not matter here
};

struct Window {
  std::span<const std::int64_t> kernel;     // empty: given by the weights
  std::span<const std::int64_t> strides;    // empty: 1 along each axis
  std::span<const std::int64_t> dilations;  // empty: 1 along each axis
  std::span<const std::int64_t> pads;       // all beginnings, then all ends; empty: 0
  AutoPad auto_pad = AutoPad::None;
  bool ceil = false;                // the last window may extend past the end
  bool last_starts_inside = false;  // …if it starts in the input or in the padding before it

  std::int64_t stride(std::size_t i) const { return strides.empty() ? 1 : strides[i]; }
  std::int64_t dilation(std::size_t i) const { return dilations.empty() ? 1 : dilations[i]; }
  Expr pad_before(std::size_t i) const { return pads.empty() ? 0 : pads[i]; }
  Expr pad_after(std::size_t i) const { return pads.empty() ? 0 : pads[pads.size() / 2 + i]; }
  // Returns the span of a kernel of this size on the input.
  Expr extent(std::size_t i, const Expr& size) const { return (size - 1) * dilation(i) + 1; }

  // The number of positions of the window along axis i: the output's size.
  Result<Expr> places(const ShapeContext& c, std::size_t i, const Expr& input,
                      const Expr& size) const;
  // The size that a window with `input` positions covers, for transposed convolution and unpooling.
  Expr spread(std::size_t i, const Expr& input, const Expr& size) const;
};

// The window of a node whose input has `axes` spatial axes; an error if a list has another length,
// or if a size, stride or dilation is below 1.
Result<Window> read_window(const ShapeContext& c, std::size_t axes);

// Product of attribute `kernel_shape`; unknown if there is none.
Expr kernel_volume(const NodeView& c);

}  // namespace strata
