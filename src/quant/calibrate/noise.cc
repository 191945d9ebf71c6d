#include <algorithm>
#include <cmath>
#include <limits>

#include "strata/calibrate/range.h"

namespace strata {

namespace {

// The position of x in steps from zero: the nearest number, and the distance to it.
struct Rounded {
  double number, error;
};

// The ends are whole numbers, so clipping can come first; then adding a number so large that no
// fraction fits rounds, which is faster than a call.
Rounded rounded(double steps, double lowest, double highest) {
  constexpr double kNoFraction = 0x1.8p52;
  const double inside = std::min(std::max(steps, lowest), highest);
  const double number = (inside + kNoFraction) - kNoFraction;
  return {number, steps - number};
}

// Mean of (x - number)² for x spread evenly between two positions. An antiderivative is
// number/12 + (x - number)³/3, which has no jumps: rounding changes at halves, and at
// the ends the number stays.
double mean_square(const Rounded& from, const Rounded& to, double width) {
  if (from.number == to.number)
    return (from.error * from.error + from.error * to.error + to.error * to.error) / 3;
  const double cubes = to.error * to.error * to.error - from.error * from.error * from.error;
  return ((to.number - from.number) / 12 + cubes / 3) / width;
}

}  // namespace

double signal_power(std::span<const SketchBin> bins) {
  double sum = 0, elements = 0;
  for (const auto& [low, high, count] : bins) {
    sum += static_cast<double>(count) * (low * low + low * high + high * high) / 3;
    elements += static_cast<double>(count);
  }
  return elements == 0 ? 0 : sum / elements;
}

double noise_power(std::span<const SketchBin> bins, const Quantization& quantization) {
  const double lowest = quantization.lowest() - quantization.zero_point;
  const double highest = quantization.highest() - quantization.zero_point;
  const double per_unit = 1 / double{quantization.scale};
  double sum = 0, elements = 0;
  for (const auto& [low, high, count] : bins) {
    elements += static_cast<double>(count);
    if (low == 0 && high == 0) continue;
    const Rounded from = rounded(low * per_unit, lowest, highest);
    const Rounded to = low == high ? from : rounded(high * per_unit, lowest, highest);
    sum += static_cast<double>(count) * mean_square(from, to, (high - low) * per_unit);
  }
  const double scale = quantization.scale;
  return elements == 0 ? 0 : sum / elements * scale * scale;
}

std::optional<double> sqnr_db(std::span<const SketchBin> bins, const Quantization& quantization) {
  const double signal = signal_power(bins);
  if (signal == 0) return std::nullopt;
  const double noise = noise_power(bins, quantization);
  if (noise == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

std::optional<double> sqnr_db(const Sketch& sketch, const Quantization& quantization) {
  return sqnr_db(sketch.bins(), quantization);
}

}  // namespace strata
