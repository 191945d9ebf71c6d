// The record of an instrumented module while it runs: its calls of modules, with their moments.
#pragma once

#include <ATen/core/ivalue.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace strata::libtorch {

constexpr std::int32_t kLeave = -1;

struct Event {
  std::int64_t ns;
  std::int32_t site;  // the place of the call (instrument.h), or kLeave
};

// Hears of calls as they begin and end; for the run that is recorded.
class TapeListener {
 public:
  virtual ~TapeListener() = default;
  virtual void enter(std::int32_t site, const c10::IValue& input) = 0;
  virtual void leave(const c10::IValue& output) = 0;
};

struct Tape {
  std::vector<Event> events;
  TapeListener* listener = nullptr;
  const std::atomic<bool>* cancelled = nullptr;
};

// The calls of this thread are written to `tape` while this lives.
class TapeGuard {
 public:
  explicit TapeGuard(Tape& tape);
  ~TapeGuard();
  TapeGuard(const TapeGuard&) = delete;
  TapeGuard& operator=(const TapeGuard&) = delete;

 private:
  Tape* before_;
};

// Makes the two operators known to TorchScript that write to the tape of their thread:
// strata::enter(int site, Any input) and strata::leave(Any output).
void register_tape_operators();

}  // namespace strata::libtorch
