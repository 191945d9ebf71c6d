// Loads other than one inference after the other: the moments of requests, and what a long run
// does to a machine.
#include <algorithm>
#include <cmath>
#include <random>

#include "base/student.h"
#include "bench/schedule.h"

namespace strata {

std::vector<double> load_moments(const LoadMode& load, double seconds, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> gap(load.rate);
  std::vector<double> moments;
  if (!(load.rate > 0)) return moments;
  if (load.poisson) {
    double at = 0;
    while ((at += gap(random)) < seconds) moments.push_back(at);
    if (moments.empty()) moments.push_back(0);
    return moments;
  }
  const auto count = std::max<std::int64_t>(1, std::llround(seconds * load.rate));
  for (std::int64_t i = 0; i < count; ++i) moments.push_back(static_cast<double>(i) / load.rate);
  return moments;
}

// Fits a straight line through the medians of ten equal parts of the time: neighbouring blocks
// share the machine's momentary pace, tenths of a long run hardly do. The interval is Student's.
std::optional<Drift> drift_of(const std::vector<double>& starts,
                              const std::vector<double>& medians) {
  constexpr std::size_t kParts = 10;
  if (starts.size() < kParts || starts.size() != medians.size()) return std::nullopt;
  const auto [first, last] = std::minmax_element(starts.begin(), starts.end());
  const double length = *last - *first;
  if (!(length > 0)) return std::nullopt;
  std::vector<std::vector<double>> parts(kParts);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const double share = (starts[i] - *first) / length;
    parts[std::min(kParts - 1, static_cast<std::size_t>(share * kParts))].push_back(medians[i]);
  }
  std::vector<double> x, y;
  for (std::size_t i = 0; i < kParts; ++i) {
    if (parts[i].empty()) continue;
    x.push_back((static_cast<double>(i) + 0.5) / kParts);  // from 0, the start, to 1, the end
    y.push_back(summarize(parts[i]).median);
  }
  const auto n = static_cast<double>(x.size());
  if (x.size() < 4) return std::nullopt;
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mean_x += x[i] / n, mean_y += y[i] / n;
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  const double slope = xy / xx;
  const double start = mean_y - slope * mean_x;
  double rest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double miss = y[i] - start - slope * x[i];
    rest += miss * miss;
  }
  const double error = std::sqrt(rest / (n - 2) / xx);
  const double half = student_quantile(n - 2) * error;
  return Drift{slope / start, {(slope - half) / start, (slope + half) / start}};
}

}  // namespace strata
