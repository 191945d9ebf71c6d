// From the distribution of a tensor's elements to its quantization.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "strata/base/result.h"
#include "strata/calibrate/sketch.h"

namespace strata {

// Elements outside of it are clipped. It contains zero: low ≤ 0 ≤ high.
struct Range {
  float low = 0, high = 0;
  bool operator==(const Range&) const = default;
};

// The rule that turns elements into integers.
struct Scheme {
  int bits = 8;  // 2 to 16
  // Zero maps to zero, the integers are signed, and the range is equally wide on both sides.
  bool symmetric = false;
  bool is_signed = true;  // applies if not symmetric
  bool operator==(const Scheme&) const = default;
};
Status check(const Scheme& scheme);

// The choice of the scale of symmetric weights.
enum class WeightChoice : std::uint8_t {
  MinMax,
  Mse,  // clips the largest where that makes the mean squared error smaller
};

// number = round(x / scale) + zero_point, rounded half to even and clipped at the ends, as
// QuantizeLinear does it; x ≈ (number - zero_point) × scale. Zero stays zero.
struct Quantization {
  float scale = 1;
  std::int32_t zero_point = 0;
  int bits = 8;
  bool is_signed = true;

  // The full range of the type. Symmetric ranges end at -127 and 127, but values clipped below
  // become -128.
  std::int32_t lowest() const { return is_signed ? -(1 << (bits - 1)) : 0; }
  std::int32_t highest() const { return is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1; }
  // x after quantizing and dequantizing.
  double restored(double x) const;
  bool operator==(const Quantization&) const = default;
};

// Scale and zero point of a range. The scale is (high - low) / (2^bits - 1) or, if symmetric, the
// larger side / (2^(bits-1) - 1). A range of zeros has scale 1; no scale is subnormal.
Quantization quantization(const Range& range, const Scheme& scheme = {});

enum class RangeChoice : std::uint8_t {
  MinMax,      // nothing is clipped
  Percentile,  // clips the share of elements that the option says
  Entropy,     // least loss of information, as defined in src/quant/calibrate/entropy.cc
  Mse,         // least mean squared error
};
std::string_view name_of(RangeChoice choice);  // `minmax`, `percentile`, `entropy`, `mse`
std::optional<RangeChoice> range_choice_from_name(std::string_view name);

struct RangeOptions {
  RangeChoice choice = RangeChoice::MinMax;
  // The percentage of elements that are not clipped: the smallest |x| if symmetric, otherwise those
  // between two quantiles that cut off equally many above and below. More than 50, at most 100.
  double percentile = 99.99;
  Scheme scheme = {};
  bool operator==(const RangeOptions&) const = default;
};

// Elements that are not finite are ignored; it is an error if there are no others.
Result<Range> choose_range(const Sketch& sketch, const RangeOptions& options = {});

// The element of rank ceil(q × count) among the finite ones. It is exact at both ends and for
// zeros; otherwise it is the middle of its bin, which is off by at most 0.4 % (for normal floats;
// subnormal ones are off by up to 2^-134). nullopt if there are no finite elements.
std::optional<double> quantile(std::span<const SketchBin> bins, double q);
std::optional<double> quantile(const Sketch& sketch, double q);
// Like quantile(), for |x|.
std::optional<double> magnitude_quantile(const Sketch& sketch, double q);

// Mean squares over the finite elements, of the signal and of the noise from rounding and clipping,
// assuming that the elements of a bin are spread evenly over it. For data that itself comes in
// steps (8-bit images), the truth can be far better or worse, depending on whether the steps match
// the scale.
double signal_power(std::span<const SketchBin> bins);
double noise_power(std::span<const SketchBin> bins, const Quantization& quantization);
// 10 log10(signal / noise): infinity if nothing is lost, nullopt if there is no signal.
std::optional<double> sqnr_db(std::span<const SketchBin> bins, const Quantization& quantization);
std::optional<double> sqnr_db(const Sketch& sketch, const Quantization& quantization);

}  // namespace strata
