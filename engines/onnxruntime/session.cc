#include "session.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "engines/plugin_inputs.h"
#include "failure.h"
#include "library.h"
#include "memory.h"
#include "run_clock.h"
#include "strata/cost/stored_precision.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata::ort {

namespace {

// An event of a profile takes 2.4 KB until the profile ends, and there is a limit of a million
// events: sessions are recreated before that.
constexpr std::size_t kMaxEvents = 50'000;

GraphOptimizationLevel level(int optimization) {
  switch (optimization) {
    case STRATA_OPT_NONE:
      return ORT_DISABLE_ALL;
    case STRATA_OPT_BASIC:
      return ORT_ENABLE_BASIC;
    case STRATA_OPT_EXTENDED:
      return ORT_ENABLE_EXTENDED;
    default:
      return ORT_ENABLE_ALL;
  }
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// `Fatal error: com.acme:Frobnicate(-1) is not a registered function/op`: which node it is.
void name_missing_operator(std::string_view text, ModelSource& source, Failure& failure) {
  const std::size_t end = text.find(") is not a registered function/op");
  if (end == text.npos) return;
  const std::size_t open = text.rfind('(', end);
  const std::size_t colon = text.rfind(':', open);
  if (open == text.npos || colon == text.npos) return;
  const std::string_view op = text.substr(colon + 1, open - colon - 1);
  const Model& model = source.model() != nullptr ? *source.model() : source.read();
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes)
      if (node.op == op) {
        failure.status = STRATA_UNSUPPORTED;
        failure.message = fmt::format("has no operator {} of domain {}, which node \"{}\" is", op,
                                      node.domain.empty() ? "ai.onnx" : node.domain, node.name);
        return;
      }
}

std::int64_t stored_bytes(const Model& model) {
  Expr total = 0;
  for (const Graph& graph : model.graphs)
    for (const Tensor& tensor : graph.tensors)
      if (tensor.data != nullptr)
        total += ceil_div(tensor.data->elements() * bits(tensor.data->dtype), 8);
  return total.number().value_or(-1);
}

}  // namespace

Session::Session(const StrataOpen& open)
    : setup_(read_setup(open)), source_(open, setup_.trace != 0) {
  environment();
  if (!source_.watched().empty()) watch_.emplace(source_.watched());
  if (timed()) folder_ = std::make_unique<ScratchFolder>(value_or_throw(ScratchFolder::create()));
  make();
  ports_.read(session_);
  if (timed()) {
    read_optimized_model();
  } else if (source_.model() != nullptr) {
    weight_bytes_ = stored_bytes(*source_.model());
  }
  source_.forget_model();
  if (!timed()) source_.forget_source();
}

Session::~Session() = default;

Ort::SessionOptions Session::options() {
  Ort::SessionOptions options;
  options.SetLogSeverityLevel(ORT_LOGGING_LEVEL_ERROR);
  options.SetGraphOptimizationLevel(level(setup_.optimization));
  options.SetExecutionMode(ORT_SEQUENTIAL);
  options.SetInterOpNumThreads(1);
  if (setup_.threads > 0) options.SetIntraOpNumThreads(setup_.threads);
  if (!setup_.spin) options.AddConfigEntry("session.intra_op.allow_spinning", "0");
  if (!source_.from_file() && !source_.folder().empty())
    options.AddConfigEntry("session.model_external_initializers_file_folder_path",
                           source_.folder().c_str());
  // Pairs of QuantizeLinear and DequantizeLinear then round, and what is between them runs as it is
  // stored: otherwise ONNX Runtime would quantize float weights between two such pairs.
  if (setup_.keep_types) options.AddConfigEntry("session.disable_quant_qdq", "1");
  for (const auto& [key, value] : setup_.config) options.AddConfigEntry(key.c_str(), value.c_str());
  if (!source_.stored().empty()) {
    std::vector<std::string> locations;
    std::vector<char*> data;
    std::vector<std::size_t> sizes;
    for (const StrataStored& part : source_.stored()) {
      locations.emplace_back(part.location);
      data.push_back(static_cast<char*>(const_cast<void*>(part.data)));
      sizes.push_back(part.bytes);
    }
    options.AddExternalInitializersFromFilesInMemory(locations, data, sizes);
  }
  // Values that are returned cannot share memory, so a memory plan would only be one more block.
  if (source_.adds_outputs()) options.DisableMemPattern();
  if (watch_) watch_->add_to(options);
  if (remembers_blocks()) trace_blocks(options);
  check_precision(add_provider(options, setup_.device, setup_.provider, setup_.precision,
                               setup_.provider_options));
  return options;
}

void Session::check_precision(bool provider_takes_it) {
  const std::string& wanted = setup_.precision;
  if (wanted.empty() || provider_takes_it || source_.model() == nullptr) return;
  const std::string_view stored = stored_precision(*source_.model());
  if (wanted != stored)
    throw Failure{STRATA_UNSUPPORTED,
                  fmt::format("computes in what a model is stored in; this one is {}, and must "
                              "be converted to {} first",
                              stored, wanted)};
  const bool on_cpu = setup_.provider.empty() || setup_.provider == "cpu";
  if (on_cpu && (setup_.device.empty() || setup_.device == "cpu") &&
      (wanted == "fp16" || wanted == "bf16"))
    throw Failure{STRATA_UNSUPPORTED,
                  fmt::format("has no {} kernels for the CPU: it casts to fp32 and back", wanted)};
}

void Session::make() {
  session_ = Ort::Session(nullptr);
  Ort::SessionOptions made_with = options();
  const bool first = timed() && trace_.fusion().kernels.empty();
  if (first) {
    // Only its names are needed, so its weights are discarded.
    std::error_code error;
    std::filesystem::create_symlink("/dev/null", *folder_ / "weights", error);
    made_with.SetOptimizedModelFilePath((*folder_ / "optimized.onnx").c_str());
    made_with.AddConfigEntry("session.optimized_model_external_initializers_file_name", "weights");
    made_with.AddConfigEntry("session.optimized_model_external_initializers_min_size_in_bytes",
                             "1024");
  }
  if (timed()) made_with.EnableProfiling((*folder_ / "profile").c_str());
  profiling_ = timed();
  runs_.clear();
  runs_in_profile_ = 0;
  try {
    if (source_.from_file())
      session_ = Ort::Session(environment(), source_.path().c_str(), made_with);
    else
      session_ =
          Ort::Session(environment(), source_.bytes().data(), source_.bytes().size(), made_with);
  } catch (const Ort::Exception& thrown) {
    Failure failure = explain(thrown);
    name_missing_operator(thrown.what(), source_, failure);
    throw failure;
  }
  if (!timed()) return;
  profile_start_ns_ = static_cast<std::int64_t>(session_.GetProfilingStartTimeNs());
  profile_clock_ = clock_of(profile_start_ns_);
}

void Session::read_optimized_model() {
  const std::string path = *folder_ / "optimized.onnx";
  const std::string bytes = contents(path);
  auto optimized = read_onnx(bytes, "the optimized model");
  if (!optimized)
    throw Failure{STRATA_FAILED, fmt::format("the model that it runs cannot be read: {}",
                                             optimized.error().message)};
  std::error_code error;
  std::filesystem::remove(path, error);
  std::filesystem::remove(*folder_ / "weights", error);
  weight_bytes_ = stored_bytes(*optimized);
  // Shapes show which reshapes change nothing; without shapes, less can be said.
  [[maybe_unused]] const auto inferred = infer(*source_.model());
  // The file does not always state all of its types.
  [[maybe_unused]] const auto types = infer(*optimized);
  Fusion fusion = assign_sources(*source_.model(), *optimized);
  events_per_run_ = std::max<std::size_t>(fusion.kernels.size(), 1);
  trace_.set_fusion(std::move(fusion));
}

void Session::bind(std::span<const StrataTensor> inputs) {
  if (const std::string mistake = input_mistake(ports_.inputs(), inputs); !mistake.empty())
    throw Failure{STRATA_WRONG_INPUT, mistake};
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  std::vector<Ort::Value> values;
  std::vector<const char*> names;
  for (const StrataTensor& input : inputs) {
    if (input.dtype == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING)
      throw Failure{STRATA_UNSUPPORTED,
                    fmt::format("input \"{}\" has strings, which cannot be given", input.name)};
    static std::int64_t nothing = 0;  // ONNX Runtime needs an address even for empty tensors
    void* data = input.data != nullptr ? const_cast<void*>(input.data) : &nothing;
    values.push_back(Ort::Value::CreateTensor(memory, data, input.bytes, input.dims,
                                              static_cast<std::size_t>(input.rank),
                                              static_cast<ONNXTensorElementDataType>(input.dtype)));
    const auto port =
        std::find_if(ports_.inputs().begin(), ports_.inputs().end(),
                     [&](const StrataPort& p) { return std::string_view(p.name) == input.name; });
    names.push_back(port->name);
  }
  inputs_ = std::move(values);
  input_names_ = std::move(names);
  bound_ = true;
}

void Session::run_once() {
  const auto& names = ports_.output_names();
  if (!bound_ && !ports_.inputs().empty())
    throw Failure{STRATA_WRONG_INPUT, input_mistake(ports_.inputs(), {})};
  if (cancelled_.exchange(false)) {
    run_options_.UnsetTerminate();
    throw Failure{STRATA_CANCELLED, "cancelled"};
  }
  outputs_.clear();
  for (std::size_t i = 0; i < names.size(); ++i) outputs_.emplace_back(nullptr);
  ++runs_in_profile_;
  try {
    session_.Run(run_options_, input_names_.data(), inputs_.data(), inputs_.size(), names.data(),
                 outputs_.data(), outputs_.size());
  } catch (const Ort::Exception&) {
    if (watch_ && watch_->ended()) throw Failure{STRATA_CANCELLED, "ended by its caller"};
    if (!cancelled_.exchange(false)) throw;
    run_options_.UnsetTerminate();
    throw Failure{STRATA_CANCELLED, "cancelled"};
  }
}

void Session::run() {
  if (profiling_ && runs_in_profile_ * events_per_run_ > kMaxEvents) renew();
  if (watch_) watch_->tell(nullptr);
  run_once();
  outputs_.clear();
}

void Session::cancel() {
  cancelled_ = true;
  run_options_.SetTerminate();
}

void Session::run_traced(StrataTrace& trace) {
  if (timed() && (!profiling_ || runs_in_profile_ * events_per_run_ > kMaxEvents)) renew();
  std::unique_ptr<BlockRecorder> recorder;
  if (remembers_blocks() && trace.on_block != nullptr) recorder = std::make_unique<BlockRecorder>();
  TracedRun run;
  run.number = traced_runs_;
  run.start_ns = monotonic_ns();
  run.profile_start_ns = clock_ns(profile_clock_);
  if (watch_) watch_->tell(&trace);
  run_once();
  run.profile_end_ns = clock_ns(profile_clock_);
  trace.start_ns = run.start_ns;
  trace.end_ns = monotonic_ns();
  trace.run = traced_runs_++;
  if (timed()) runs_.push_back(run);
  if (trace.on_output != nullptr)
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      if (!give_value(ports_.outputs()[i].name, outputs_[i].GetConst(), trace))
        throw Failure{STRATA_CANCELLED, "ended by its caller"};
  outputs_.clear();
  if (recorder)
    for (const StrataBlock& block : recorder->take())
      if (trace.on_block(trace.user, &block) != 0)
        throw Failure{STRATA_CANCELLED, "ended by its caller"};
}

void Session::collect() {
  if (!profiling_) return;
  profiling_ = false;
  Ort::AllocatorWithDefaultOptions allocator;
  const std::string path = session_.EndProfilingAllocated(allocator).get();
  const std::string profile = contents(path);
  std::error_code error;
  std::filesystem::remove(path, error);
  const std::size_t events = trace_.add(profile, profile_start_ns_, runs_);
  if (runs_in_profile_ > 0) events_per_run_ = std::max(events_per_run_, events / runs_in_profile_);
  runs_.clear();
}

// The first run of a session is slower than the rest, so it is left out of the trace.
void Session::renew() {
  collect();
  make();
  if (bound_ || ports_.inputs().empty()) run_once();
}

void Session::kernels(void* user, StrataOnKernel each) {
  collect();
  if (!trace_.give(user, each)) throw Failure{STRATA_CANCELLED, "ended by its caller"};
}

void Session::plan(void* user, StrataOnKernel each) const {
  if (!timed())
    throw Failure{STRATA_UNSUPPORTED, "tells what it runs only in sessions that trace time"};
  if (!trace_.give_plan(user, each)) throw Failure{STRATA_CANCELLED, "ended by its caller"};
}

}  // namespace strata::ort
