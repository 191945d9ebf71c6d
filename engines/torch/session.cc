#include "session.h"

#include <ATen/Parallel.h>

#include <fmt/format.h>

#include <dlfcn.h>

#include <atomic>

#include "failure.h"
#include "memory.h"

namespace strata::libtorch {

namespace {

std::unique_ptr<Program> open_program(const StrataOpen& open, const ProgramOptions& options) {
  if (open.path == nullptr && open.model_bytes == 0)
    throw Failure{STRATA_FAILED, "the model is empty"};
  const auto script = [&] { return open_script(open, options); };
  if (open.path != nullptr) {
    const FileKind kind = kind_of(open.path);
    if (kind == FileKind::Package) return open_package(open.path, options);
    if (kind == FileKind::ExportedProgram)
      throw Failure{STRATA_UNSUPPORTED,
                    "libtorch does not run exported programs; compile it, in Python: "
                    "torch._inductor.aoti_compile_and_package(torch.export.load(\"model.pt2\"), "
                    "package_path=\"compiled.pt2\")"};
  }
  try {
    return script();
  } catch (...) {
    if (explain_current().status != STRATA_UNSUPPORTED) throw;
    load_usual_operators();
  }
  return script();
}

// Debian's libtorch multiplies matrices with OpenBLAS, which has threads of its own.
void set_blas_threads(int threads) {
  static std::atomic<int> current = 0;
  if (current.exchange(threads) == threads) return;
  void* library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return;
  using SetThreads = void (*)(int);
  if (const auto set = reinterpret_cast<SetThreads>(::dlsym(library, "openblas_set_num_threads")))
    set(threads);
  ::dlclose(library);
}

std::string text_of(const RecordedModule& module) {
  const std::string path = module.path.empty() ? "(model)" : module.path;
  return module.call > 1 ? fmt::format("{}[{}]", path, module.call) : path;
}

}  // namespace

Session::Session(const StrataOpen& open) : settings_(settings_of(open)) {
  take_threads();
  try {
    program_ = settings_.package.empty() ? open_program(open, settings_.program)
                                         : open_package(settings_.package, settings_.program);
  } catch (...) {
    Failure failure = explain_current();
    const std::string file = !settings_.package.empty() ? settings_.package
                             : open.path != nullptr     ? open.path
                                                        : "";
    if (!file.empty() && failure.message.find(file) == std::string::npos)
      failure.message = fmt::format("{}: {}", file, failure.message);
    throw failure;
  }
  for (const Parameter& parameter : program_->parameters())
    if (!parameter.optional) inputs_.push_back({parameter.name.c_str(), 0, -1, nullptr, nullptr});
  tape_.cancelled = &cancelled_;
}

// Libtorch has one number of threads for the whole process.
void Session::take_threads() const {
  if (settings_.threads <= 0) return;
  if (at::get_num_threads() != settings_.threads) at::set_num_threads(settings_.threads);
  set_blas_threads(settings_.threads);
}

void Session::end_if_cancelled() {
  if (cancelled_.exchange(false)) throw Failure{STRATA_CANCELLED, "the run was cancelled"};
}

void Session::bind(std::span<const StrataTensor> inputs) {
  program_->bind(inputs);
  bound_ = true;
  recording_.reset();
}

void Session::run() {
  if (!bound_) throw Failure{STRATA_WRONG_INPUT, "no inputs are bound"};
  end_if_cancelled();
  take_threads();
  program_->run();
  end_if_cancelled();
}

void Session::keep_outputs(const std::vector<NamedTensor>& outputs) {
  if (outputs_.size() == outputs.size()) return;
  output_names_.clear();
  outputs_.clear();
  for (const NamedTensor& output : outputs) output_names_.push_back(output.name);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    outputs_.push_back({output_names_[i].c_str(), dtype_number(outputs[i].tensor.scalar_type()), -1,
                        nullptr, nullptr});
}

void Session::give_outputs(const std::vector<NamedTensor>& outputs, StrataTrace& trace) {
  for (const NamedTensor& output : outputs) {
    at::Tensor tensor = output.tensor.is_quantized() ? output.tensor.dequantize() : output.tensor;
    tensor = tensor.to(at::kCPU).contiguous();
    const StrataTensor given{output.name.c_str(),
                             dtype_number(tensor.scalar_type()),
                             static_cast<std::int32_t>(tensor.dim()),
                             tensor.sizes().data(),
                             tensor.data_ptr(),
                             static_cast<std::uint64_t>(tensor.nbytes())};
    if (trace.on_output(trace.user, &given) != 0)
      throw Failure{STRATA_CANCELLED, "the reader of the outputs ended the run"};
  }
}

const Recording& Session::recording() {
  if (!recording_) {
    Tape tape;
    tape.cancelled = &cancelled_;
    recording_ = program_->record(tape, settings_.knows);
  }
  return *recording_;
}

void Session::run_traced(StrataTrace& trace) {
  if (!bound_) throw Failure{STRATA_WRONG_INPUT, "no inputs are bound"};
  end_if_cancelled();
  take_threads();
  if (settings_.trace_time) recording();
  trace.run = traced_++;
  std::vector<StrataBlock> blocks;
  std::vector<NamedTensor> outputs;
  {
    std::optional<BlockRecorder> recorder;
    if (settings_.trace_memory && trace.on_block != nullptr) recorder.emplace(blocks);
    tape_.events.clear();
    const TapeGuard guard(tape_);
    trace.start_ns = now_ns();
    c10::IValue result = program_->run();
    trace.end_ns = now_ns();
    outputs = flattened(result);
    result = c10::IValue();
    if (trace.on_output == nullptr || cancelled_) outputs.clear();
    keep_outputs(outputs);
    if (trace.on_output != nullptr && !cancelled_) give_outputs(outputs, trace);
    outputs.clear();
  }
  end_if_cancelled();
  if (settings_.trace_time)
    runs_.push_back({trace.run, trace.start_ns, trace.end_ns, tape_.events});
  for (const StrataBlock& block : blocks)
    if (trace.on_block(trace.user, &block) != 0)
      throw Failure{STRATA_CANCELLED, "the reader of the blocks ended the run"};
}

// A segment is what runs between two events of the tape, in one call of a module; those that call
// operators are the kernels.
void Session::kernels(void* user, StrataOnKernel each) {
  const std::vector<Run> runs = std::exchange(runs_, {});
  modules_given_ = false;
  if (runs.empty()) return;
  const Recording& known = recording();
  for (const Run& run : runs) {
    if (run.events.size() != known.events.size())
      throw Failure{
          STRATA_FAILED,
          "a run took another way through the model than the run that was recorded, so its "
          "layers cannot be told apart"};
    for (const RecordedCall& method : known.idle_methods) {
      const char* source = method.name.c_str();
      StrataKernel kernel{};
      kernel.run = run.number;
      kernel.index = method.segment;
      kernel.name = source;
      kernel.op = known.modules[static_cast<std::size_t>(method.row)].type.c_str();
      kernel.provider = "cpu";
      kernel.kind = STRATA_KERNEL_COMPUTE;
      kernel.sources = &source;
      kernel.source_count = 1;
      kernel.start_ns = run.events[method.segment - 1].ns;
      kernel.duration_ns = run.events[method.segment].ns - kernel.start_ns;
      if (each(user, &kernel) != 0) return;
    }
    for (std::size_t first = 0; first < known.calls.size();) {
      const std::size_t segment = known.calls[first].segment;
      std::size_t end = first;
      std::vector<const char*> sources;
      for (; end < known.calls.size() && known.calls[end].segment == segment; ++end)
        sources.push_back(known.calls[end].name.c_str());
      const RecordedCall& last = known.calls[end - 1];
      const RecordedModule& module = known.modules[static_cast<std::size_t>(last.row)];
      const std::string name = fmt::format("{}: {}", text_of(module), sources.front());
      std::vector<std::int32_t> ranks;
      std::vector<std::int64_t> dims;
      for (const auto& shape : last.output_dims) {
        ranks.push_back(static_cast<std::int32_t>(shape.size()));
        dims.insert(dims.end(), shape.begin(), shape.end());
      }
      StrataKernel kernel{};
      kernel.run = run.number;
      kernel.index = segment;
      kernel.name = name.c_str();
      kernel.op = module.type.c_str();
      kernel.provider = "cpu";
      kernel.kind = STRATA_KERNEL_COMPUTE;
      kernel.sources = sources.data();
      kernel.source_count = sources.size();
      kernel.start_ns = segment == 0 ? run.start_ns : run.events[segment - 1].ns;
      const std::int64_t end_ns = segment < run.events.size() ? run.events[segment].ns : run.end_ns;
      kernel.duration_ns = end_ns - kernel.start_ns;
      kernel.output_count = static_cast<std::int32_t>(ranks.size());
      kernel.output_ranks = ranks.data();
      kernel.output_dims = dims.data();
      const RecordedCall& call = known.calls[first];
      // Automatic casts change the inputs of an operator before it computes, and not what it gives.
      const auto& types = settings_.program.bf16 ? call.output_types : call.input_types;
      if (!types.empty()) kernel.dtype = types[0];
      kernel.input_types = call.input_types.data();
      kernel.input_type_count = static_cast<std::int32_t>(call.input_types.size());
      kernel.output_types = last.output_types.data();
      kernel.output_type_count = static_cast<std::int32_t>(last.output_types.size());
      if (each(user, &kernel) != 0) return;
      first = end;
    }
  }
}

void Session::modules(void* user, StrataOnModuleCall each) {
  if (runs_.empty() || modules_given_) return;
  modules_given_ = true;
  const Recording& known = recording();
  for (const Run& run : runs_) {
    if (run.events.size() != known.events.size()) continue;
    // The calls in order of entry, as the recording has them; functions have no row.
    std::vector<std::pair<std::int64_t, std::int64_t>> moments(known.modules.size());
    std::vector<std::int32_t> open;
    std::size_t row = 0;
    moments[row++] = {run.start_ns, run.end_ns};
    for (const Event& event : run.events) {
      if (event.site != kLeave) {
        const bool is_call = known.has_row[static_cast<std::size_t>(event.site)];
        open.push_back(is_call ? static_cast<std::int32_t>(row) : -1);
        if (is_call) moments[row++].first = event.ns;
      } else if (!open.empty()) {
        if (open.back() >= 0) moments[static_cast<std::size_t>(open.back())].second = event.ns;
        open.pop_back();
      }
    }
    for (std::size_t i = 0; i < known.modules.size(); ++i) {
      const RecordedModule& module = known.modules[i];
      const StrataModuleCall call{run.number,  module.path.c_str(), module.type.c_str(),
                                  module.call, moments[i].first,    moments[i].second};
      if (each(user, &call) != 0) return;
    }
  }
}

void Session::record(void* user, StrataOnText each) {
  if (!bound_) throw Failure{STRATA_WRONG_INPUT, "no inputs are bound"};
  end_if_cancelled();
  take_threads();
  each(user, recording().text.c_str());
}

std::vector<std::pair<std::string, std::string>> Session::absent() const {
  std::vector<std::pair<std::string, std::string>> all;
  if (recording_)
    for (const std::string& node : recording_->idle) all.emplace_back(node, "calls no operator");
  return all;
}

}  // namespace strata::libtorch
