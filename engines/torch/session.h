// One opened model, and what is done with it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program.h"
#include "settings.h"
#include "strata/engine/plugin.h"

namespace strata::libtorch {

class Session {
 public:
  explicit Session(const StrataOpen& open);

  std::span<const StrataPort> inputs() const { return inputs_; }
  std::span<const StrataPort> outputs() const { return outputs_; }  // none before a run

  void bind(std::span<const StrataTensor> inputs);
  void run();
  void run_traced(StrataTrace& trace);
  void kernels(void* user, StrataOnKernel each);
  void modules(void* user, StrataOnModuleCall each);
  void record(void* user, StrataOnText each);
  std::vector<std::pair<std::string, std::string>> absent() const;
  std::int64_t weight_bytes() const { return program_->weight_bytes(); }
  void cancel() { cancelled_ = true; }

 private:
  struct Run {
    std::uint64_t number;
    std::int64_t start_ns, end_ns;
    std::vector<Event> events;
  };

  void take_threads() const;
  void end_if_cancelled();
  const Recording& recording();
  void keep_outputs(const std::vector<NamedTensor>& outputs);
  void give_outputs(const std::vector<NamedTensor>& outputs, StrataTrace& trace);

  Settings settings_;
  std::unique_ptr<Program> program_;
  std::vector<StrataPort> inputs_, outputs_;
  std::vector<std::string> output_names_;
  bool bound_ = false;
  Tape tape_;
  std::optional<Recording> recording_;  // of the bound inputs
  std::vector<Run> runs_;               // that were traced and not yet asked for
  bool modules_given_ = false;
  std::uint64_t traced_ = 0;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace strata::libtorch
