// An engine in a child process, so that one that crashes, hangs or eats the memory takes
// nothing else with it, and so that the memory of one variant is not another's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strata/measure/contention.h"
#include "strata/measure/machine.h"
#include "strata/measure/variant.h"

namespace strata {

// How a worker ended that should not have.
enum class Failure : std::uint8_t {
  None,
  Refused,      // the engine says why: an operator it lacks, a wrong input
  Crashed,      // by a signal, or it left without a word
  TimedOut,     // no answer in time; it was killed
  OutOfMemory,  // it said so, or was killed by the system for it
  WrongAnswer,  // runs, but gives another answer than the base
};
std::string_view failure_name(Failure failure);  // `crashed`

struct WorkerError {
  Failure failure = Failure::None;
  std::string reason;  // one sentence
};
template <typename T>
using WorkerResult = tl::expected<T, WorkerError>;

struct OpenReport {
  double open_seconds = 0;
  double first_seconds = 0;          // the first inference
  std::string engine;                // `onnxruntime 1.27.0`
  std::int64_t resident_bytes = -1;  // after it
};

struct BlockReport {
  std::vector<double> seconds;  // of each inference
  std::vector<double> service;  // run_at: of each, without the wait; else empty
  double joules = -1;           // of the whole machine meanwhile; -1: cannot be read
  Contention contention;
  RunContention runs;                     // what others took from each inference
  std::int64_t peak_resident_bytes = -1;  // so far
};

struct WorkerLimits {
  double timeout_seconds = 120;   // for any one answer
  std::int64_t memory_bytes = 0;  // address space; 0: no limit
  const std::atomic<bool>* stop = nullptr;
};

// An error with Failure::None: `limits.stop` was set, nothing is wrong with the variant.
class Worker {
 public:
  // `program` is started with the hidden command `worker`; empty: this very program. The
  // child is killed when the thread that started it ends.
  static WorkerResult<Worker> start(const Variant& variant, const WorkerLimits& limits,
                                    const std::string& program = "");
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;
  ~Worker();  // ends the child, by force if it must be

  WorkerResult<OpenReport> open();
  // Elements of all outputs for the variant's inputs.
  WorkerResult<std::vector<HostTensor>> outputs();
  // `count` inferences one after the other, but stops after `max_seconds` in which it really
  // ran, or ten times as long with the waiting for a processor. The answer comes
  // when the engine's threads are at rest: what spins on would disturb whoever is next.
  WorkerResult<BlockReport> run(int count, double max_seconds);
  // Inferences asked for at these moments (seconds from the start); each answer is when it
  // ended less when it was asked for: the wait in the queue is part of it.
  WorkerResult<BlockReport> run_at(const std::vector<double>& moments);

 private:
  struct Child;
  explicit Worker(std::unique_ptr<Child> child);
  std::unique_ptr<Child> child_;
};

inline constexpr int kWorkerFd = 3;  // where the child finds its end, for both directions
// The child's side: answers requests from `in` on `out` until it is closed. Exit code.
int worker_main(int in, int out);

}  // namespace strata
