#include "cli/job_display.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "cli/outlet.h"
#include "cli/printable.h"
#include "cli/terminal.h"
#include "manual/advice.h"

namespace strata::cli {

JobDisplay::JobDisplay(bool is_long, std::string before_notes)
    : outlet_(outlet()),
      is_long_(is_long),
      before_notes_(std::move(before_notes)),
      terminal_(outlet_ == nullptr && ::isatty(STDERR_FILENO) != 0) {
  if (is_long && outlet_ == nullptr) interrupt_.emplace();
}

bool JobDisplay::stopped() const {
  return outlet_ != nullptr ? outlet_->stop().load() : StopOnInterrupt::stopped();
}

JobDisplay::~JobDisplay() { clear(); }

void JobDisplay::clear() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

void JobDisplay::print(const std::string& line) {
  clear();
  if (outlet_ != nullptr)
    outlet_->note(line);
  else
    fmt::print(stderr, "{}\n", printable(line));
}

void JobDisplay::show(std::string_view stage, double share) {
  if (outlet_ != nullptr) outlet_->progress(stage, share);
  if (!terminal_) return;
  if (!meter_.advance(stage, share, std::chrono::steady_clock::now()) && drawn_) return;
  drawn_ = true;
  fmt::print(stderr, "\r{}\x1b[K", meter_.line(terminal_columns(STDERR_FILENO)));
  std::fflush(stderr);
}

Observer JobDisplay::observer() {
  Observer out;
  out.phrase = manual::advised;
  if (!is_long_) return out;
  out.progress = [this](std::string_view stage, double share) { show(stage, share); };
  out.counted = [this](std::int64_t done, std::int64_t all) { meter_.count(done, all); };
  out.note = [this](const std::string& sentence) { print(before_notes_ + sentence); };
  out.resumed = [this](const std::string& sentence) { print(sentence); };
  out.stop = outlet_ != nullptr ? &outlet_->stop() : &StopOnInterrupt::flag();
  return out;
}

}  // namespace strata::cli
