#include <sys/resource.h>

#include <chrono>

#include "strata/measure/machine.h"

namespace strata {

namespace {

double wall_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Usage {
  double cpu = 0;
  std::int64_t involuntary = 0;
};

Usage usage_now() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_nivcsw};
}

}  // namespace

ContentionMeter::ContentionMeter() : wall_(wall_now()) {
  const Usage usage = usage_now();
  cpu_ = usage.cpu;
  involuntary_ = usage.involuntary;
}

Contention ContentionMeter::stop() const {
  const Usage usage = usage_now();
  return {wall_now() - wall_, usage.cpu - cpu_, usage.involuntary - involuntary_};
}

bool Contention::disturbed(int threads) const {
  if (wall_seconds <= 0) return false;
  const bool starved = threads == 1 && cpu_seconds / wall_seconds < 0.95;
  return starved || static_cast<double>(involuntary) / wall_seconds > 50;
}

}  // namespace strata
