// Finds the fastest way to run a model, by how much it is faster, and how certain that is. Variants
// run in child processes in waves: each wave starts one process per variant and runs them in
// randomized, interleaved blocks, one at a time. A difference is judged by ratios within a round of
// blocks, with an interval from how processes and blocks differ.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "strata/base/statistics.h"
#include "strata/bench/child.h"
#include "strata/bench/variant.h"
#include "strata/data/output_difference.h"
#include "strata/machine/contention.h"
#include "strata/machine/pace.h"

namespace strata {

struct LoadMode {
  // Closed: each inference starts when the previous one has ended. Rate: inferences start at
  // moments that do not wait for answers, and the time in the queue counts. Sustained: closed, in
  // one long wave.
  enum class Kind : std::uint8_t { Closed, Rate, Sustained };
  Kind kind = Kind::Closed;
  double rate = 0;       // inferences per second
  bool poisson = false;  // random moments with that mean rate
  double seconds = 0;    // Sustained: how long, for all variants together. The machine is busy
                         // throughout, so everything that is compared runs equally hot
};

struct BenchProgress {
  std::string variant;    // label
  double done = 0;        // from 0 to 1
  double half_width = 0;  // of the widest interval so far, relative; 0: not known yet
};

struct BenchOptions {
  std::size_t base = 0;        // the variant that others are compared with
  double until = 0.01;         // stop when every ratio's interval is within ± this
  double max_seconds = 60;     // for all variants of one model together, not counting time spent on
                               // those that fail
  int processes = 5;           // per variant, before `until` may stop it; more if time allows
  int min_blocks = 20;         // per variant, over all of these processes
  double block_seconds = 0.1;  // a block is at least one inference
  int warmup = -1;             // inferences in each process; -1: until there is no trend
  bool time_wrong = false;     // also time variants that give a wrong answer; they never win
  std::uint64_t seed = 0;      // for the order of blocks and for the bootstrap
  LoadMode load = {};
  WorkerLimits limits = {};
  AnswerLimits answers = {};
  std::string program = {};  // the program that workers are started from
  std::function<void(const BenchProgress&)> progress = {};
};

struct ProcessSamples {
  OpenReport open;
  std::vector<double> warmup;  // seconds; not part of any statistic. Includes the first run of each
                               // block of five or more, because the caches hold another variant's
                               // data
  std::vector<std::vector<double>>
      blocks;  // wall seconds; block i ran beside block i of the others
  // How long each run of `blocks` waited for a processor: RunContention. Empty: not known.
  std::vector<std::vector<double>> waits;
  bool waits_read = true;                    // false: wall minus processor time instead
  std::vector<std::vector<double>> paces;    // per run: RunContention. Empty: not known.
  std::vector<double> block_cpu;             // seconds of all threads in each block
  std::vector<std::int64_t> block_switches;  // involuntary
  std::vector<double> block_starts;          // seconds from the start of the bench
  std::vector<double> service;               // Rate: seconds without the time in the queue
  std::int64_t peak_resident_bytes = -1;
  Contention contention;
  double joules = -1;  // while its blocks ran; -1: cannot be read
};

// How much slower a sustained run is at its end than at its start: 0.1 is 10 %.
struct Drift {
  double change = 0;
  Interval interval;  // 95 %
  bool certain() const { return interval.low > 0 || interval.high < 0; }
};

// Which runs of a variant count, and what was done to them.
struct CountedRuns {
  std::size_t measured = 0, kept = 0;
  std::size_t slowed = 0;  // left out: the processor did not have its full pace
  std::size_t waited = 0;  // left out: threads waited, and it is not known how much that cost
  double taken_off = 0;    // seconds of waiting that were subtracted from those that count
};

struct VariantResult {
  Variant variant;
  Failure failure = Failure::None;
  std::string reason;    // why it failed
  bool partial = false;  // stopped before `min_blocks`, or died half-way
  std::vector<ProcessSamples> processes;
  std::int64_t file_bytes = -1;  // including weights stored beside it
  // Difference from the base or, for another batch or shape, from the variant with that batch or
  // shape that is most like the base. nullopt for these reference variants themselves.
  std::optional<OutputDifference> difference;
  std::optional<double> joules;  // per inference, for the whole machine, if it can be read
  std::string energy_source;     // `RAPL package-0`, or why there is none
  // Rate: the share of the time that it works. At 1 or above, it cannot keep up: times then grow
  // with the length of a block and say nothing more.
  std::optional<double> utilization;
  std::optional<Drift> drift;  // Sustained

  // All runs that count, without the time waiting for a processor (strata/measure/undisturbed.h);
  // at a rate, all runs including the time in the queue and everything else. undisturbed() has them
  // by process and block; blocks may be empty.
  std::vector<double> all_seconds() const;
  std::vector<std::vector<std::vector<double>>> undisturbed() const;
  CountedRuns counted() const;
  std::size_t runs() const;  // including those that do not count
  double waited() const;     // share of the time in which its threads waited; -1: not known
  Pace pace() const;         // the processor's pace around its runs
  // A summary of all_seconds(), except that the interval is between processes. If too few runs
  // count (too_few_runs() of strata/measure/undisturbed.h), there is no interval: `withheld` says
  // why, and the other figures are for all runs as they are.
  Summary summary() const;
  std::string withheld() const;
};

// How much faster it is than the base: the base's time per sample over the variant's, so that
// different batch sizes can be compared.
struct SpeedUp {
  double median = 1;
  Interval interval = {};           // 95 %; from 0 to infinity if there is too little data
  std::optional<double> tail = {};  // the same at p99, if there are enough samples
  std::optional<Interval> tail_interval = {};
  // Why nothing is claimed, as one sentence; the interval is then from 0 to infinity. Empty: a
  // speedup is claimed.
  std::string withheld = {};
  bool certain() const { return interval.low > 1 || interval.high < 1; }
  // Relative: (high - low) / 2 / median. Infinite if nothing is known.
  double half_width() const { return (interval.high - interval.low) / 2 / median; }
};

struct BenchResult {
  std::vector<VariantResult> variants;
  std::vector<std::optional<SpeedUp>> speed_ups;  // against the base, one per variant. nullopt: it
                                                  // failed, or never ran beside the base
  std::size_t base = 0;  // as asked for, or the first with enough runs if that one has too few
  // The fastest with the right answer, by its estimate; certain only if `indistinct` is empty.
  // A variant with too few runs is neither of these three.
  std::optional<std::size_t> winner;
  std::vector<std::size_t> indistinct;  // may be as fast: their ratio to the winner includes 1
  std::vector<std::size_t> pareto;      // no other is better in latency, quality and memory at once
  bool reached = false;                 // every interval is within `until`
  bool stopped = false;                 // by `limits.stop`
  double seconds = 0;                   // duration of the bench

  bool has_clear_winner() const { return winner && indistinct.empty(); }
};

// All variants must be of one model. Returns an error only if the options make no sense; a variant
// that fails becomes a row that says so.
Result<BenchResult> measure_variants(const std::vector<Variant>& variants,
                                     const BenchOptions& options);

// Compares a variant with itself, and says how often a difference is claimed that does not
// exist, and how small a difference can be found. It measures as many pairs of processes as
// `max_seconds` allows; each trial draws `processes` of them and swaps some.
struct AaCheck {
  int trials = 0;
  int pairs = 0;                 // pairs of processes that were measured
  double false_rate = 0;         // share of trials whose interval excludes 1
  Interval false_rate_interval;  // from trials that share no pair
  double smallest = 0;           // relative difference that 95 % of the intervals would exclude
  double sequential_rate = 0;    // false_rate if one variant is measured after the other
  double seconds = 0;            // duration of the check
};
Result<AaCheck> run_aa(const Variant& variant, int trials, const BenchOptions& options);

// The ratio of two variants from blocks that ran side by side: `base[p][b]` are the seconds of
// block b in process p. Blocks count by their means: a disturbance proportional to time hits blocks
// of equal length alike and cancels out. A median of short runs would ignore it, and one of long
// runs cannot.
using Blocks = std::vector<std::vector<std::vector<double>>>;
// One or two processes cannot tell how processes differ, so `spread` is assumed for them: one
// standard deviation of the log ratio.
inline constexpr double kUsualPairSpread = 0.01;  // on a machine with no other load
inline constexpr double kSharedSpread = 0.04;     // on a machine that others use, too
SpeedUp compare_blocks(const Blocks& base, const Blocks& other, std::uint64_t seed,
                       double spread = kUsualPairSpread);

// The misleading method for an unsteady machine, to show by how much it misleads: all samples of
// one variant, then all of the other, as if they were independent.
SpeedUp compare_one_after_the_other(std::vector<double> base, std::vector<double> other);

}  // namespace strata
