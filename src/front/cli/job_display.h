// Shows the reports of a running job on stderr: notes, and on a terminal a line of progress that is
// written over. Ctrl-C becomes the wish to stop.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "strata/base/observer.h"

namespace strata::cli {

class Outlet;

// While it lives, Ctrl-C does not end the program. One at a time.
class JobDisplay {
 public:
  // `before_notes` stands before each note. Of a job that is not long nothing is shown, and Ctrl-C
  // ends the program.
  explicit JobDisplay(bool is_long = true, std::string before_notes = "note: ");
  ~JobDisplay();
  JobDisplay(const JobDisplay&) = delete;
  JobDisplay& operator=(const JobDisplay&) = delete;

  // Refers to this object.
  Observer observer();
  // Does a job, and takes the line off.
  template <class Job, class Request>
  auto run(const Job& job, const Request& request) {
    auto outcome = job(request, observer());
    clear();
    return outcome;
  }
  bool stopped() const;
  void clear();  // takes the line off

 private:
  void show(std::string_view stage, double share);
  void print(const std::string& line);

  Outlet* const outlet_;  // null: stderr
  const bool is_long_;
  std::optional<StopOnInterrupt> interrupt_;
  std::string before_notes_;
  ProgressMeter meter_;
  bool terminal_, drawn_ = false;
};

}  // namespace strata::cli
