// Decides which runs of a variant count, and what may be claimed about two variants.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "bench/schedule.h"
#include "strata/measure/undisturbed.h"

namespace strata {

namespace {

// An interval that reaches from half to twice the ratio says nothing, unless it says which of the
// two is faster.
constexpr double kWidest = 4;       // high over low
constexpr double kShortest = 0.01;  // how much the shortest runs are short by luck
// Caches are cold after other processes ran, and some variants suffer from that more than others:
// beside two busy processes, MobileNetV2 lost 4 % more in int8 than in fp32.
constexpr double kColdCaches = 0.04;

// Times per sample. A mix of sizes is timed as a whole: a percentile would be that of a single
// size.
Blocks sample_blocks(const VariantResult& own) {
  Blocks blocks = rounds_of(own);
  const auto batch = static_cast<double>(std::max<std::int64_t>(1, own.variant.batch));
  for (auto& process : blocks)
    for (auto& block : process) {
      for (double& seconds : block) seconds /= batch;
      if (!own.variant.mix.empty() && !block.empty()) block = {summarize(block).mean};
    }
  return blocks;
}

std::vector<double> joined(const Blocks& blocks) {
  std::vector<double> all;
  for (const auto& process : blocks)
    for (const auto& block : process) all.insert(all.end(), block.begin(), block.end());
  return all;
}

// The median, over processes, of their shortest runs.
double least_disturbed(const Blocks& blocks) {
  std::vector<double> shortest;
  for (const auto& process : blocks)
    if (const std::vector<double> own = joined({process}); !own.empty())
      shortest.push_back(*std::min_element(own.begin(), own.end()));
  return shortest.empty() ? 0 : summarize(shortest).median;
}

// Others leave caches cold and take part of the memory's bandwidth, and some variants suffer from
// that more than others. The shortest runs were affected least. Without others, the ratio would lie
// between the ratio of all runs and that of the shortest ones, so the interval is extended to cover
// both.
void reach_least_disturbed(const Blocks& base, const Blocks& other, SpeedUp& out) {
  const double from = least_disturbed(base), to = least_disturbed(other);
  if (!(from > 0 && to > 0) || !std::isfinite(out.interval.high)) return;
  out.interval.low = std::min(out.interval.low, from / to * (1 - kShortest));
  out.interval.high = std::max(out.interval.high, from / to * (1 + kShortest));
}

std::vector<double> pace_tests(const VariantResult& own) {
  std::vector<double> tests;
  for (const ProcessSamples& process : own.processes)
    for (const auto& block : process.paces) tests.insert(tests.end(), block.begin(), block.end());
  return tests;
}

// The mean time of a whole batch; `blocks` are per sample.
double mean_run(const Blocks& blocks, std::int64_t batch) {
  double sum = 0, count = 0;
  for (const auto& process : blocks)
    for (const auto& block : process) {
      sum = std::accumulate(block.begin(), block.end(), sum);
      count += static_cast<double>(block.size());
    }
  return count > 0 ? static_cast<double>(std::max<std::int64_t>(1, batch)) * sum / count : 0;
}

// A neighbour on the same core that comes and goes within a run affects the times of long runs, but
// not those of short ones.
double unseen_neighbour(double slowed, double base_run, double other_run) {
  return slowed * std::abs(unseen_part(base_run) - unseen_part(other_run));
}

// Widens the interval by a relative, independent error.
void widen(SpeedUp& out, double by) {
  if (!std::isfinite(out.interval.high)) return;
  const double low = std::log(out.median / out.interval.low);
  const double high = std::log(out.interval.high / out.median);
  out.interval = {out.median * std::exp(-std::hypot(low, by)),
                  out.median * std::exp(std::hypot(high, by))};
}

struct Taken {
  Blocks blocks;
  CountedRuns counted;
};

// The runs that count. `whole_rounds`: see rounds_of().
Taken take_runs(const VariantResult& own, bool whole_rounds) {
  const std::vector<double> tests = pace_tests(own);
  const double slowest = slowest_test_that_counts(tests, pace_of(tests));
  const int threads = own.variant.session.threads;
  Taken out;
  for (const ProcessSamples& process : own.processes) {
    auto& blocks = out.blocks.emplace_back();
    for (std::size_t b = 0; b < process.blocks.size(); ++b) {
      const std::vector<double>& wall = process.blocks[b];
      // Requests at a rate wait in a queue, which counts, so nothing is taken off or left out.
      const bool known = process.service.empty() && b < process.waits.size();
      const std::vector<double> waits = known ? process.waits[b] : std::vector<double>();
      // With a mix of sizes, no run is left out for its pace: each block must have equally many of
      // each size.
      const bool paced = known && own.variant.mix.empty() && b < process.paces.size();
      const std::vector<double> pace = paced ? process.paces[b] : std::vector<double>();
      std::vector<double> all = undisturbed_seconds(wall, waits, threads);
      std::vector<double> kept = undisturbed_seconds(wall, waits, threads, pace, slowest);
      if (whole_rounds && kept.empty()) kept = all;
      out.counted.measured += wall.size();
      out.counted.waited += wall.size() - all.size();
      out.counted.slowed += all.size() - kept.size();
      out.counted.kept += kept.size();
      if (threads == 1 && waits.size() == wall.size())
        for (std::size_t i = 0; i < wall.size(); ++i)
          if (kept.size() == all.size() || pace[i] <= slowest)
            out.counted.taken_off += std::min(waits[i], wall[i]);
      blocks.push_back(std::move(kept));
    }
  }
  return out;
}

}  // namespace

Blocks rounds_of(const VariantResult& own) { return take_runs(own, true).blocks; }

Pace VariantResult::pace() const { return pace_of(pace_tests(*this)); }

Blocks VariantResult::undisturbed() const { return take_runs(*this, false).blocks; }

CountedRuns VariantResult::counted() const { return take_runs(*this, false).counted; }

std::vector<double> VariantResult::all_seconds() const { return joined(undisturbed()); }

std::size_t VariantResult::runs() const {
  std::size_t count = 0;
  for (const ProcessSamples& process : processes)
    for (const auto& block : process.blocks) count += block.size();
  return count;
}

double VariantResult::waited() const {
  double waited = 0, wall = 0;
  for (const ProcessSamples& process : processes) {
    if (process.waits.size() != process.blocks.size()) return -1;
    for (std::size_t b = 0; b < process.blocks.size(); ++b) {
      if (process.waits[b].size() != process.blocks[b].size()) return -1;
      wall += std::accumulate(process.blocks[b].begin(), process.blocks[b].end(), 0.0);
      waited += std::accumulate(process.waits[b].begin(), process.waits[b].end(), 0.0);
    }
  }
  return wall > 0 ? waited / wall : -1;
}

std::string VariantResult::withheld() const {
  const CountedRuns own = counted();
  return own.measured == 0 ? "" : too_few_runs(own.kept, own.measured, variant.label());
}

Summary VariantResult::summary() const {
  const Blocks blocks = undisturbed();
  if (!withheld().empty()) {
    std::vector<double> wall;
    for (const ProcessSamples& process : processes)
      for (const auto& block : process.blocks) wall.insert(wall.end(), block.begin(), block.end());
    Summary out = summarize(wall);
    out.interval.reset();
    return out;
  }
  Summary out = summarize(joined(blocks));
  std::vector<double> medians;
  for (const auto& process : blocks)
    if (const std::vector<double> own = joined({process}); !own.empty())
      medians.push_back(summarize(own).median);
  const SessionCenter center = session_center(medians, 0, pace_drift(waited(), pace(), out.median));
  out.interval = center.interval;
  if (out.interval)
    *out.interval = {std::min(out.interval->low, out.median),
                     std::max(out.interval->high, out.median)};
  return out;
}

SpeedUp compare_variants(const VariantResult& base, const VariantResult& other,
                         std::uint64_t seed) {
  const Blocks base_blocks = sample_blocks(base), other_blocks = sample_blocks(other);
  const double waited = std::max(base.waited(), other.waited());
  const double slowed = std::max({0.0, base.pace().slowed, other.pace().slowed});
  const bool shared = std::max(waited, slowed) > kOthersAreThere;
  const double spread = shared ? std::hypot(kSharedSpread, slowed) : kUsualPairSpread;
  SpeedUp out = compare_blocks(base_blocks, other_blocks, seed, spread);
  widen(out, unseen_neighbour(slowed, mean_run(base_blocks, base.variant.batch),
                              mean_run(other_blocks, other.variant.batch)));
  if (waited > kOthersAreThere) widen(out, kColdCaches);
  if (waited > kOthersAreThere) reach_least_disturbed(base_blocks, other_blocks, out);
  for (const VariantResult* own : {&base, &other})
    if (out.withheld.empty()) out.withheld = own->withheld();
  if (out.withheld.empty() && !std::isfinite(out.interval.high))
    out.withheld = "too few blocks were measured to compare them; allow more time";
  const bool is_wide = out.interval.high > kWidest * out.interval.low;
  if (out.withheld.empty() && is_wide && !out.certain()) {
    out.withheld = fmt::format("too uncertain: the interval is [{:.2f}, {:.2f}]", out.interval.low,
                               out.interval.high);
    if (waited > 0.05)
      out.withheld +=
          fmt::format("; other work on this machine took {:.0f} % of the time", 100 * waited);
  }
  if (out.withheld.empty()) return out;
  out.interval = {0, std::numeric_limits<double>::infinity()};
  out.tail.reset();
  out.tail_interval.reset();
  return out;
}

double widest_interval(const BenchResult& result, std::size_t base,
                       const std::set<std::size_t>& slow, std::uint64_t seed) {
  const VariantResult& reference = result.variants[base];
  double widest = 0;
  bool any = false;
  for (std::size_t v = 0; v < result.variants.size(); ++v) {
    const VariantResult& own = result.variants[v];
    const bool is_set_aside = slow.contains(v) && !own.withheld().empty();
    if (v == base || is_set_aside || own.failure != Failure::None) continue;
    widest = std::max(widest, compare_variants(reference, own, seed).half_width());
    any = true;
  }
  if (any) return widest;
  Blocks blocks = rounds_of(reference), still = blocks;
  for (auto& process : still)
    for (auto& block : process) std::fill(block.begin(), block.end(), 1.0);
  return compare_blocks(still, blocks, seed).half_width();
}

}  // namespace strata
