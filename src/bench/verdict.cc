// Decides which variants are faster than the base, which is the fastest, and which are best in some
// respect.
#include <algorithm>
#include <cmath>

#include "bench/schedule.h"

namespace strata {

namespace {

// Differences smaller than these do not count for the Pareto front.
constexpr double kSameTime = 0.01, kSameMemory = 0.02;
constexpr double kSameQuality = 0.5;   // dB
constexpr double kMostQuality = 60.0;  // dB: rounding of fp32

bool has_samples(const VariantResult& own) {
  return std::any_of(own.processes.begin(), own.processes.end(),
                     [](const ProcessSamples& one) { return !one.blocks.empty(); });
}

bool is_sound(const VariantResult& own) {
  return own.failure == Failure::None && has_samples(own) && own.utilization.value_or(0) < 1;
}

// Quality in decibels. For detectors, the share of boxes found again is scaled to the same range.
double quality(const VariantResult& own) {
  if (!own.difference) return kMostQuality;
  if (own.difference->matched_boxes) return kMostQuality * *own.difference->matched_boxes;
  return std::min(kMostQuality, own.difference->sqnr.value_or(kMostQuality));
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
  if (sound.empty()) return;
  if (!has_samples(result.variants[result.base]) ||
      result.variants[result.base].failure != Failure::None)
    result.base = sound.front();

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

}  // namespace strata
