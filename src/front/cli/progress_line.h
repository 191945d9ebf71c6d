// The progress of a job, as a line of a terminal.
#pragma once

#include <chrono>
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

// Follows a job for its line.
class ProgressMeter {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // States the share that comes next as a number of pieces.
  void count(std::int64_t done, std::int64_t all);
  // False if the line says the same as a moment before.
  bool advance(std::string_view stage, double share, Time now);
  std::string line(std::size_t width) const;

 private:
  std::string stage_;
  bool counts_ = false;  // done_ and all_ are of the share that comes next
  std::int64_t done_ = 0, all_ = 0;
  double first_share_ = 0, share_ = 2;  // of the stage; above 1: there was none yet
  Time start_, last_;
};

}  // namespace strata
