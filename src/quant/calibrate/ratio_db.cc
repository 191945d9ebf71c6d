#include "calibrate/ratio_db.h"

#include <cmath>
#include <numeric>
#include <vector>

namespace strata {

std::optional<RatioDb> ratio_db(std::span<const double> above, std::span<const double> below) {
  const std::size_t count = above.size();
  if (count < 2 || below.size() != count) return std::nullopt;
  const auto sum_without = [&](std::span<const double> values, std::size_t left_out) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (i != left_out) sum += values[i];
    return sum;
  };
  std::vector<double> without;
  for (std::size_t i = 0; i <= count; ++i) {  // the last: all samples
    const double high = sum_without(above, i), low = sum_without(below, i);
    if (!(high > 0) || !(low > 0)) return std::nullopt;
    without.push_back(10 * std::log10(high / low));
  }
  RatioDb out;
  out.value = without.back();
  without.pop_back();
  const auto n = static_cast<double>(count);
  const double mean = std::accumulate(without.begin(), without.end(), 0.0) / n;
  double squares = 0;
  for (const double one : without) squares += (one - mean) * (one - mean);
  out.error = std::sqrt(squares * (n - 1) / n);
  return out;
}

}  // namespace strata
