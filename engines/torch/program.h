// A model that libtorch runs: a TorchScript module, or what AOTInductor compiled.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arguments.h"
#include "recorder.h"
#include "strata/engine/plugin.h"
#include "tape.h"

namespace strata::libtorch {

// TorchScript's ways to run a module.
enum class Mode { Eager, Frozen, Optimized };

struct ProgramOptions {
  Mode mode = Mode::Eager;
  bool instrumented = false;  // write calls of modules to the tape
  bool bf16 = false;          // by automatic casts
};

class Program {
 public:
  virtual ~Program() = default;
  virtual const std::vector<Parameter>& parameters() const = 0;
  virtual void bind(std::span<const StrataTensor> inputs) = 0;
  virtual c10::IValue run() = 0;
  virtual std::int64_t weight_bytes() const = 0;  // -1: not known
  // Runs it once, and writes down what happens; of programs that are instrumented.
  virtual Recording record(Tape& tape, decltype(StrataOpen::knows) knows) = 0;
};

// The model of `open`, a file or bytes.
std::unique_ptr<Program> open_script(const StrataOpen& open, const ProgramOptions& options);
std::unique_ptr<Program> open_package(const std::string& path, const ProgramOptions& options);

}  // namespace strata::libtorch
