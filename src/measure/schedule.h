// The order in which processes of variants are started, warmed up and run: what is measured
// and the clock are given, so that the method itself can be tried on made-up machines.
#pragma once

#include <functional>
#include <memory>

#include "strata/measure/bench.h"

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

// Speed-ups, the winner and who may be as fast, the Pareto front.
void judge(BenchResult& result, std::uint64_t seed);

// Of one sample, from runs that count. Says in `withheld` why it claims nothing.
SpeedUp compare_variants(const VariantResult& base, const VariantResult& other, std::uint64_t seed);

// The moments of one block: `rate` a second for `seconds`.
std::vector<double> load_moments(const LoadMode& load, double seconds, std::uint64_t seed);

// From when blocks ran (seconds) and their medians; nullopt below ten blocks.
std::optional<Drift> drift_of(const std::vector<double>& starts,
                              const std::vector<double>& medians);

}  // namespace strata
