// What a job of the library says while it runs, on stderr: notes, and on a terminal a line of
// progress that is written over. Ctrl-C becomes the wish to stop.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/interrupt.h"
#include "strata/base/observer.h"

namespace strata::cli {

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

// While it lives, Ctrl-C does not end the program. One at a time.
class JobDisplay {
 public:
  // `before_notes` stands before each note.
  explicit JobDisplay(std::string before_notes = "note: ");
  ~JobDisplay();
  JobDisplay(const JobDisplay&) = delete;
  JobDisplay& operator=(const JobDisplay&) = delete;

  // Refers to this object.
  Observer observer();
  bool stopped() const { return StopOnInterrupt::stopped(); }
  void clear();  // takes the line off

 private:
  using Clock = std::chrono::steady_clock;
  void show(std::string_view stage, double share);
  void print(const std::string& line);

  StopOnInterrupt interrupt_;
  std::string before_notes_, stage_;
  bool terminal_, drawn_ = false;
  bool counts_ = false;  // done_ and all_ are of the share that comes next
  std::int64_t done_ = 0, all_ = 0;
  double first_share_ = 0, share_ = 2;  // of the stage; above 1: there was none yet
  Clock::time_point start_, last_;
};

}  // namespace strata::cli
