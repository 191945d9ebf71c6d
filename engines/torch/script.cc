// TorchScript modules.
#include <ATen/autocast_mode.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <set>
#include <sstream>

#include <fmt/format.h>

#include "failure.h"
#include "program.h"

namespace strata::libtorch {

namespace {

// Casts to bf16 are made by libtorch while this lives.
class Autocast {
 public:
  explicit Autocast(bool enabled) : enabled_(enabled) {
    if (!enabled_) return;
#if TORCH_VERSION_MAJOR >= 2
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    at::autocast::set_autocast_enabled(at::kCPU, true);
#else
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::set_cpu_enabled(true);
#endif
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (!enabled_) return;
    // The cache of weights that were cast is kept: the next run has the same.
    at::autocast::decrement_nesting();
#if TORCH_VERSION_MAJOR >= 2
    at::autocast::set_autocast_enabled(at::kCPU, false);
#else
    at::autocast::set_cpu_enabled(false);
#endif
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool enabled_;
};

class Script : public Program {
 public:
  Script(const torch::jit::Module& module, const ProgramOptions& options)
      : module_(module), options_(options) {
    if (options_.bf16 && options_.mode == Mode::Optimized)
      throw Failure{
          STRATA_UNSUPPORTED,
          "precision bf16: torch.jit.optimize_for_inference computes in fp32 all the same; take "
          "mode=eager or mode=frozen, or a package that was compiled in bf16"};
    module_.eval();
    if (!module_.find_method("forward"))
      throw Failure{STRATA_UNSUPPORTED, "the module has no method forward, so it cannot be run"};
    if (options_.instrumented) sites_ = instrument(module_);
    if (options_.mode == Mode::Frozen) module_ = torch::jit::freeze(module_);
    if (options_.mode == Mode::Optimized) module_ = torch::jit::optimize_for_inference(module_);
    parameters_ = parameters_of(module_.get_method("forward").function().getSchema());
  }

  const std::vector<Parameter>& parameters() const override { return parameters_; }

  void bind(std::span<const StrataTensor> inputs) override {
    std::vector<NamedTensor> tensors = tensors_of(inputs);
    name_only_input(parameters_, tensors);
    check_names(parameters_, tensors);
    arguments_.clear();
    for (const Parameter& parameter : parameters_)
      arguments_.push_back(argument(parameter, tensors));
  }

  c10::IValue run() override {
    const at::NoGradGuard no_gradients;
    // Some casts of traced modules are made by a pass of the optimizer alone.
    const torch::jit::GraphOptimizerEnabledGuard optimize(options_.mode != Mode::Eager ||
                                                          (options_.bf16 && sites_.empty()));
    const Autocast casts(options_.bf16);
    std::vector<c10::IValue> stack;
    stack.reserve(arguments_.size() + 1);
    stack.emplace_back(module_._ivalue());
    stack.insert(stack.end(), arguments_.begin(), arguments_.end());
    module_.get_method("forward").function().run(stack);
    return std::move(stack.back());
  }

  std::int64_t weight_bytes() const override {
    std::set<const void*> seen;
    std::int64_t bytes = 0;
    const auto add = [&](const at::Tensor& tensor) {
      if (tensor.has_storage() && seen.insert(tensor.storage().unsafeGetStorageImpl()).second)
        bytes += static_cast<std::int64_t>(tensor.storage().nbytes());
    };
    if (options_.mode != Mode::Eager) return -1;  // they are constants in the code
    for (const at::Tensor& tensor : module_.parameters()) add(tensor);
    for (const at::Tensor& tensor : module_.buffers()) add(tensor);
    return bytes;
  }

  Recording record(Tape& tape, decltype(StrataOpen::knows) knows) override {
    tape.events.clear();
    Recorder recorder(module_, sites_, tape, knows);
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      recorder.add_input(parameters_[i].name, arguments_[i]);
    recorder.start();
    const TapeGuard guard(tape);
    const c10::IValue output = run();
    return recorder.finish(output);
  }

 private:
  torch::jit::Module module_;
  ProgramOptions options_;
  std::vector<CallSite> sites_;
  std::vector<Parameter> parameters_;
  std::vector<c10::IValue> arguments_;
};

}  // namespace

std::unique_ptr<Program> open_script(const StrataOpen& open, const ProgramOptions& options) {
  if (open.path != nullptr)
    return std::make_unique<Script>(torch::jit::load(open.path, at::kCPU), options);
  std::istringstream bytes(std::string(static_cast<const char*>(open.model), open.model_bytes));
  return std::make_unique<Script>(torch::jit::load(bytes, at::kCPU), options);
}

}  // namespace strata::libtorch
