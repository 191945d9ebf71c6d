// The time of a model on an engine: end to end from a session in which nothing is recorded, kernel
// by kernel from one that records. The two take turns, so that a slow moment of the machine hits
// both.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "strata/base/statistics.h"
#include "strata/engine/engine.h"
#include "strata/machine/contention.h"
#include "strata/measure/undisturbed.h"

namespace strata {

// Where the model is: in a file, or in memory.
struct ModelSource {
  std::string path;
  ModelBytes bytes = {};  // used if path is empty
};

struct TimingProgress {
  std::string_view stage;  // `opening`, `warming up`, `measuring`
  double done = 0;         // from 0 to 1
};

struct TimingOptions {
  SessionOptions session;
  int runs = 0;        // after the warm-up, alternately recorded and not; 0: limited by time
  double seconds = 3;  // if runs is 0: this long, but at least 10 of each kind
  // Number of inferences; -1: until block medians show no trend, which takes 3 to 50. If `runs` is
  // given, at most a twentieth of it.
  int warmup = -1;
  // The model is opened this many times, and each session gets an equal part of the runs, because
  // intervals describe how sessions differ. There are fewer sessions if opening takes long.
  int sessions = 5;
  bool kernels = true;  // also record where the time goes
  std::size_t nodes =
      1000;  // approximate number of kernels per run: engines remember only this many
  const std::atomic<bool>* stop = nullptr;  // set to end early with what has been measured
  // Monotonic nanoseconds; tests have their own clock. If empty, CLOCK_MONOTONIC is used.
  std::function<std::int64_t()> now_ns;
  // Seconds that this process has waited for a processor so far. If empty, the system is asked;
  // with a custom clock, waiting is taken to be zero.
  std::function<double()> waited;
  std::function<void(const TimingProgress&)> progress;
};

// One kernel over all recorded runs.
struct KernelTimes {
  Kernel kernel;  // from the first run that has it
  // One entry per recorded run; 0 in runs without it. The overhead of recording is subtracted, and
  // each run is scaled to the unrecorded median: recorded runs tell shares, unrecorded ones the
  // whole, so a slow moment of the machine does not show as time outside of kernels. For the same
  // reason, one factor for all kernels makes their medians add up to the median of their sum. The
  // time that a run waited for a processor is subtracted from the kernels that took longer than
  // their best, starting with the one that was lengthened most.
  std::vector<double> seconds;
};

// The cost of recording, per kernel, in seconds.
struct ProbeCost {
  double inside = 0;  // added to the kernel's recorded duration
  double total = 0;   // added to the run
};

struct Timing {
  double open_seconds = 0;     // -1: not known
  double first_seconds = 0;    // the first inference, on its own
  std::vector<double> warmup;  // seconds, in the first session; not part of any statistic
  // Seconds end to end of the runs that count, without waiting for a processor
  // (strata/measure/undisturbed.h): unrecorded and recorded. Sessions follow one another; the lists
  // of sessions say how many runs belong to each.
  std::vector<double> runs, recorded;
  std::vector<std::size_t> sessions, recorded_sessions;
  std::vector<double> wall, waits;   // all unrecorded runs as measured; waits may be empty
  Pace pace;                         // of the processor, around all runs
  double drift = 0;                  // how much programs differ: pace_drift
  bool waits_read = true;            // false: wall time minus processor time is used instead
  SessionCenter center;              // of `runs`
  std::vector<KernelTimes> kernels;  // in running order
  ProbeCost probe;
  std::vector<Session::Absent> absent;
  std::int64_t weight_bytes = -1;
  Contention contention;
  bool partial = false;  // ended early
};

Result<Timing> time_model(const Engine& engine, const ModelSource& model,
                          const std::vector<HostTensor>& inputs, const TimingOptions& options);

// Measured on a chain of kernels that do almost nothing: the recorded durations minus their share
// of an unrecorded run (which includes the engine's own cost between kernels, so `inside` is a
// little too small), and the recorded run minus the unrecorded one.
Result<ProbeCost> probe_cost(const Engine& engine, const TimingOptions& options);

}  // namespace strata
