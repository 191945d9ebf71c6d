// An engine in a child process. If it crashes, hangs or uses up the memory, nothing else is
// affected, and the memory of variants is kept apart.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strata/bench/child.h"
#include "strata/bench/variant.h"
#include "strata/machine/contention.h"
#include "strata/machine/machine.h"

namespace strata {

// The first byte of what a worker is asked.
enum class WorkerRequest : std::uint8_t {
  Open,
  Outputs,
  Run,
  RunAt,
  Job,  // not for a variant: the whole of a job follows (task/)
};

struct WorkerError {
  Failure failure = Failure::None;
  std::string reason;  // one sentence
};
template <typename T>
using WorkerResult = tl::expected<T, WorkerError>;

struct BlockReport {
  std::vector<double> seconds;  // of each inference
  std::vector<double> service;  // run_at: of each, without the wait in the queue; otherwise empty
  double joules = -1;           // of the whole machine meanwhile; -1: cannot be read
  Contention contention;
  RunContention runs;                     // what others took from each inference
  std::int64_t peak_resident_bytes = -1;  // so far
};

// An error with Failure::None means that `limits.stop` was set, and nothing is wrong with the
// variant.
class Worker {
 public:
  // `program` is started with the hidden command `worker`; empty: the running program. The
  // child is killed when the thread that started it ends.
  static WorkerResult<Worker> start(const Variant& variant, const WorkerLimits& limits,
                                    const std::string& program = "");
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;
  ~Worker();  // ends the child, by force if necessary

  WorkerResult<OpenReport> open();
  // Elements of all outputs for the variant's inputs.
  WorkerResult<std::vector<HostTensor>> outputs();
  // Runs `count` inferences one after the other, but stops after `max_seconds` of running, or after
  // ten times that including the time spent waiting for a processor. It answers when the engine's
  // threads are idle, because threads that still spin would disturb the next variant.
  WorkerResult<BlockReport> run(int count, double max_seconds);
  // Runs inferences requested at these moments (seconds from the start). Each time is from the
  // request to the end of the inference, so it includes the wait in the queue.
  WorkerResult<BlockReport> run_at(const std::vector<double>& moments);

 private:
  struct Child;
  explicit Worker(std::unique_ptr<Child> child);
  std::unique_ptr<Child> child_;
};

// From now on, workers of this process run this engine, whatever its name: one that lives in the
// program that calls worker_main(), and is not a plugin.
void give_engine(const StrataEngine* engine);

// The child's side: answers `request` and those that follow from `in` on `out`, until it is closed.
// Returns the exit code.
int serve_variant(std::string request, int in, int out);

}  // namespace strata
