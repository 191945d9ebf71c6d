#include "cli/progress_line.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/display_width.h"
#include "base/visible.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

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

void ProgressMeter::count(std::int64_t done, std::int64_t all) {
  done_ = done;
  all_ = all;
  counts_ = true;
}

bool ProgressMeter::advance(std::string_view stage, double share, Time now) {
  if (!std::exchange(counts_, false)) all_ = 0;
  const bool same = stage == stage_ && std::lround(100 * share) == std::lround(100 * share_);
  if (same && now - last_ < std::chrono::milliseconds(100)) return false;
  if (share < share_) {  // the next stage; in others the name alone may change on the way
    start_ = now;
    first_share_ = share;
  }
  stage_ = stage;
  share_ = share;
  last_ = now;
  return true;
}

std::string ProgressMeter::line(std::size_t width) const {
  const double seconds = std::chrono::duration<double>(last_ - start_).count();
  const double done = share_ - first_share_;
  const std::string name = visible(stage_);
  return progress_line({name, share_, done_, all_, done > 0 ? seconds * (1 - share_) / done : -1},
                       width);
}

}  // namespace strata
