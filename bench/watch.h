// Wall and processor seconds. Processor seconds depend less on what else runs here.
#pragma once

#include <time.h>

#include <chrono>

namespace bench {

class Watch {
 public:
  double wall() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double processor() const { return now() - processor_; }  // of all threads

 private:
  using Clock = std::chrono::steady_clock;
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  Clock::time_point start_ = Clock::now();
  double processor_ = now();
};

}  // namespace bench
