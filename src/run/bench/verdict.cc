// Decides which variants are faster than the base, which is the fastest, and which are best in some
// respect.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bench/ratio.h"
#include "bench/schedule.h"

namespace strata {

namespace {

// Differences smaller than these do not count for the Pareto front.
constexpr double kSameTime = 0.01, kSameMemory = 0.02;
constexpr double kSameQuality = 0.5;  // dB
constexpr double kMaxQuality = 60.0;  // dB: rounding of fp32

// The wait of a block's last run over the length of the block, from which on the queue grows.
constexpr double kGrowing = 0.2, kGrowingShort = 0.5;
constexpr std::size_t kLongBlock = 100;  // runs

bool has_samples(const VariantResult& own) {
  return std::any_of(own.processes.begin(), own.processes.end(),
                     [](const ProcessSamples& one) { return !one.blocks.empty(); });
}

bool has_enough_runs(const VariantResult& own) {
  return own.failure == Failure::None && has_samples(own) && own.withheld().empty();
}

bool is_sound(const VariantResult& own) {
  return has_enough_runs(own) && own.utilization.value_or(0) < 1;
}

// Quality in decibels. For detectors, the share of boxes found again is scaled to the same range.
double quality(const VariantResult& own) {
  if (!own.difference) return kMaxQuality;
  if (own.difference->matched_boxes) return kMaxQuality * *own.difference->matched_boxes;
  return std::min(kMaxQuality, own.difference->sqnr.value_or(kMaxQuality));
}

double peak_bytes(const VariantResult& own) {
  std::int64_t most = -1;
  for (const ProcessSamples& one : own.processes) most = std::max(most, one.peak_resident_bytes);
  return static_cast<double>(most);
}

struct Standing {
  double seconds, quality, bytes;
};

bool is_better(const Standing& a, const Standing& b) {
  const bool faster = a.seconds < b.seconds * (1 - kSameTime);
  const bool slower = a.seconds > b.seconds * (1 + kSameTime);
  const bool smaller = a.bytes < b.bytes * (1 - kSameMemory);
  const bool larger = a.bytes > b.bytes * (1 + kSameMemory);
  const bool truer = a.quality > b.quality + kSameQuality;
  const bool worse = a.quality < b.quality - kSameQuality;
  return !slower && !larger && !worse && (faster || smaller || truer);
}

}  // namespace

void judge(BenchResult& result, std::uint64_t seed) {
  const std::size_t count = result.variants.size();
  result.speed_ups.assign(count, std::nullopt);
  result.winner.reset();
  result.indistinct.clear();
  result.pareto.clear();
  std::vector<std::size_t> sound;
  for (std::size_t v = 0; v < count; ++v)
    if (is_sound(result.variants[v])) sound.push_back(v);
  if (sound.empty()) {
    for (std::size_t v = 0; v < count; ++v)
      if (const VariantResult& own = result.variants[v];
          own.failure == Failure::None && !own.withheld().empty())
        result.speed_ups[v] = SpeedUp{.interval = {0, std::numeric_limits<double>::infinity()},
                                      .withheld = own.withheld()};
    return;
  }
  if (!has_enough_runs(result.variants[result.base])) result.base = sound.front();

  for (std::size_t v = 0; v < count; ++v)
    if (v == result.base)
      result.speed_ups[v] = SpeedUp{.interval = {1, 1}};
    else if (result.variants[v].failure == Failure::None && has_samples(result.variants[v]))
      result.speed_ups[v] =
          compare_variants(result.variants[result.base], result.variants[v], seed);

  // A variant whose ratio is withheld does not lead, but it may be as fast.
  const auto rank = [&](std::size_t v) {
    return std::pair(result.speed_ups[v]->withheld.empty(), result.speed_ups[v]->median);
  };
  result.winner = *std::max_element(
      sound.begin(), sound.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  const VariantResult& leader = result.variants[*result.winner];
  std::vector<Standing> standings(count);
  for (const std::size_t v : sound) {
    standings[v] = {1 / result.speed_ups[v]->median, quality(result.variants[v]),
                    peak_bytes(result.variants[v])};
    if (v != *result.winner && !compare_variants(leader, result.variants[v], seed).certain())
      result.indistinct.push_back(v);
  }
  for (const std::size_t v : sound)
    if (std::none_of(sound.begin(), sound.end(), [&](std::size_t other) {
          return other != v && is_better(standings[other], standings[v]);
        }))
      result.pareto.push_back(v);
}

std::optional<double> utilization_of(const VariantResult& own, double rate) {
  double service = 0, waited = 0, asked = 0;
  std::size_t served = 0, blocks = 0;
  for (const ProcessSamples& one : own.processes) {
    service = std::accumulate(one.service.begin(), one.service.end(), service);
    served += one.service.size();
  }
  if (served == 0) return std::nullopt;
  service /= static_cast<double>(served);
  for (const ProcessSamples& one : own.processes)
    for (const std::vector<double>& block : one.blocks) {
      if (block.empty()) continue;
      ++blocks;
      waited += std::max(0.0, block.back() - service);
      asked += static_cast<double>(block.size()) / rate;
    }
  const double at_work = rate * service;
  if (blocks == 0) return at_work;
  // The last run of a block waits long, in relation to the block, if the queue grows. In a short
  // block it may do so by chance.
  const bool is_long = served / blocks >= kLongBlock;
  if (waited < (is_long ? kGrowing : kGrowingShort) * asked) return at_work;
  return std::max(at_work, 1 + waited / asked);
}

std::optional<SpeedUp> speed_up_over_first(const BenchResult& result) {
  if (result.variants.size() != 2 || result.speed_ups.size() != 2) return std::nullopt;
  if (result.base == 0) return result.speed_ups[1];
  const VariantResult& first = result.variants[0];
  if (first.failure != Failure::None || first.withheld().empty()) return std::nullopt;
  return SpeedUp{.interval = {0, std::numeric_limits<double>::infinity()},
                 .withheld = first.withheld()};
}

std::optional<SpeedUp> prefer_lossless(BenchResult& result, std::uint64_t seed,
                                       std::size_t& lossy) {
  if (!result.winner || !result.variants[*result.winner].variant.is_lossy()) return std::nullopt;
  lossy = *result.winner;
  std::optional<std::size_t> best;
  for (std::size_t v = 0; v < result.variants.size(); ++v) {
    if (!is_sound(result.variants[v]) || result.variants[v].variant.is_lossy()) continue;
    if (!best || result.speed_ups[v]->median > result.speed_ups[*best]->median) best = v;
  }
  if (!best) return std::nullopt;
  const VariantResult& lossless = result.variants[*best];
  const SpeedUp gain = compare_variants(lossless, result.variants[lossy], seed);
  if (gain.interval.low > 1) return std::nullopt;
  result.winner = best;
  result.indistinct.clear();
  for (std::size_t v = 0; v < result.variants.size(); ++v)
    if (v != *best && is_sound(result.variants[v]) &&
        !compare_variants(lossless, result.variants[v], seed).certain())
      result.indistinct.push_back(v);
  return gain;
}

}  // namespace strata
