// How much faster one variant is than another, and how certain that is.
//
// The unit is the log ratio of block means of one round: a slow moment of the machine affects both.
// A process's ratio is the median of its rounds' ratios, the whole ratio is the mean over
// processes. Processes of one variant differ on their own (in where their memory is), and rounds
// cannot show by how much, so the error is Student's over processes, with P - 1 degrees of freedom.
// A plain bootstrap that draws three processes from three is wrong in one of four trials if they
// differ; this is not. Rounds are resampled, too, within each process: processes that agree by luck
// do not count for more than their rounds allow. One or two processes cannot show how processes
// differ, so the usual spread is assumed for them.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/student.h"
#include "bench/ratio.h"
#include "strata/bench/bench.h"

namespace strata {

namespace {

constexpr int kResamples = 200;
constexpr int kTailResamples = 400;
constexpr std::size_t kFewestRounds = 3;  // with a single process
constexpr double kTail = 0.99;
// If there are too few processes, the assumed spread counts as much as this many pairs of
// processes.
constexpr double kUsualFreedom = 4;
constexpr double kUsualRound = 0.02;  // the spread of rounds of one process, if they are few
// The difference between equal processes that neither rounds nor processes show, such as which ran
// first. Narrower intervals are not claimed.
constexpr double kUnseen = 0.003;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double log_mean(std::span<const double> seconds) { return std::log(mean_of(seconds)); }

// Sample variance; 0 for a single value.
double variance_of(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

std::size_t below(std::mt19937_64& random, std::size_t count) {
  return static_cast<std::size_t>(random() % count);
}

// Log ratios by process and round, for the blocks that both have.
std::vector<std::vector<double>> log_ratios(const Blocks& base, const Blocks& other) {
  std::vector<std::vector<double>> out;
  for (std::size_t p = 0; p < std::min(base.size(), other.size()); ++p) {
    std::vector<double> own;
    for (std::size_t b = 0; b < std::min(base[p].size(), other[p].size()); ++b)
      if (!base[p][b].empty() && !other[p][b].empty())
        own.push_back(log_mean(base[p][b]) - log_mean(other[p][b]));
    if (!own.empty()) out.push_back(std::move(own));
  }
  return out;
}

struct Center {
  double value = 0;
  double error = kInfinity;
  double freedom = 1;  // degrees of freedom
};

// Variance of the median under resampling.
double redrawn_variance(const std::vector<double>& values, std::mt19937_64& random) {
  std::vector<double> medians, draw(values.size());
  for (int i = 0; i < kResamples; ++i) {
    for (double& value : draw) value = values[below(random, values.size())];
    medians.push_back(median_in_place(draw));
  }
  return variance_of(medians);
}

Center center_of(const std::vector<std::vector<double>>& ratios, std::uint64_t seed,
                 double spread) {
  std::mt19937_64 random(seed);
  std::vector<double> centers;
  double within = 0;
  for (const std::vector<double>& own : ratios) {
    centers.push_back(median_of(own));
    within += redrawn_variance(own, random);
  }
  const auto count = static_cast<double>(ratios.size());
  within /= count;
  Center out{.value = mean_of(centers)};
  const double usual =
      spread * spread +
      std::max(within, kUsualRound * kUsualRound / static_cast<double>(ratios[0].size()));
  if (ratios.size() > 2) {
    out.error = std::sqrt(std::max(variance_of(centers), within / 2) / count);
    out.freedom = count - 1;
  } else if (ratios.size() == 2) {
    out.freedom = kUsualFreedom + 1;
    const double between = (kUsualFreedom * usual + variance_of(centers)) / out.freedom;
    out.error = std::sqrt(std::max(between, within / 2) / count);
  } else if (ratios[0].size() >= kFewestRounds) {
    out.error = std::sqrt(usual);
    out.freedom = std::min(kUsualFreedom, static_cast<double>(ratios[0].size() - 1));
  }
  return out;
}

// All samples of a variant, slowest first, for quantiles of resampled blocks: only the slow end is
// ever read.
class TailSamples {
 public:
  explicit TailSamples(const Blocks& blocks) : sizes_(blocks.size()) {
    for (std::uint32_t p = 0; p < blocks.size(); ++p)
      for (std::uint32_t b = 0; b < blocks[p].size(); ++b) {
        sizes_[p].push_back(blocks[p][b].size());
        for (const double seconds : blocks[p][b]) all_.push_back({seconds, p, b});
      }
    std::sort(all_.begin(), all_.end(),
              [](const Sample& a, const Sample& b) { return a.seconds > b.seconds; });
  }
  std::size_t size() const { return all_.size(); }
  // The nearest-rank quantile if block b of process p counts weights[p][b] times.
  double quantile(const std::vector<std::vector<int>>& weights, double q) const {
    double total = 0;
    for (std::size_t p = 0; p < sizes_.size(); ++p)
      for (std::size_t b = 0; b < sizes_[p].size(); ++b)
        total += weights[p][b] * static_cast<double>(sizes_[p][b]);
    double above = total - std::ceil(q * total - 1e-9);
    for (const Sample& sample : all_) {
      above -= weights[sample.process][sample.block];
      if (above < 0) return sample.seconds;
    }
    return all_.back().seconds;
  }

 private:
  struct Sample {
    double seconds;
    std::uint32_t process, block;
  };
  std::vector<Sample> all_;
  std::vector<std::vector<std::size_t>> sizes_;
};

void compare_tails(const Blocks& base, const Blocks& other, double freedom, std::uint64_t seed,
                   SpeedUp& out) {
  const TailSamples own(base), others(other);
  const std::size_t needed = samples_needed(kTail);
  if (own.size() < needed || others.size() < needed) return;
  const std::size_t processes = std::max(base.size(), other.size());
  std::size_t rounds = 0;
  for (const Blocks* blocks : {&base, &other})
    for (const auto& process : *blocks) rounds = std::max(rounds, process.size());
  const std::vector<std::vector<int>> once(processes, std::vector<int>(rounds, 1));
  const double whole = std::log(own.quantile(once, kTail) / others.quantile(once, kTail));
  out.tail = std::exp(whole);
  std::mt19937_64 random(seed);
  std::vector<double> draws;
  for (int i = 0; i < kTailResamples; ++i) {
    std::vector<std::vector<int>> weights(processes, std::vector<int>(rounds, 0));
    for (std::size_t p = 0; p < processes; ++p) {
      std::vector<int>& chosen = weights[below(random, processes)];
      for (std::size_t b = 0; b < rounds; ++b) ++chosen[below(random, rounds)];
    }
    draws.push_back(std::log(own.quantile(weights, kTail) / others.quantile(weights, kTail)));
  }
  const auto count = static_cast<double>(processes);
  const double scale = processes > 1 ? std::sqrt(count / (count - 1)) : 1;
  const double half = student_quantile(freedom) * scale * std::sqrt(variance_of(draws));
  out.tail_interval = Interval{std::exp(whole - half), std::exp(whole + half)};
}

}  // namespace

SpeedUp compare_blocks(const Blocks& base, const Blocks& other, std::uint64_t seed, double spread) {
  SpeedUp out;
  out.interval = {0, kInfinity};
  const std::vector<std::vector<double>> ratios = log_ratios(base, other);
  if (ratios.empty()) return out;
  const Center center = center_of(ratios, seed, spread);
  out.median = std::exp(center.value);
  if (!std::isfinite(center.error)) return out;
  const double half = std::hypot(student_quantile(center.freedom) * center.error, kUnseen);
  out.interval = {std::exp(center.value - half), std::exp(center.value + half)};
  compare_tails(base, other, center.freedom, seed + 1, out);
  return out;
}

SpeedUp compare_one_after_the_other(std::vector<double> base, std::vector<double> other) {
  SpeedUp out;
  out.interval = {0, kInfinity};
  const Summary a = summarize(base), b = summarize(other);
  if (!a.interval || !b.interval) return out;
  return ratio_of(a.median, *a.interval, b.median, *b.interval);
}

}  // namespace strata
