#include "cli/job_display.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "base/printable.h"
#include "base/progress_line.h"
#include "base/visible.h"
#include "cli/complain.h"
#include "cli/outlet.h"
#include "manual/advice.h"

namespace strata::cli {

namespace {

// Columns of the terminal that progress is shown on; 0: not known.
std::size_t columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

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
  if (!std::exchange(counts_, false)) all_ = 0;
  const auto now = Clock::now();
  const bool same = stage == stage_ && std::lround(100 * share) == std::lround(100 * share_);
  if (drawn_ && same && now - last_ < std::chrono::milliseconds(100)) return;
  if (share < share_) {  // the next stage; in others the name alone may change on the way
    start_ = now;
    first_share_ = share;
  }
  stage_ = stage;
  share_ = share;
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double left = share > first_share_ ? seconds * (1 - share) / (share - first_share_) : -1;
  const std::string name = visible(stage);
  const ProgressFacts facts{name, share, done_, all_, left};
  fmt::print(stderr, "\r{}\x1b[K", progress_line(facts, columns()));
  std::fflush(stderr);
}

Observer JobDisplay::observer() {
  Observer out;
  if (!is_long_) return out;
  out.progress = [this](std::string_view stage, double share) { show(stage, share); };
  out.counted = [this](std::int64_t done, std::int64_t all) {
    done_ = done;
    all_ = all;
    counts_ = true;
  };
  out.note = [this](const std::string& sentence) { print(before_notes_ + sentence); };
  out.resumed = [this](const std::string& sentence) { print(sentence); };
  out.phrase = manual::advised;
  out.stop = outlet_ != nullptr ? &outlet_->stop() : &StopOnInterrupt::flag();
  return out;
}

}  // namespace strata::cli
