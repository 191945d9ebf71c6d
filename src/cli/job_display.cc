#include "cli/job_display.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "base/visible.h"
#include "cli/advice.h"
#include "cli/complain.h"

namespace strata::cli {

namespace {

// Columns of the terminal that progress is shown on; 0: not known.
std::size_t columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// At most so many bytes, and no half of a character.
std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return std::string(text.substr(0, most));
}

// A line that is broken at the end of the terminal cannot be written over: what does not fit is
// left out.
std::string progress_line(std::string_view stage, double share, double seconds_left) {
  constexpr std::size_t kFewest = 20, kBar = 30, kPercent = 7;
  const std::size_t width = columns() == 0 ? 1000 : std::max(columns(), kFewest);
  std::string line = fmt::format("{} {:3.0f} %", shortened(stage, width - kPercent), 100 * share);
  const auto full = static_cast<std::size_t>(static_cast<double>(kBar) * share);
  std::string rest = fmt::format(" [{}{}]", std::string(full, '#'), std::string(kBar - full, '.'));
  if (seconds_left >= 0) rest += fmt::format("  {:.0f} s left", seconds_left);
  if (line.size() + rest.size() < width) line += rest;
  return line;
}

}  // namespace

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
  fmt::print(stderr, "\r{}\x1b[K", progress_line(visible(stage), share, left));
  std::fflush(stderr);
}

Observer JobDisplay::observer() {
  Observer out;
  out.progress = [this](std::string_view stage, double share) { show(stage, share); };
  out.note = [this](const std::string& sentence) { print(before_notes_ + sentence); };
  out.resumed = [this](const std::string& sentence) { print(sentence); };
  out.phrase = advised;
  out.stop = &StopOnInterrupt::flag();
  return out;
}

}  // namespace strata::cli
