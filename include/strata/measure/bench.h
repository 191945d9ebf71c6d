// Which way of running a model is the fastest, by how much, for sure. Variants run in
// child processes in waves: each wave starts one process of every variant and runs them in
// randomized interleaved blocks, one at a time. A difference is decided on ratios within a
// round of blocks, with an interval from how processes and blocks differ.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "strata/measure/output_difference.h"
#include "strata/measure/pace.h"
#include "strata/measure/statistics.h"
#include "strata/measure/variant.h"
#include "strata/measure/worker.h"

namespace strata {

struct LoadMode {
  // Closed: the next inference when the last has ended. Rate: at moments that do not wait
  // for answers; the time in the queue counts. Sustained: closed, in one long wave.
  enum class Kind : std::uint8_t { Closed, Rate, Sustained };
  Kind kind = Kind::Closed;
  double rate = 0;       // inferences a second
  bool poisson = false;  // moments at random with that mean rate
  double seconds = 0;    // Sustained: how long, for all variants together: the machine is busy
                         // all along, and what is compared runs in the same heat
};

struct BenchProgress {
  std::string variant;    // label
  double done = 0;        // from 0 to 1
  double half_width = 0;  // of the widest interval so far, relative; 0: not known yet
};

struct BenchOptions {
  std::size_t base = 0;        // the variant that others are compared with
  double until = 0.01;         // stop when every ratio's interval is within ± this
  double max_seconds = 60;     // for all variants of one model together; what those that fail took
                               // is not counted
  int processes = 5;           // for each variant, before `until` may stop it; more if time allows
  int min_blocks = 20;         // of each variant over so many processes
  double block_seconds = 0.1;  // a block is at least one inference
  int warmup = -1;             // inferences in each process; -1: until there is no trend
  bool time_wrong = false;     // also time what gives a wrong answer; it never wins
  std::uint64_t seed = 0;      // of the order of blocks and of the bootstrap
  LoadMode load = {};
  WorkerLimits limits = {};
  AnswerLimits answers = {};
  std::string program = {};  // that workers are started from
  std::function<void(const BenchProgress&)> progress = {};
};

struct ProcessSamples {
  OpenReport open;
  std::vector<double> warmup;  // seconds; in no statistic. Also the first of each block of five
                               // or more: caches are another variant's
  std::vector<std::vector<double>>
      blocks;  // wall seconds; block i ran beside block i of the others
  // What each run of `blocks` waited for a processor: RunContention. Empty: not known.
  std::vector<std::vector<double>> waits;
  bool waits_read = true;                    // false: wall time less processor time stands for them
  std::vector<std::vector<double>> paces;    // of each run: RunContention. Empty: not known.
  std::vector<double> block_cpu;             // seconds of all threads in each block
  std::vector<std::int64_t> block_switches;  // involuntary
  std::vector<double> block_starts;          // seconds from the start of the bench
  std::vector<double> service;               // Rate: seconds without the wait
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

struct VariantResult {
  Variant variant;
  Failure failure = Failure::None;
  std::string reason;    // of the failure
  bool partial = false;  // stopped before `min_blocks`, or died in the middle
  std::vector<ProcessSamples> processes;
  std::int64_t file_bytes = -1;  // with weights that lie beside it
  // From the base; for another batch or shape, from the variant of it that is most like the
  // base. nullopt for these themselves.
  std::optional<OutputDifference> difference;
  std::optional<double> joules;  // an inference, of the whole machine; where it can be read
  std::string energy_source;     // `RAPL package-0`, or why there is none
  // Rate: share of the time that it works. From 1 on it cannot keep up: times grow with the
  // length of a block and say no more than that.
  std::optional<double> utilization;
  std::optional<Drift> drift;  // Sustained

  // Of all runs that count, without the waiting for a processor (strata/measure/undisturbed.h);
  // at a rate, with the wait in the queue and all else. By process and block: blocks may be
  // empty.
  std::vector<double> all_seconds() const;
  std::vector<std::vector<std::vector<double>>> undisturbed() const;
  std::size_t runs() const;  // also those that do not count
  double waited() const;     // share of the time in which its threads waited; -1: not known
  Pace pace() const;         // of the processor, around its runs
  // Of all_seconds(), but the interval is one between processes. None where too few runs count:
  // then `withheld` says why, and the rest is of all runs as they are.
  Summary summary() const;
  std::string withheld() const;
};

// How much faster than the base: time of the base for one sample over the variant's, so that
// batches of several sizes can be compared.
struct SpeedUp {
  double median = 1;
  Interval interval = {};           // 95 %; from 0 to infinity where there is too little to say
  std::optional<double> tail = {};  // the same at p99, where the samples carry it
  std::optional<Interval> tail_interval = {};
  // Why nothing is claimed, one sentence; the interval is then from 0 to infinity. Empty: it is.
  std::string withheld = {};
  bool certain() const { return interval.low > 1 || interval.high < 1; }
  // Relative: (high - low) / 2 / median. Infinite where nothing is known.
  double half_width() const { return (interval.high - interval.low) / 2 / median; }
};

struct BenchResult {
  std::vector<VariantResult> variants;
  std::vector<std::optional<SpeedUp>> speed_ups;  // against the base; as many as variants.
                                                  // nullopt: failed, or never ran beside it
  std::size_t base = 0;  // as asked for, or the first that works where that does not
  // The fastest with the right answer, by its estimate; for certain only if `indistinct` is empty.
  std::optional<std::size_t> winner;
  std::vector<std::size_t> indistinct;  // others that may be as fast: their ratio to it covers 1
  std::vector<std::size_t> pareto;      // none is better in latency, quality and memory at once
  bool reached = false;                 // every interval within `until`
  bool stopped = false;                 // by `limits.stop`
  double seconds = 0;                   // that it took

  bool has_clear_winner() const { return winner && indistinct.empty(); }
};

// All variants are of one model. An error only if the options make no sense: what fails is
// a row that says so.
Result<BenchResult> run_bench(const std::vector<Variant>& variants, const BenchOptions& options);

// What comparing a variant with itself says: how often a difference is claimed that is
// not there, and the smallest that could be. As many pairs of processes are measured as
// `max_seconds` allows; a trial draws `processes` of them and swaps some.
struct AaCheck {
  int trials = 0;
  int pairs = 0;                 // of processes that were measured
  double false_rate = 0;         // share of trials whose interval leaves out 1
  Interval false_rate_interval;  // from the trials that share no pair
  double smallest = 0;           // relative difference that 95 % of the intervals exclude
  double sequential_rate = 0;    // the same for one variant after the other
  double seconds = 0;            // that it took
};
Result<AaCheck> run_aa(const Variant& variant, int trials, const BenchOptions& options);

// The ratio of two variants from blocks that ran side by side: `base[p][b]` are the
// seconds of block b in process p. Blocks count by their means: whatever hits a machine in
// proportion to time, hits blocks of equal length alike, and cancels. A median of short runs
// leaves it out, one of long runs cannot.
using Blocks = std::vector<std::vector<std::vector<double>>>;
// One or two processes cannot tell how processes differ: `spread` is assumed there, the log
// ratio of one standard deviation.
inline constexpr double kUsualPairSpread = 0.01;  // on a machine that is left alone
inline constexpr double kSharedSpread = 0.04;     // where others use it, too
SpeedUp compare_blocks(const Blocks& base, const Blocks& other, std::uint64_t seed,
                       double spread = kUsualPairSpread);

// The way that misleads on a machine with moods, to show by how much: all samples of one,
// then all of the other, as if they were independent.
SpeedUp compare_one_after_the_other(std::vector<double> base, std::vector<double> other);

}  // namespace strata
