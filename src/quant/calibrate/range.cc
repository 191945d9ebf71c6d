#include "strata/calibrate/range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "calibrate/choices.h"

namespace strata {

namespace {

constexpr std::string_view kChoices[] = {"minmax", "percentile", "entropy", "mse"};

std::vector<SketchBin> magnitudes(const Sketch& sketch) {
  std::vector<SketchBin> bins = sketch.bins();
  for (SketchBin& bin : bins)
    if (bin.low < 0) bin = {-bin.high, -bin.low, bin.count};
  std::sort(bins.begin(), bins.end(),
            [](const SketchBin& a, const SketchBin& b) { return a.low + a.high < b.low + b.high; });
  return bins;
}

Range percentile_range(const Sketch& sketch, const RangeOptions& options) {
  if (options.scheme.symmetric) {
    const auto side = static_cast<float>(*magnitude_quantile(sketch, options.percentile / 100));
    return {-side, side};
  }
  const double cut = (100 - options.percentile) / 200;
  return {static_cast<float>(std::min(*quantile(sketch, cut), 0.0)),
          static_cast<float>(std::max(*quantile(sketch, 1 - cut), 0.0))};
}

Range min_max_range(const Sketch& sketch, bool symmetric) {
  const float low = std::min(*sketch.min(), 0.0F), high = std::max(*sketch.max(), 0.0F);
  const float side = std::max(-low, high);
  return symmetric ? Range{-side, side} : Range{low, high};
}

}  // namespace

Status check(const Scheme& scheme) {
  if (scheme.bits < 2 || scheme.bits > 16)
    return failure(fmt::format("{} bits: numbers of 2 to 16 bits can be chosen", scheme.bits),
                   ErrorKind::Usage);
  return {};
}

std::string_view name_of(RangeChoice choice) { return kChoices[static_cast<std::size_t>(choice)]; }

std::optional<RangeChoice> range_choice_from_name(std::string_view name) {
  const auto found = std::find(std::begin(kChoices), std::end(kChoices), name);
  if (found == std::end(kChoices)) return std::nullopt;
  return static_cast<RangeChoice>(found - std::begin(kChoices));
}

double Quantization::restored(double x) const {
  const double number = std::nearbyint(x / scale) + zero_point;
  return (std::clamp<double>(number, lowest(), highest()) - zero_point) * scale;
}

Quantization quantization(const Range& range, const Scheme& scheme) {
  Quantization result;
  result.bits = scheme.bits;
  result.is_signed = scheme.symmetric || scheme.is_signed;
  const double low = std::min(range.low, 0.0F), high = std::max(range.high, 0.0F);
  if (low == high) return result;
  const double scale = scheme.symmetric ? std::max(-low, high) / result.highest()
                                        : (high - low) / (result.highest() - result.lowest());
  result.scale = std::max(static_cast<float>(scale), std::numeric_limits<float>::min());
  if (!scheme.symmetric)
    result.zero_point = static_cast<std::int32_t>(std::clamp<double>(
        std::nearbyint(result.lowest() - low / result.scale), result.lowest(), result.highest()));
  return result;
}

Result<Range> choose_range(const Sketch& sketch, const RangeOptions& options) {
  if (Status status = check(options.scheme); !status) return failure(status);
  if (!(options.percentile > 50 && options.percentile <= 100))
    return failure(
        fmt::format("percentile {}: it must be more than 50 and at most 100", options.percentile),
        ErrorKind::Usage);
  if (!sketch.min())
    return failure(sketch.count() == 0
                       ? "no element has been seen; a range needs at least one"
                       : "all elements are infinite or not a number; a range needs finite ones");
  switch (options.choice) {
    case RangeChoice::Percentile:
      return percentile_range(sketch, options);
    case RangeChoice::Entropy:
      return entropy_range(sketch, options.scheme);
    case RangeChoice::Mse:
      return mse_range(sketch, options.scheme);
    case RangeChoice::MinMax:
      break;
  }
  return min_max_range(sketch, options.scheme.symmetric);
}

std::optional<double> quantile(std::span<const SketchBin> bins, double q) {
  if (bins.empty()) return std::nullopt;
  std::uint64_t all = 0;
  for (const SketchBin& bin : bins) all += bin.count;
  const double rank = std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(all));
  const std::uint64_t wanted = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank), 1, all);
  // The outermost bins end at an element.
  if (wanted == 1) return bins.front().low;
  if (wanted == all) return bins.back().high;
  std::uint64_t seen = 0;
  for (const SketchBin& bin : bins)
    if ((seen += bin.count) >= wanted) return (bin.low + bin.high) / 2;
  return bins.back().high;
}

std::optional<double> quantile(const Sketch& sketch, double q) {
  return quantile(sketch.bins(), q);
}

std::optional<double> magnitude_quantile(const Sketch& sketch, double q) {
  return quantile(magnitudes(sketch), q);
}

}  // namespace strata
