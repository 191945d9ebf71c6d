// The processor time that this process lost to others: as a whole, and run by run.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// One line of /proc/…/schedstat.
struct SchedStat {
  std::int64_t cpu_ns = 0;   // only updated at the scheduler's tick, so it is not used
  std::int64_t wait_ns = 0;  // ready while another thread had the processor; exact once it runs
};
// nullopt if the text is something else.
std::optional<SchedStat> parse_schedstat(std::string_view text);

// Seconds that the hypervisor gave to others, summed over all processors, from the text of
// /proc/stat; -1 if it does not say. `ticks` is the number of ticks per second.
double steal_seconds(std::string_view proc_stat, double ticks);
// Share of the last ten seconds in which something waited for a processor, from the text of
// /proc/pressure/cpu; -1 if it does not say.
double pressure_share(std::string_view proc_pressure);

struct Contention {
  double wall_seconds = 0;
  double cpu_seconds = 0;        // sum over all threads; -1: not known
  std::int64_t involuntary = 0;  // context switches that others caused; -1: not known
  double wait_seconds = -1;      // sum over all threads, ready but not running; -1: cannot be read
  double steal_seconds = -1;     // for the whole machine; -1: cannot be read
  double pressure = -1;          // largest pressure_share; -1: cannot be read

  void add(const Contention& more);
  // True if the process waited for more than 5 % of the time. If waiting cannot be read: true if
  // its only thread got less than 95 % of the time, or if it was preempted more than fifty times
  // per second.
  bool disturbed(int threads) const;
};

// Waiting times of all threads of this process. The files stay open: reading one takes 1 to 2 µs.
class ThreadWaits {
 public:
  // `folder` holds one folder per thread, with a file `schedstat` in it.
  explicit ThreadWaits(std::string folder = "/proc/self/task");
  ThreadWaits(const ThreadWaits&) = delete;
  ThreadWaits& operator=(const ThreadWaits&) = delete;
  ~ThreadWaits();

  bool readable() const { return readable_; }
  std::size_t threads() const { return open_.size(); }
  // Finds threads that were started since; they are not noticed otherwise.
  void look_for_threads();
  // Seconds that all threads have waited since they were started. It never decreases, even when
  // threads end.
  double seconds();

 private:
  struct Thread {
    int fd = -1;
    std::int64_t wait_ns = 0;
  };
  std::string folder_;
  bool readable_ = false;
  std::map<std::string, Thread> open_;
  std::int64_t ended_ns_ = 0;
};

class ContentionMeter {
 public:
  ContentionMeter();  // starts measuring
  Contention stop();

 private:
  ThreadWaits waits_;
  double wall_ = 0, cpu_ = 0, wait_ = 0, steal_ = -1;
  std::int64_t involuntary_ = 0;
};

// The time that others took from each run, in seconds. Every list has one entry per run.
struct RunContention {
  // Time ready but not running, summed over all threads; if `threads` is 1, at most the wall time
  // minus the processor time. If it cannot be read (`waits_read` is false): wall time minus
  // processor time for one thread; for several threads, the whole time of any run with involuntary
  // switches. Empty: not known.
  std::vector<double> waits;
  std::vector<double> cpu;             // sum over all threads, including those that spin
  std::vector<std::int64_t> switches;  // involuntary
  std::vector<double> pace;            // the slower of the pace tests before and after (pace.h)
  bool waits_read = true;
};

// Reads the counters between runs, outside of what is timed. Runs shorter than a millisecond are
// read in groups of about a millisecond. The waiting of a group is charged to its longest runs,
// none of which becomes shorter than the shortest run so far: the rest was waited between the runs.
// The processor time of a group is shared out. The tests of the processor's pace work the same way
// and take another 40 µs per group.
class RunMeter {
 public:
  explicit RunMeter(int threads, const std::string& folder = "/proc/self/task");
  void before();            // call it right before a run
  void after(double wall);  // call it right after the run
  RunContention finish();   // for all runs since the start, or since the last finish()
  double waited() const { return waited_; }  // for single-threaded runs since then
  static constexpr double kGroupSeconds = 1e-3;

 private:
  void close_group();
  std::vector<double> charged(double wait) const;  // to each run of the group
  ThreadWaits waits_;
  int threads_;
  RunContention out_;
  std::vector<double> group_;  // wall seconds of runs that have not been read yet
  double group_seconds_ = 0, waited_ = 0;
  double shortest_ = std::numeric_limits<double>::infinity();  // wall seconds, of all runs
  double cpu_ = 0, wait_ = 0;
  double overhead_ = 0;  // processor time of the reading itself, per group
  std::int64_t switches_ = 0;
  double pace_ = 0;
};

}  // namespace strata
