// Turns floats into whole numbers, as QuantizeLinear rounds them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "calibrate/channels.h"
#include "edit/fold.h"
#include "strata/calibrate/range.h"

namespace strata {

// The smallest and largest value, extended to zero.
Range range_of_values(std::span<const float> values);

// uint8 for an activation. If bounds are given, those of a Relu or Clip, the numbers end inside
// them, so that clipping at the range does all that the Relu or Clip would have done.
Quantization activation_numbers(const Range& range, const std::optional<Range>& bounds);

std::vector<std::uint8_t> quantized_values(std::span<const float> values, const Quantization& q);

struct WholeWeights {
  std::vector<std::int8_t> weight;
  std::vector<float> scales;       // by channel
  std::vector<std::int32_t> bias;  // empty if there is none
  std::vector<float> bias_scales;  // input scale × weight scale
  std::vector<float> restored;     // weights after dequantizing
};
// `input_scale` 0: the bias stays in float.
Result<WholeWeights> quantized_weights(const LayerWeights& weights, const QuantLayer& layer,
                                       int bits, WeightChoice choice, double input_scale);

}  // namespace strata
