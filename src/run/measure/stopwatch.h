#pragma once

#include <chrono>
#include <cstdint>

#include "strata/measure/timing.h"

namespace strata {

// Seconds on the clock of the options.
class Stopwatch {
 public:
  explicit Stopwatch(const TimingOptions& options) : options_(options), start_ns_(now()) {}
  double seconds() const { return 1e-9 * static_cast<double>(now() - start_ns_); }

 private:
  std::int64_t now() const {
    if (options_.now_ns) return options_.now_ns();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  const TimingOptions& options_;
  std::int64_t start_ns_;
};

}  // namespace strata
