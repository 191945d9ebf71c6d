#include "calibrate/channels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "calibrate/sketch_state.h"

namespace strata {

namespace {

using Four = float __attribute__((vector_size(16)));

// Sum of the squared errors with `scale`. Computed in f32; adding a number so large that no
// fraction fits rounds halves to even.
double squared_error(std::span<const float> weights, float scale, const Quantization& numbers) {
  const float per_unit = 1 / scale;
  const auto lowest = static_cast<float>(numbers.lowest());
  const auto highest = static_cast<float>(numbers.highest());
  constexpr float kNoFraction = 0x1.8p23F;
  constexpr std::size_t kLanes = 4, kRun = 1024;  // longer sums are too inexact in f32
  const Four low = Four{} + lowest, high = Four{} + highest;
  double sum = 0;
  while (weights.size() >= kLanes) {
    const std::size_t count = std::min(weights.size(), kRun) / kLanes * kLanes;
    Four squares = {};
    for (std::size_t i = 0; i < count; i += kLanes) {
      Four weight;
      std::memcpy(&weight, weights.data() + i, sizeof weight);
      Four steps = weight * per_unit;
      steps = steps < low ? low : steps;
      steps = steps > high ? high : steps;
      const Four lost = weight - ((steps + kNoFraction) - kNoFraction) * scale;
      squares += lost * lost;
    }
    sum += double{squares[0]} + double{squares[1]} + double{squares[2]} + double{squares[3]};
    weights = weights.subspan(count);
  }
  for (const float weight : weights) {
    const double lost = double{weight} - numbers.restored(weight);
    sum += lost * lost;
  }
  return sum;
}

// The largest |w| that is not clipped, between 0.3 and 1 times the largest |w|: searched first in
// steps of 0.05, then of 0.01.
float best_side(std::span<const float> weights, float largest, int bits) {
  const Scheme scheme = {.bits = bits, .symmetric = true};
  float best = largest;
  double least = std::numeric_limits<double>::infinity();
  const auto attempt = [&](int hundredths) {
    const float side = largest * static_cast<float>(hundredths) / 100;
    const Quantization numbers = quantization({-side, side}, scheme);
    const double lost = squared_error(weights, numbers.scale, numbers);
    if (lost >= least) return false;
    least = lost;
    best = side;
    return true;
  };
  int coarse = 100;
  for (int share = 100; share >= 30; share -= 5)
    if (attempt(share)) coarse = share;
  for (int share = coarse - 4; share <= std::min(coarse + 4, 100); ++share)
    if (share != coarse) attempt(share);
  return best;
}

}  // namespace

Result<ChannelLayout> channel_layout(std::span<const std::int64_t> dims, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(dims.size());
  if (axis < -rank || axis >= rank)
    return failure(fmt::format("axis {} is not one of a tensor with {} axes", axis, rank));
  if (axis < 0) axis += rank;
  ChannelLayout layout;
  for (std::int64_t i = 0; i < rank; ++i) {
    const std::int64_t size = dims[static_cast<std::size_t>(i)];
    std::int64_t& part = i < axis ? layout.outer : i == axis ? layout.channels : layout.inner;
    if (size < 0 || __builtin_mul_overflow(part, size, &part))
      return failure(
          fmt::format("axis {} of the tensor has the size {}, which no tensor has", i, size));
  }
  return layout;
}

std::vector<Range> channel_ranges(const Sketch& sketch, bool symmetric) {
  const SketchParts& parts = sketch.parts();
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < parts.channel_min.size(); ++i) {
    // Without a finite element these are infinity and its negative.
    const float low = std::min(parts.channel_min[i], 0.0F);
    const float high = std::max(parts.channel_max[i], 0.0F);
    const float side = std::max(-low, high);
    ranges.push_back(symmetric ? Range{-side, side} : Range{low, high});
  }
  return ranges;
}

Result<std::vector<float>> weight_scales(std::span<const float> weights,
                                         const ChannelLayout& layout, int bits,
                                         WeightChoice choice) {
  const Scheme scheme = {.bits = bits, .symmetric = true};
  if (Status status = check(scheme); !status) return failure(status);
  std::int64_t expected = 0;
  if (layout.outer < 0 || layout.channels < 0 || layout.inner < 0 ||
      __builtin_mul_overflow(layout.outer, layout.channels, &expected) ||
      __builtin_mul_overflow(expected, layout.inner, &expected) ||
      static_cast<std::uint64_t>(expected) != weights.size())
    return failure(fmt::format("{} weights are not {} × {} × {}", weights.size(), layout.outer,
                               layout.channels, layout.inner));

  const auto channels = static_cast<std::size_t>(layout.channels);
  const auto inner = static_cast<std::size_t>(layout.inner);
  std::vector<float> scales(channels), gathered;
  float smallest = std::numeric_limits<float>::infinity();
  for (std::size_t channel = 0; channel < channels; ++channel) {
    gathered.clear();
    for (std::size_t at = channel * inner; at < weights.size(); at += channels * inner)
      gathered.insert(gathered.end(), weights.begin() + static_cast<std::ptrdiff_t>(at),
                      weights.begin() + static_cast<std::ptrdiff_t>(at + inner));
    float largest = 0;
    for (const float weight : gathered) {
      if (!std::isfinite(weight))
        return failure(
            fmt::format("channel {} of the weights has an element that is infinite or not a "
                        "number; such weights cannot be quantized",
                        channel));
      largest = std::max(largest, std::abs(weight));
    }
    if (largest == 0) continue;  // its scale is chosen below
    const float side = choice == WeightChoice::Mse ? best_side(gathered, largest, bits) : largest;
    scales[channel] = quantization({-side, side}, scheme).scale;
    smallest = std::min(smallest, scales[channel]);
  }
  const float of_zeros = std::isfinite(smallest) ? smallest : 1;
  std::replace(scales.begin(), scales.end(), 0.0F, of_zeros);
  return scales;
}

}  // namespace strata
