// Quantization by channel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strata/base/result.h"
#include "strata/quant/range.h"

namespace strata {

// A row-major tensor as outer × channels × inner elements.
struct ChannelLayout {
  std::int64_t outer = 1, channels = 1, inner = 1;
};
// Of a tensor whose channels are on `axis`; negative ones count from the end.
Result<ChannelLayout> channel_layout(std::span<const std::int64_t> dims, std::int64_t axis);

// Minimum and maximum of every channel, with zero; {0, 0} where a channel has no finite
// element. Empty if the sketch does not tell channels apart.
std::vector<Range> channel_ranges(const Sketch& sketch, bool symmetric);

enum class WeightChoice : std::uint8_t {
  MinMax,
  Mse,  // cuts the largest off where that makes the mean squared error smaller
};

// Scales of symmetric weights of `bits` bits, one per channel; zero points are 0. A channel
// of zeros has the smallest scale of the others, or 1, since any will do.
Result<std::vector<float>> weight_scales(std::span<const float> weights,
                                         const ChannelLayout& layout, int bits = 8,
                                         WeightChoice choice = WeightChoice::MinMax);

}  // namespace strata
