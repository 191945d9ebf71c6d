#include "tape.h"

#include <torch/csrc/jit/runtime/custom_operator.h>

#include "failure.h"
#include "torch_api.h"

namespace strata::libtorch {

namespace {

using torch::jit::Stack;

constexpr std::size_t kMostEvents = 20'000'000;  // of one run, 16 bytes each

thread_local Tape* current_tape = nullptr;

void enter(Stack& stack) {
  const c10::IValue input = torch::jit::pop(stack);
  const auto site = static_cast<std::int32_t>(torch::jit::pop(stack).toInt());
  if (current_tape == nullptr) return;
  if (current_tape->cancelled != nullptr && current_tape->cancelled->load())
    throw Failure{STRATA_CANCELLED, "the run was cancelled"};
  if (current_tape->events.size() >= kMostEvents)
    throw Failure{STRATA_FAILED,
                  "its run calls more modules than can be timed; a loop in it may have no end"};
  if (current_tape->listener != nullptr) current_tape->listener->enter(site, input);
  current_tape->events.push_back({now_ns(), site});
}

void leave(Stack& stack) {
  const c10::IValue output = torch::jit::pop(stack);
  if (current_tape == nullptr) return;
  current_tape->events.push_back({now_ns(), kLeave});
  if (current_tape->listener != nullptr) current_tape->listener->leave(output);
}

}  // namespace

TapeGuard::TapeGuard(Tape& tape) : before_(current_tape) { current_tape = &tape; }
TapeGuard::~TapeGuard() { current_tape = before_; }

void register_tape_operators() {
  // Never destroyed: modules may outlive the end of main.
  static const auto* const kRegistered = new torch::jit::RegisterOperators({
      torch::jit::Operator("strata::enter(int site, Any input) -> ()", enter,
                           c10::AliasAnalysisKind::CONSERVATIVE),
      torch::jit::Operator("strata::leave(Any output) -> ()", leave,
                           c10::AliasAnalysisKind::CONSERVATIVE),
  });
  (void)kRegistered;
}

}  // namespace strata::libtorch
