// Quantization by channel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strata/base/result.h"
#include "strata/calibrate/range.h"

namespace strata {

// A row-major tensor as outer × channels × inner elements.
struct ChannelLayout {
  std::int64_t outer = 1, channels = 1, inner = 1;
};
// The layout of a tensor whose channels are on `axis`; negative axes count from the end.
Result<ChannelLayout> channel_layout(std::span<const std::int64_t> dims, std::int64_t axis);

// Minimum and maximum of every channel, extended to zero; {0, 0} if a channel has no finite
// element. Empty if the sketch is not by channel.
std::vector<Range> channel_ranges(const Sketch& sketch, bool symmetric);

// Scales of symmetric weights of `bits` bits, one per channel; zero points are 0. A channel of
// zeros gets the smallest scale of the others, or 1, since any scale will do.
Result<std::vector<float>> weight_scales(std::span<const float> weights,
                                         const ChannelLayout& layout, int bits = 8,
                                         WeightChoice choice = WeightChoice::MinMax);

}  // namespace strata
