// Times of runs, on the clock of the contract and on the one that ONNX Runtime uses for profiles.
#pragma once

#include <time.h>

#include <cstdint>

namespace strata::ort {

inline std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

inline std::int64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }

// Finds the clock that a recent moment was taken from. Profiles use
// std::chrono::high_resolution_clock, which is the time of day in one standard library and the time
// since boot in another.
inline clockid_t clock_of(std::int64_t moment_ns) {
  const std::int64_t by_day = clock_ns(CLOCK_REALTIME) - moment_ns;
  const std::int64_t by_start = monotonic_ns() - moment_ns;
  return by_start >= 0 && (by_day < 0 || by_start < by_day) ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

}  // namespace strata::ort
