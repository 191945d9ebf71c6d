// A variant compared with itself: what the method claims when there is nothing to claim.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "bench/schedule.h"

namespace strata {

namespace {

// Wilson's interval for a share.
Interval share_interval(double share, double n) {
  constexpr double kZ = 1.96;
  const double middle = (share + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double half =
      kZ * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n)) / (1 + kZ * kZ / n);
  // Rounding must not exclude the share itself if it is 0 or 1.
  return {std::max(0.0, std::min(share, middle - half)),
          std::min(1.0, std::max(share, middle + half))};
}

std::vector<double> joined(const std::vector<std::vector<double>>& blocks) {
  std::vector<double> all;
  for (const auto& block : blocks) all.insert(all.end(), block.begin(), block.end());
  return all;
}

}  // namespace

Result<AaCheck> run_aa(const Variant& variant, int trials, const BenchOptions& given) {
  BenchOptions options = given;
  options.base = 0;
  options.until = 0;  // as long as there is time
  auto bench = measure_variants({variant, variant}, options);
  if (!bench) return failure(bench);
  for (const VariantResult& own : bench->variants)
    if (own.failure != Failure::None)
      return failure(
          fmt::format("{}: {}: {}", variant.label(), failure_name(own.failure), own.reason));
  const Blocks one = rounds_of(bench->variants[0]), other = rounds_of(bench->variants[1]);
  const auto each = static_cast<std::size_t>(std::max(1, options.processes));
  std::vector<std::size_t> pairs;  // pairs whose processes both ran
  for (std::size_t p = 0; p < std::min(one.size(), other.size()); ++p)
    if (!one[p].empty() && !other[p].empty()) pairs.push_back(p);
  if (pairs.size() < each)
    return failure(
        fmt::format("{} pairs of processes were measured in {:.0f} s, and one trial "
                    "needs {}: give it more time",
                    pairs.size(), bench->seconds, each));

  const std::size_t ran = pairs.size();
  AaCheck out;
  out.trials = std::max(1, trials);
  out.pairs = static_cast<int>(pairs.size());
  out.seconds = bench->seconds;
  std::mt19937_64 random(options.seed);
  int claims = 0, sequential = 0;
  std::vector<double> reaches;
  for (int trial = 0; trial < out.trials; ++trial) {
    std::shuffle(pairs.begin(), pairs.end(), random);
    Blocks a, b;
    for (std::size_t i = 0; i < each; ++i) {
      const bool swap = random() % 2 == 0;
      a.push_back(swap ? other[pairs[i]] : one[pairs[i]]);
      b.push_back(swap ? one[pairs[i]] : other[pairs[i]]);
    }
    const SpeedUp ratio = compare_blocks(a, b, random());
    claims += ratio.certain() ? 1 : 0;
    reaches.push_back(1 / ratio.interval.low - 1);

    // A process, and the one started after it.
    const std::size_t early = random() % std::max<std::size_t>(1, ran - 1);
    const SpeedUp naive =
        compare_one_after_the_other(joined(one[early]), joined(one[std::min(early + 1, ran - 1)]));
    sequential += ran > 1 && naive.certain() ? 1 : 0;
  }
  const auto n = static_cast<double>(out.trials);
  out.false_rate = claims / n;
  out.sequential_rate = sequential / n;
  const std::size_t apart = pairs.size() / each;  // comparisons that share nothing
  out.false_rate_interval = share_interval(out.false_rate, std::min(n, static_cast<double>(apart)));
  std::sort(reaches.begin(), reaches.end());
  out.smallest = nearest_rank(reaches, 0.95);
  return out;
}

}  // namespace strata
