// How much of the processor this process had to leave to others: as a whole, and run by run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// One line of /proc/…/schedstat.
struct SchedStat {
  std::int64_t cpu_ns = 0;   // brought up to date only by the scheduler's tick: not used
  std::int64_t wait_ns = 0;  // ready to run, but another had the processor; exact once it runs
};
// nullopt: it is something else.
std::optional<SchedStat> parse_schedstat(std::string_view text);

// Seconds that the hypervisor gave to others, summed over all processors, from the text of
// /proc/stat; -1: not told. `ticks` is how many there are a second.
double steal_seconds(std::string_view proc_stat, double ticks);
// Share of the last ten seconds in which something waited for a processor, from the text of
// /proc/pressure/cpu; -1: not told.
double pressure_share(std::string_view proc_pressure);

struct Contention {
  double wall_seconds = 0;
  double cpu_seconds = 0;        // of all threads
  std::int64_t involuntary = 0;  // context switches that others caused
  double wait_seconds = -1;      // of all threads, ready but not running; -1: cannot be read
  double steal_seconds = -1;     // of the whole machine; -1: cannot be read
  double pressure = -1;          // largest pressure_share; -1: cannot be read

  void add(const Contention& more);
  // A process that waited for more than 5 % of the time. Where waiting cannot be read: one
  // whose only thread got less than 95 % of it, or that was pushed aside more than fifty
  // times a second.
  bool disturbed(int threads) const;
};

// Waiting times of all threads of this process. Files stay open: reading one takes 1 to 2 µs.
class ThreadWaits {
 public:
  // `folder` holds a folder for each thread with a file `schedstat` in it.
  explicit ThreadWaits(std::string folder = "/proc/self/task");
  ThreadWaits(const ThreadWaits&) = delete;
  ThreadWaits& operator=(const ThreadWaits&) = delete;
  ~ThreadWaits();

  bool readable() const { return readable_; }
  std::size_t threads() const { return open_.size(); }
  // Threads that have been started since are found here, and not before.
  void look_for_threads();
  // Seconds that all of them have waited since they were started; never goes back, also when
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
  ContentionMeter();  // starts
  Contention stop();

 private:
  ThreadWaits waits_;
  double wall_ = 0, cpu_ = 0, wait_ = 0, steal_ = -1;
  std::int64_t involuntary_ = 0;
};

// What others took from each run. All lists are as long as the runs; seconds.
struct RunContention {
  // Ready but not running, summed over all threads and at most what the wall time leaves
  // beside the processor time where `threads` is 1. Where it cannot be read (`waits_read` is
  // false): wall time less processor time for one thread; for several, all of the time of a
  // run with involuntary switches. Empty: not known.
  std::vector<double> waits;
  std::vector<double> cpu;             // of all threads, those that spin included
  std::vector<std::int64_t> switches;  // involuntary
  std::vector<double> pace;            // the slower of the pace tests before and after (pace.h)
  bool waits_read = true;
};

// Reads between runs, outside of what is timed. Runs below a millisecond are read in groups
// of about a millisecond; what a group waited is booked on its longest run, and its processor
// time and switches are shared out. So it is with the tests of the processor's pace, which
// take another 40 µs a group.
class RunMeter {
 public:
  explicit RunMeter(int threads, const std::string& folder = "/proc/self/task");
  void before();            // a run starts right after
  void after(double wall);  // it has ended just before
  RunContention finish();   // of all runs since the start, or since the last finish()
  double waited() const { return waited_; }  // by the runs of one thread since then
  static constexpr double kGroupSeconds = 1e-3;

 private:
  void close_group();
  ThreadWaits waits_;
  int threads_;
  RunContention out_;
  std::vector<double> group_;  // wall seconds of runs that are not read yet
  double group_seconds_ = 0, waited_ = 0;
  double cpu_ = 0, wait_ = 0;
  double overhead_ = 0;  // processor time of the reading itself, a group
  std::int64_t switches_ = 0;
  double pace_ = 0;
};

}  // namespace strata
