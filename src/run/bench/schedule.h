// The order in which processes of variants are started, warmed up and run. The subject and the
// clock are passed in, so that the method itself can be tested on simulated machines.
#pragma once

#include <functional>
#include <memory>
#include <set>

#include "bench/worker.h"
#include "strata/bench/bench.h"

namespace strata {

// A process of a variant: see Worker.
class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  virtual ~Subject() = default;
  virtual WorkerResult<OpenReport> open() = 0;
  virtual WorkerResult<std::vector<HostTensor>> outputs() = 0;
  virtual WorkerResult<BlockReport> run(int count, double max_seconds) = 0;
  virtual WorkerResult<BlockReport> run_at(const std::vector<double>& moments) = 0;
};

struct Machine {
  std::function<WorkerResult<std::unique_ptr<Subject>>(std::size_t variant)> start;
  std::function<double()> now;  // seconds
};

// Removes the first run of a block and returns its seconds.
double drop_first(BlockReport& block);
// Appends a block that began this many seconds after the start of the benchmark.
void add_block(ProcessSamples& own, BlockReport block, double begin);

// Samples, failures and differences of all variants; `reached`, `stopped`, `seconds`, `base`.
BenchResult run_schedule(const std::vector<Variant>& variants, const BenchOptions& options,
                         const Machine& machine);

// Computes speedups, the winner, the variants that may be as fast, and the Pareto front.
void judge(BenchResult& result, std::uint64_t seed);

// If the winner is lossy and not surely faster than the fastest lossless variant, that one becomes
// the winner. Returns the speedup of the variant that gave way, and sets `lossy` to its index;
// nullopt if nothing changed.
std::optional<SpeedUp> prefer_lossless(BenchResult& result, std::uint64_t seed, std::size_t& lossy);

// The speedup per sample, from runs that count. If it claims nothing, `withheld` says why.
SpeedUp compare_variants(const VariantResult& base, const VariantResult& other, std::uint64_t seed);

// The runs of undisturbed(), by process and block. A block in which the processor was slowed all
// the time has all of its runs: its neighbours were slowed as well, so its ratios still count,
// while its times do not.
Blocks rounds_of(const VariantResult& own);

// Half of the widest interval of a speedup over `base`, relative to its median; infinite if
// nothing is known. Variants of `slow` with too few runs do not count. A single variant is compared
// with one that never varies, because its own time must be certain.
double widest_interval(const BenchResult& result, std::size_t base,
                       const std::set<std::size_t>& slow, std::uint64_t seed);

// The moments of one block: `rate` per second for `seconds`.
std::vector<double> load_moments(const LoadMode& load, double seconds, std::uint64_t seed);

// Computed from when blocks ran (seconds) and their medians; nullopt with fewer than ten blocks.
std::optional<Drift> drift_of(const std::vector<double>& starts,
                              const std::vector<double>& medians);

// The share of the time at which a variant is at work at this rate; 1 or more: it cannot keep up.
// Other work may have its processor, so a queue that grows from block to block says the same.
// nullopt: it did not run at a rate.
std::optional<double> utilization_of(const VariantResult& own, double rate);

}  // namespace strata
