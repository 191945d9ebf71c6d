#include "strata/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace strata {

namespace {

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

// The largest k with P(X ≤ k) ≤ tail for X binomial(n, 1/2); none if even P(X ≤ 0) is more.
std::optional<std::size_t> binomial_half_quantile(std::size_t n, double tail) {
  // C(n, k) and the sum of C(n, 0 … k), both times 2^(exponent + n): n goes into the thousands.
  double ways = 1, sum = 1;
  int exponent = -static_cast<int>(n);
  std::optional<std::size_t> found;
  for (std::size_t k = 0; std::ldexp(sum, exponent) <= tail; ++k) {
    found = k;
    ways *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    sum += ways;
    if (sum < 0x1p600) continue;
    ways *= 0x1p-600, sum *= 0x1p-600;
    exponent += 600;
  }
  return found;
}

}  // namespace

double median_in_place(std::span<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  return (*std::max_element(samples.begin(), middle) + *middle) / 2;
}

double median_of(std::span<const double> samples) {
  std::vector<double> copy(samples.begin(), samples.end());
  return median_in_place(copy);
}

double nearest_rank(std::span<const double> sorted, double q) {
  const double rank = std::ceil(q * static_cast<double>(sorted.size()) - 1e-9);
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return sorted[std::min(index, sorted.size() - 1)];
}

std::size_t samples_needed(double q) {
  // P(at most one of n samples above the quantile) = q^n + n·(1-q)·q^(n-1) ≤ 1 %
  const auto chance = [q](double n) { return std::pow(q, n) + n * (1 - q) * std::pow(q, n - 1); };
  std::size_t high = 2;
  while (chance(static_cast<double>(high)) > 0.01) high *= 2;
  std::size_t low = high / 2;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (chance(static_cast<double>(middle)) > 0.01 ? low : high) = middle;
  }
  return high;
}

std::optional<Interval> median_interval(std::span<const double> sorted) {
  constexpr double kTail = 0.025;
  const std::size_t n = sorted.size();
  if (n == 0) return std::nullopt;
  // The normal approximation is exact enough where the sum would be long.
  std::size_t k = 0;
  if (n > 2000) {
    const double half = static_cast<double>(n) / 2 - 1.96 * std::sqrt(static_cast<double>(n)) / 2;
    k = static_cast<std::size_t>(half) - 1;
  } else {
    const auto found = binomial_half_quantile(n, kTail);
    if (!found) return std::nullopt;
    k = *found;
  }
  return Interval{sorted[k], sorted[n - 1 - k]};
}

std::optional<double> Summary::percentile(double q) const {
  if (n < samples_needed(q)) return std::nullopt;
  return nearest_rank(sorted, q);
}

Summary summarize(std::span<const double> samples) {
  Summary out;
  out.n = samples.size();
  if (samples.empty()) return out;
  out.sorted.assign(samples.begin(), samples.end());
  std::sort(out.sorted.begin(), out.sorted.end());
  out.min = out.sorted.front();
  out.max = out.sorted.back();
  out.median = median_of_sorted(out.sorted);
  std::vector<double> away(samples.begin(), samples.end());
  for (double& sample : away) sample = std::abs(sample - out.median);
  out.mad = median_in_place(away);
  const auto n = static_cast<double>(out.n);
  out.mean = std::accumulate(out.sorted.begin(), out.sorted.end(), 0.0) / n;
  double squares = 0;
  for (const double sample : out.sorted) squares += (sample - out.mean) * (sample - out.mean);
  if (out.n > 1) out.stddev = std::sqrt(squares / (n - 1));
  if (out.stddev && out.mean != 0) out.cv = *out.stddev / out.mean;
  out.interval = median_interval(out.sorted);
  const double q1 = nearest_rank(out.sorted, 0.25);
  const double q3 = nearest_rank(out.sorted, 0.75);
  const double reach = 1.5 * (q3 - q1);
  out.outliers =
      static_cast<std::size_t>(std::count_if(out.sorted.begin(), out.sorted.end(), [&](double x) {
        return x < q1 - reach || x > q3 + reach;
      }));
  return out;
}

bool has_settled(std::span<const double> samples) {
  constexpr std::size_t kHalf = 4;
  if (samples.size() < 2 * kHalf) return false;
  const Summary before = summarize(samples.last(2 * kHalf).first(kHalf));
  const Summary after = summarize(samples.last(kHalf));
  // The spread of both together would grow with the step itself.
  const double spread = std::max(before.mad, after.mad);
  const double step = std::abs(before.median - after.median);
  return step <= std::max(2 * spread, 0.02 * std::min(before.median, after.median));
}

}  // namespace strata
