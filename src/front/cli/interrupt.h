// Ctrl-C, and SIGTERM as schedulers send it: the first ends the work and keeps what there
// is, the second the program.
#pragma once

#include <csignal>

#include <atomic>

namespace strata::cli {

// While it lives. One at a time.
class StopOnInterrupt {
 public:
  StopOnInterrupt();
  ~StopOnInterrupt();
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

  static const std::atomic<bool>& flag();
  static bool stopped() { return flag().load(); }

 private:
  struct sigaction before_ {
  }, before_terminate_{};
};

}  // namespace strata::cli
