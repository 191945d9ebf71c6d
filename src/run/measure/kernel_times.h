// The times of kernels in recorded runs, collected session by session and then combined.
#pragma once

#include <map>
#include <vector>

#include "strata/measure/timing.h"

namespace strata {

class KernelCollector {
 public:
  explicit KernelCollector(Timing& timing) : timing_(timing) {}

  void start_session(std::size_t recorded) { offset_ = recorded, counted_.clear(); }
  // The engine's number for the next run of this session that counts. Kernels of others are
  // dropped.
  void count_run(std::uint64_t run) { counted_.push_back(run); }
  Status collect(Session& recording);
  // A kernel whose times are known already, in place of a session's; in running order. One time per
  // recorded run.
  void add(Kernel kernel, std::vector<double> seconds);
  // Subtracts `waits` (empty: none) from the kernels of each run, keeps the runs that count, and
  // scales each to `whole`, the unrecorded time.
  void finish(const std::vector<double>& wall, const std::vector<double>& waits,
              const std::vector<bool>& counts, double whole);

 private:
  void take_off(const std::vector<double>& waits);
  Timing& timing_;
  std::map<std::uint64_t, std::size_t> places_;  // of kernels, by Kernel::index
  std::size_t offset_ = 0;                       // of this session's first run among all runs
  std::vector<std::uint64_t> counted_;           // this session's runs, ascending
  std::vector<std::size_t> events_;              // kernels in each recorded run
};

}  // namespace strata
