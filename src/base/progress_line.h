// How far a job is, as a line of a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

struct ProgressFacts {
  std::string_view stage;
  double share = 0;                // of the stage
  std::int64_t done = 0, all = 0;  // pieces; no count if `all` is 0
  double seconds_left = -1;        // below 0: not known
};
// `calibrating  50 % ████████████░░░░░░░░░░░░ 50/100  12 s left`. A line that is broken at the end
// of the terminal cannot be written over: what does not fit into `width` columns is left out. 0: as
// wide as it gets.
std::string progress_line(const ProgressFacts& facts, std::size_t width);

}  // namespace strata
