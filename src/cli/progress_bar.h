// One line that is written over, on a terminal only.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace strata::cli {

class ProgressBar {
 public:
  ProgressBar(std::string label, std::int64_t before, std::int64_t count)
      : label_(std::move(label)),
        before_(before),
        count_(count),
        shown_(::isatty(STDERR_FILENO) != 0) {}
  ~ProgressBar() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::int64_t done) {
    const auto now = Clock::now();
    if (!shown_ || (drawn_ && now - last_ < std::chrono::milliseconds(100))) return;
    last_ = now;
    drawn_ = true;
    constexpr std::int64_t kWidth = 30;
    const auto full = static_cast<std::size_t>(
        std::clamp<std::int64_t>(kWidth * done / std::max<std::int64_t>(count_, 1), 0, kWidth));
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double rate = seconds > 0 ? static_cast<double>(done - before_) / seconds : 0;
    std::string rest;
    if (rate > 0)
      rest =
          fmt::format("  {:.3g}/s  {:.0f} s left", rate, static_cast<double>(count_ - done) / rate);
    fmt::print(stderr, "\r{} [{}{}] {}/{}{}\x1b[K", label_, std::string(full, '#'),
               std::string(kWidth - full, '.'), done, count_, rest);
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  std::int64_t before_, count_;
  bool shown_, drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_;
};

}  // namespace strata::cli
