#include "strata/machine/pace.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "strata/base/statistics.h"

namespace strata {

namespace {

constexpr int kSteps = 15'000;          // in each half
constexpr double kAtBestPace = 1.03;    // times the best
constexpr double kBestQuantile = 0.05;  // the shortest of all tests may be a lucky one
constexpr double kLongest = 2;          // times the best: beyond that, a test was interrupted
constexpr std::size_t kFewest = 6;
constexpr double kNeighbourSeconds = 0.03;

// Three pairs of independent chains: a processor that has its execution units to itself does
// several of these steps at a time.
double half_test() {
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
  for (int i = 0; i < kSteps; ++i) {
    a = a * 3 + b, b ^= a >> 3;
    c = c * 5 + d, d ^= c >> 5;
    e = e * 7 + f, f ^= e >> 7;
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

double pace_test_seconds() {
  const double first = half_test();
  return 2 * std::min(first, half_test());
}

Pace pace_of(std::span<const double> tests) {
  Pace out;
  if (tests.empty()) return out;
  std::vector<double> sorted(tests.begin(), tests.end());
  std::sort(sorted.begin(), sorted.end());
  out.best = nearest_rank(sorted, kBestQuantile);
  if (!(out.best > 0)) return {};
  double sum = 0;
  for (const double test : tests) sum += std::min(test / out.best, kLongest);
  out.slowed = std::max(0.0, sum / static_cast<double>(tests.size()) - 1);
  return out;
}

double slowest_test_that_counts(std::span<const double> tests, const Pace& pace) {
  if (tests.empty() || !(pace.best > 0)) return std::numeric_limits<double>::infinity();
  std::vector<double> sorted(tests.begin(), tests.end());
  const std::size_t fewest = std::min(sorted.size(), std::max(kFewest, sorted.size() / 10));
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(fewest - 1),
                   sorted.end());
  return std::max(kAtBestPace * pace.best, sorted[fewest - 1]);
}

double unseen_part(double run_seconds) { return run_seconds / (run_seconds + kNeighbourSeconds); }

}  // namespace strata
