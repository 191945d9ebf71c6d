// Variants are measured in child processes: how these end, and what they report about their start.
// strata/task/worker.h says what a program has to do to be a child.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

// How a child failed.
enum class Failure : std::uint8_t {
  None,
  Refused,      // the engine says why: an operator that it lacks, a wrong input
  Crashed,      // by a signal, or it exited without a message
  TimedOut,     // it did not answer in time and was killed
  OutOfMemory,  // it said so, or the system killed it for that
  WrongAnswer,  // it runs, but its answer differs from the base's
};
std::string_view failure_name(Failure failure);  // `crashed`

struct OpenReport {
  double open_seconds = 0;
  double first_seconds = 0;          // the first inference
  std::string engine;                // `onnxruntime 1.27.0`
  std::int64_t resident_bytes = -1;  // after the first inference
};

struct WorkerLimits {
  double timeout_seconds = 120;   // for any one answer
  std::int64_t memory_bytes = 0;  // address space; 0: no limit
  const std::atomic<bool>* stop = nullptr;
  bool trust_model = false;  // the process is not confined (docs/trust.md)
};

inline constexpr int kWorkerFd = 3;  // the child's end, for both directions

}  // namespace strata
