#include "edit/quantize_values.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

// The largest bias as a whole number; beyond that, channels get coarser weights instead.
constexpr double kMaxBias = 1 << 30;

std::int32_t rounded(double x, std::int32_t low, std::int32_t high) {
  return static_cast<std::int32_t>(
      std::clamp(std::nearbyint(x), static_cast<double>(low), static_cast<double>(high)));
}

}  // namespace

Range range_of_values(std::span<const float> values) {
  Range range;
  for (const float x : values) {
    range.low = std::min(range.low, x);
    range.high = std::max(range.high, x);
  }
  return range;
}

Quantization activation_numbers(const Range& range, const std::optional<Range>& bounds) {
  const Scheme scheme{.bits = 8, .symmetric = false, .is_signed = false};
  if (!bounds) return quantization(range, scheme);
  const Range inside{std::max(range.low, bounds->low), std::min(range.high, bounds->high)};
  Quantization q = quantization(inside, scheme);
  // Rounding may have put the last number one ulp outside.
  const auto reach = [&] {
    return std::max(static_cast<float>(q.highest() - q.zero_point) * q.scale - bounds->high,
                    bounds->low - static_cast<float>(q.lowest() - q.zero_point) * q.scale);
  };
  for (int step = 0; step < 4 && reach() > 0; ++step) q.scale = std::nextafter(q.scale, 0.0F);
  return q;
}

std::vector<std::uint8_t> quantized_values(std::span<const float> values, const Quantization& q) {
  std::vector<std::uint8_t> whole(values.size());
  std::transform(values.begin(), values.end(), whole.begin(), [&](float x) {
    const double number = static_cast<double>(std::nearbyint(x / q.scale)) + q.zero_point;
    return static_cast<std::uint8_t>(rounded(number, q.lowest(), q.highest()));
  });
  return whole;
}

Result<WholeWeights> quantized_weights(const LayerWeights& weights, const QuantLayer& layer,
                                       int bits, WeightChoice choice, double input_scale) {
  const auto layout = channel_layout(weights.dims, layer.weight_axis);
  if (!layout) return failure(layout);
  auto scales = weight_scales(weights.weight, *layout, bits, choice);
  if (!scales) return failure(scales);
  WholeWeights whole;
  whole.scales = std::move(*scales);
  const bool with_bias = input_scale > 0 && !weights.bias.empty();
  const std::size_t channels = whole.scales.size();
  if (with_bias)
    for (std::size_t c = 0; c < weights.bias.size(); ++c) {
      float& scale = whole.scales[c % channels];
      const auto least = static_cast<float>(std::abs(weights.bias[c]) / (input_scale * kMaxBias));
      scale = std::max(scale, least);
    }
  const std::int32_t most = (1 << (bits - 1)) - 1;
  const auto inner = static_cast<std::size_t>(layout->inner);
  whole.weight.resize(weights.weight.size());
  whole.restored.resize(weights.weight.size());
  for (std::size_t i = 0; i < weights.weight.size(); ++i) {
    const float scale = whole.scales[i / inner % channels];
    const std::int32_t number = rounded(weights.weight[i] / scale, -most, most);
    whole.weight[i] = static_cast<std::int8_t>(number);
    whole.restored[i] = static_cast<float>(number) * scale;
  }
  if (!with_bias) return whole;
  for (std::size_t c = 0; c < weights.bias.size(); ++c) {
    const auto scale = static_cast<float>(input_scale * whole.scales[c % channels]);
    whole.bias_scales.push_back(scale);
    whole.bias.push_back(
        rounded(static_cast<double>(weights.bias[c]) / scale, -2147483647, 2147483647));
  }
  return whole;
}

}  // namespace strata
