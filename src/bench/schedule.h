// The order in which processes of variants are started, warmed up and run. The subject and the
// clock are passed in, so that the method itself can be tested on simulated machines.
#pragma once

#include <functional>
#include <memory>

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

// Samples, failures and differences of all variants; `reached`, `stopped`, `seconds`, `base`.
BenchResult run_schedule(const std::vector<Variant>& variants, const BenchOptions& options,
                         const Machine& machine);

// Computes speed-ups, the winner, the variants that may be as fast, and the Pareto front.
void judge(BenchResult& result, std::uint64_t seed);

// The speed-up per sample, from runs that count. If it claims nothing, `withheld` says why.
SpeedUp compare_variants(const VariantResult& base, const VariantResult& other, std::uint64_t seed);

// The moments of one block: `rate` per second for `seconds`.
std::vector<double> load_moments(const LoadMode& load, double seconds, std::uint64_t seed);

// Computed from when blocks ran (seconds) and their medians; nullopt with fewer than ten blocks.
std::optional<Drift> drift_of(const std::vector<double>& starts,
                              const std::vector<double>& medians);

}  // namespace strata
