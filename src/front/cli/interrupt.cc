#include "cli/interrupt.h"

#include <time.h>

#include <cstdint>

namespace strata::cli {

namespace {

std::atomic<bool> g_stop = false;
std::atomic<std::int64_t> g_stop_ms = 0;
// Both are set in a signal handler.
static_assert(std::atomic<bool>::is_always_lock_free);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

// One interrupt may come as several signals: to the process, to its group, and passed on.
constexpr std::int64_t kOneInterruptMs = 300;

void stop_at_signal(int signal) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t now_ms = std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
  if (!g_stop.exchange(true)) {
    g_stop_ms = now_ms;
  } else if (now_ms - g_stop_ms > kOneInterruptMs) {
    std::signal(signal, SIG_DFL);
    ::raise(signal);
  }
}

}  // namespace

StopOnInterrupt::StopOnInterrupt() {
  g_stop = false;
  struct sigaction action {};
  action.sa_handler = stop_at_signal;
  ::sigaction(SIGINT, nullptr, &before_);
  // A process that was told to ignore it goes on.
  if (before_.sa_handler != SIG_IGN) ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, &before_terminate_);
}

StopOnInterrupt::~StopOnInterrupt() {
  ::sigaction(SIGINT, &before_, nullptr);
  ::sigaction(SIGTERM, &before_terminate_, nullptr);
}

const std::atomic<bool>& StopOnInterrupt::flag() { return g_stop; }

}  // namespace strata::cli
