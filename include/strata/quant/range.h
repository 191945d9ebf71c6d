// From what a tensor's elements are like to the numbers of a quantized tensor.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "strata/base/result.h"
#include "strata/quant/sketch.h"

namespace strata {

// Elements outside of it are cut off. Holds zero: low ≤ 0 ≤ high.
struct Range {
  float low = 0, high = 0;
  bool operator==(const Range&) const = default;
};

// How elements become whole numbers.
struct Scheme {
  int bits = 8;  // 2 to 16
  // Zero is the number zero, numbers are signed, and the range has as much on either side.
  bool symmetric = false;
  bool is_signed = true;  // of numbers that are not symmetric
  bool operator==(const Scheme&) const = default;
};
Status check(const Scheme& scheme);

// number = round(x / scale) + zero_point, to even at the half and cut off at the ends,
// as QuantizeLinear does it; x ≈ (number - zero_point) × scale. Zero stays zero.
struct Quantization {
  float scale = 1;
  std::int32_t zero_point = 0;
  int bits = 8;
  bool is_signed = true;

  // All numbers of the type: symmetric ranges end at -127 and 127, but what is cut off
  // below becomes -128.
  std::int32_t lowest() const { return is_signed ? -(1 << (bits - 1)) : 0; }
  std::int32_t highest() const { return is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1; }
  // x as it comes back.
  double restored(double x) const;
  bool operator==(const Quantization&) const = default;
};

// Scale and zero point of a range: (high - low) / (2^bits - 1), or, if symmetric, the
// larger side / (2^(bits-1) - 1). A range of zeros has scale 1; no scale is subnormal.
Quantization quantization(const Range& range, const Scheme& scheme = {});

enum class RangeChoice : std::uint8_t {
  MinMax,      // nothing is cut off
  Percentile,  // as many elements at the ends are cut off as the option says
  Entropy,     // least loss of information, as defined in src/quant/entropy.cc
  Mse,         // least mean squared error
};
std::string_view name(RangeChoice choice);  // `minmax`, `percentile`, `entropy`, `mse`
std::optional<RangeChoice> range_choice_from_name(std::string_view name);

struct RangeOptions {
  RangeChoice choice = RangeChoice::MinMax;
  // Of elements that stay: the smallest |x| if symmetric, else those between two
  // quantiles that leave as many above as below. More than 50, at most 100.
  double percentile = 99.99;
  Scheme scheme = {};
  bool operator==(const RangeOptions&) const = default;
};

// Elements that are not finite are left out; if there are no others, that is an error.
Result<Range> choose_range(const Sketch& sketch, const RangeOptions& options = {});

// The element with the rank ceil(q × count) among the finite ones: exact at both ends
// and for zeros, else the middle of its bin, which is at most 0.4 % off (of normal floats;
// subnormal ones are up to 2^-134 off). Nullopt if there are no finite elements.
std::optional<double> quantile(std::span<const SketchBin> bins, double q);
std::optional<double> quantile(const Sketch& sketch, double q);
// The same of |x|.
std::optional<double> magnitude_quantile(const Sketch& sketch, double q);

// Mean squares over the finite elements, from rounding and from cutting off, with the
// elements of a bin spread evenly over it. Data that itself comes in steps (images of 8
// bits) can be far better or worse, where the steps agree or disagree with the scale.
double signal_power(std::span<const SketchBin> bins);
double noise_power(std::span<const SketchBin> bins, const Quantization& quantization);
// 10 log10(signal / noise): infinity where nothing is lost, nullopt where there is no
// signal.
std::optional<double> sqnr_db(std::span<const SketchBin> bins, const Quantization& quantization);
std::optional<double> sqnr_db(const Sketch& sketch, const Quantization& quantization);

}  // namespace strata
