#include "cli/job_display.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "base/display_width.h"
#include "base/visible.h"
#include "cli/advice.h"
#include "cli/complain.h"
#include "strata/base/number_text.h"

namespace strata::cli {

namespace {

// Columns of the terminal that progress is shown on; 0: not known.
std::size_t columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// `12 s left`, `3 min 20 s left`, `1 h 5 min left`
std::string left_text(double seconds) {
  const auto all = std::llround(seconds);
  if (all < 60) return fmt::format("{} s left", all);
  if (all < 3600) return fmt::format("{} min {} s left", all / 60, all % 60);
  return fmt::format("{} h {} min left", all / 3600, all / 60 % 60);
}

}  // namespace

std::string progress_line(const ProgressFacts& facts, std::size_t width) {
  constexpr std::size_t kFewest = 20, kBar = 24, kPercent = 6;
  width = width == 0 ? 1000 : std::max(width, kFewest);
  // The last column stays free: some terminals go on to the next line when it is written.
  std::string line = fmt::format("{} {:3.0f} %", start_of_width(facts.stage, width - kPercent - 1),
                                 100 * facts.share);
  const auto add = [&](const std::string& part) {
    if (display_width(line) + display_width(part) < width) line += part;
  };
  std::string bar;
  for (std::size_t i = 0; i < kBar; ++i)
    bar += static_cast<double>(i) < facts.share * static_cast<double>(kBar) ? "█" : "░";
  add(" " + bar);
  if (facts.all > 0) add(fmt::format(" {}/{}", facts.done, facts.all));
  if (facts.seconds_left >= 0) add("  " + left_text(facts.seconds_left));
  return line;
}

JobDisplay::JobDisplay(std::string before_notes)
    : before_notes_(std::move(before_notes)), terminal_(::isatty(STDERR_FILENO) != 0) {}

JobDisplay::~JobDisplay() { clear(); }

void JobDisplay::clear() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

void JobDisplay::print(const std::string& line) {
  clear();
  fmt::print(stderr, "{}\n", printable(line));
}

void JobDisplay::show(std::string_view stage, double share) {
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
  out.progress = [this](std::string_view stage, double share) { show(stage, share); };
  out.counted = [this](std::int64_t done, std::int64_t all) {
    done_ = done;
    all_ = all;
    counts_ = true;
  };
  out.note = [this](const std::string& sentence) { print(before_notes_ + sentence); };
  out.resumed = [this](const std::string& sentence) { print(sentence); };
  out.phrase = advised;
  out.stop = &StopOnInterrupt::flag();
  return out;
}

}  // namespace strata::cli
