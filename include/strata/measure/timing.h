// How long a model takes on an engine, and where: end to end from a session that
// nothing is recorded in, kernel by kernel from one that records, run by turns so that
// a slow moment of the machine hits both.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "strata/engine/engine.h"
#include "strata/measure/contention.h"
#include "strata/measure/statistics.h"
#include "strata/measure/undisturbed.h"

namespace strata {

// Where the model is: a file, or in memory.
struct ModelSource {
  std::string path;
  ModelBytes bytes = {};  // if path is empty
};

struct TimingProgress {
  std::string_view stage;  // `opening`, `warming up`, `measuring`
  double done = 0;         // from 0 to 1
};

struct TimingOptions {
  SessionOptions session;
  int runs = 0;        // inferences after the warm-up, recorded and not by turns; 0: by time
  double seconds = 3;  // if runs is 0: so long, but at least 10 of each kind
  // Inferences; -1: until block medians show no trend, 3 to 50 of them, but where runs are
  // counted a twentieth of them at most.
  int warmup = -1;
  // The model is opened so many times, for an equal part of the runs each: intervals are about
  // how sessions differ. Fewer where opening it takes long.
  int sessions = 5;
  bool kernels = true;       // also record where the time goes
  std::size_t nodes = 1000;  // about so many kernels a run: engines remember only so many
  const std::atomic<bool>* stop = nullptr;  // set to end early with what there is
  // Nanoseconds that never go back; tests have a clock of their own. Empty: CLOCK_MONOTONIC.
  std::function<std::int64_t()> now_ns;
  // Seconds that this process has waited for a processor so far. Empty: as the system tells;
  // with a clock of one's own, none.
  std::function<double()> waited;
  std::function<void(const TimingProgress&)> progress;
};

// One kernel over all recorded runs.
struct KernelTimes {
  Kernel kernel;  // of the first run that has it
  // One for each recorded run; 0 in runs without it. What recording adds is taken off, and
  // each run is scaled to the unrecorded median: recorded runs tell shares, unrecorded ones
  // the whole, so a slow moment of the machine does not show as time outside of kernels. For
  // the same reason one factor for all makes their medians add up to the median of their sum.
  // What a run waited for a processor is taken off the kernels that were longer than at their
  // best, the most lengthened first.
  std::vector<double> seconds;
};

// What recording costs, a kernel. Seconds.
struct ProbeCost {
  double inside = 0;  // of the kernel's recorded duration
  double total = 0;   // of the run
};

struct Timing {
  double open_seconds = 0;
  double first_seconds = 0;    // the first inference, on its own
  std::vector<double> warmup;  // seconds, of the first session; in no statistic
  // Seconds end to end of the runs that count, without the waiting for a processor
  // (strata/measure/undisturbed.h): nothing recorded, and recorded. One session after the
  // other; the lists of sessions say how many are of each.
  std::vector<double> runs, recorded;
  std::vector<std::size_t> sessions, recorded_sessions;
  std::vector<double> wall, waits;   // of all unrecorded runs as they were; waits may be empty
  Pace pace;                         // of the processor, around all runs
  double drift = 0;                  // by which programs differ: pace_drift
  bool waits_read = true;            // false: wall time less processor time stands for them
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

// Measured on a chain of kernels that do next to nothing: recorded durations less their
// share of an unrecorded run (which has the engine's own cost between kernels in it, so
// `inside` is rather too small), and the recorded run less the unrecorded one.
Result<ProbeCost> probe_cost(const Engine& engine, const TimingOptions& options);

}  // namespace strata
