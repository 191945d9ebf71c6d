// Floats to whole numbers, as QuantizeLinear rounds them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "quant/fold.h"
#include "strata/quant/channels.h"
#include "strata/quant/range.h"

namespace strata {

// Smallest and largest of values, with zero.
Range range_of_values(std::span<const float> values);

// uint8 for an activation. With bounds, those of a Relu or Clip, the numbers end inside of
// them, so that cutting off at the range is all that it would have done.
Quantization activation_numbers(const Range& range, const std::optional<Range>& bounds);

std::vector<std::uint8_t> quantized_values(std::span<const float> values, const Quantization& q);

struct WholeWeights {
  std::vector<std::int8_t> weight;
  std::vector<float> scales;       // by channel
  std::vector<std::int32_t> bias;  // empty if there is none
  std::vector<float> bias_scales;  // input scale × weight scale
  std::vector<float> restored;     // weights as they come back
};
// `input_scale` 0: the bias stays in floats.
Result<WholeWeights> quantized_weights(const LayerWeights& weights, const QuantLayer& layer,
                                       int bits, WeightChoice choice, double input_scale);

}  // namespace strata
