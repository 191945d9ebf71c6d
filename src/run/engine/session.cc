#include <utility>

#include <fmt/format.h>

#include "ops/registry.h"
#include "read/torch/operands.h"
#include "strata/engine/engine.h"

namespace strata {

namespace {

Code code_of(StrataStatus status) {
  switch (status) {
    case STRATA_UNSUPPORTED:
      return Code::EngineUnsupported;
    case STRATA_WRONG_INPUT:
      return Code::EngineWrongInput;
    case STRATA_OUT_OF_MEMORY:
      return Code::OutOfMemory;
    case STRATA_CANCELLED:
      return Code::Cancelled;
    default:  // also what a later version of the contract may have
      return Code::EngineFailed;
  }
}

tl::unexpected<Error> failed(const StrataEngine& api, StrataStatus status,
                             const StrataError& error) {
  const std::string_view message = error.message;
  return failure(code_of(status),
                 {.name = fmt::format("{} {}", api.name, api.release),
                  .detail = std::string(message.empty() ? "failed without a reason" : message)});
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> all;
  all.reserve(texts.size());
  for (const std::string& text : texts) all.push_back(text.c_str());
  return all;
}

const char* or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

Port to_port(const StrataPort& port) {
  Port out;
  out.name = port.name;
  out.dtype = dtype_from_onnx(port.dtype).value_or(DType::Undefined);
  out.ranked = port.rank >= 0;
  for (std::int32_t i = 0; i < port.rank; ++i) {
    out.dims.push_back(port.dims[i]);
    const char* symbol = port.symbols != nullptr ? port.symbols[i] : nullptr;
    out.symbols.emplace_back(symbol != nullptr ? symbol : "");
  }
  return out;
}

HostTensor to_host(const StrataTensor& tensor) {
  HostTensor out;
  out.name = tensor.name;
  out.dtype = dtype_from_onnx(tensor.dtype).value_or(DType::Undefined);
  out.dims.assign(tensor.dims, tensor.dims + tensor.rank);
  const auto* bytes = static_cast<const std::byte*>(tensor.data);
  out.data.assign(bytes, bytes + tensor.bytes);
  return out;
}

Kernel to_kernel(const StrataKernel& kernel) {
  Kernel out;
  out.run = kernel.run;
  out.index = kernel.index;
  out.name = kernel.name;
  out.op = kernel.op;
  out.provider = kernel.provider;
  out.kind = static_cast<KernelKind>(kernel.kind);
  out.sources.assign(kernel.sources, kernel.sources + kernel.source_count);
  out.start_ns = kernel.start_ns;
  out.duration_ns = kernel.duration_ns;
  const std::int64_t* dims = kernel.output_dims;
  for (std::int32_t i = 0; i < kernel.output_count; ++i) {
    out.output_dims.emplace_back(dims, dims + kernel.output_ranks[i]);
    dims += kernel.output_ranks[i];
  }
  const auto type = [](std::int32_t number) {
    return dtype_from_onnx(number).value_or(DType::Undefined);
  };
  out.dtype = type(kernel.dtype);
  for (std::int32_t i = 0; i < kernel.input_type_count; ++i)
    out.input_types.push_back(type(kernel.input_types[i]));
  for (std::int32_t i = 0; i < kernel.output_type_count; ++i)
    out.output_types.push_back(type(kernel.output_types[i]));
  return out;
}

// True if there is a rule for an operator of PyTorch.
int has_rule(const char* target) {
  const torch::Operator op = torch::operator_of(target);
  constexpr int kVersion = 1;  // PyTorch's operators have one
  return find_rule(op.domain, op.op, kVersion) != nullptr ? 1 : 0;
}

int add_kernel(void* user, const StrataKernel* kernel) {
  static_cast<std::vector<Kernel>*>(user)->push_back(to_kernel(*kernel));
  return 0;
}

}  // namespace

Engine Engine::from(const StrataEngine* api, std::string plugin, std::shared_ptr<void> library) {
  Engine engine;
  engine.api_ = api;
  engine.plugin_ = std::move(plugin);
  engine.library_ = std::move(library);
  return engine;
}

std::vector<Engine::Device> Engine::devices() const {
  std::vector<Device> all;
  api_->devices(&all, [](void* user, const char* name, const char* note) {
    static_cast<std::vector<Device>*>(user)->push_back({name, note != nullptr ? note : ""});
    return 0;
  });
  return all;
}

Status Engine::probe(const std::string& device, const std::string& precision) const {
  StrataError error{};
  const StrataStatus status = api_->probe(device.c_str(), precision.c_str(), &error);
  if (status != STRATA_OK) return failed(*api_, status, error);
  return {};
}

Result<Session> Engine::open(const std::string& path, const SessionOptions& options) const {
  StrataOpen open{};
  open.path = path.c_str();
  return this->open(open, options);
}

Result<Session> Engine::open(const ModelBytes& model, const SessionOptions& options) const {
  StrataOpen open{};
  open.model = model.model.data();
  open.model_bytes = model.model.size();
  std::vector<StrataStored> stored;
  for (const ModelBytes::Stored& part : model.stored)
    stored.push_back({part.location.c_str(), part.bytes.data(), part.bytes.size()});
  open.stored = stored.data();
  open.stored_count = stored.size();
  return this->open(open, options);
}

Result<Session> Engine::open(StrataOpen& open, const SessionOptions& options) const {
  open.size = sizeof open;
  open.device = or_null(options.device);
  open.provider = or_null(options.provider);
  open.precision = or_null(options.precision);
  open.threads = options.threads;
  open.optimization = options.optimization;
  open.trace = 0;
  if (options.trace_time) open.trace |= STRATA_TRACE_TIME;
  if (options.trace_memory) open.trace |= STRATA_TRACE_MEMORY;
  const std::vector<const char*> fetch = pointers(options.fetch);
  open.fetch = fetch.data();
  open.fetch_count = fetch.size();
  open.fetch_early = options.fetch_early ? 1 : 0;
  open.keep_types = options.keep_types ? 1 : 0;
  const std::vector<const char*> own = pointers(options.options);
  open.options = own.data();
  open.option_count = own.size();
  open.knows = has_rule;
  StrataSession* session = nullptr;
  StrataError error{};
  const StrataStatus status = api_->open(&open, &session, &error);
  if (status != STRATA_OK) return failed(*api_, status, error);
  return Session(api_, session, library_);
}

Session::Session(Session&& other) noexcept
    : api_(other.api_),
      session_(std::exchange(other.session_, nullptr)),
      library_(std::move(other.library_)),
      bound_(std::move(other.bound_)) {}

Session& Session::operator=(Session&& other) noexcept {
  std::swap(api_, other.api_);
  std::swap(session_, other.session_);
  std::swap(library_, other.library_);
  std::swap(bound_, other.bound_);
  return *this;
}

Session::~Session() {
  if (session_ != nullptr) api_->close(session_);
}

std::vector<Port> Session::inputs() const {
  std::vector<Port> ports;
  for (std::uint64_t i = 0; i < api_->input_count(session_); ++i)
    ports.push_back(to_port(*api_->input(session_, i)));
  return ports;
}

std::vector<Port> Session::outputs() const {
  std::vector<Port> ports;
  for (std::uint64_t i = 0; i < api_->output_count(session_); ++i)
    ports.push_back(to_port(*api_->output(session_, i)));
  return ports;
}

Status Session::bind(std::vector<HostTensor> inputs) {
  std::vector<StrataTensor> tensors;
  tensors.reserve(inputs.size());
  for (const HostTensor& input : inputs)
    tensors.push_back({input.name.c_str(), static_cast<std::int32_t>(input.dtype),
                       static_cast<std::int32_t>(input.dims.size()), input.dims.data(),
                       input.data.data(), input.data.size()});
  StrataError error{};
  const StrataStatus status = api_->bind(session_, tensors.data(), tensors.size(), &error);
  if (status != STRATA_OK) return failed(*api_, status, error);
  bound_ = std::move(inputs);
  return {};
}

Status Session::run() {
  StrataError error{};
  const StrataStatus status = api_->run(session_, &error);
  if (status != STRATA_OK) return failed(*api_, status, error);
  return {};
}

Result<strata::Trace> Session::run_traced(const Wanted& wanted) {
  Trace out;
  StrataTrace trace{};
  trace.user = &out;
  if (wanted.blocks)
    trace.on_block = [](void* user, const StrataBlock* block) {
      static_cast<Trace*>(user)->blocks.push_back(*block);
      return 0;
    };
  if (wanted.outputs)
    trace.on_output = [](void* user, const StrataTensor* tensor) {
      static_cast<Trace*>(user)->outputs.push_back(to_host(*tensor));
      return 0;
    };
  StrataError error{};
  const StrataStatus status = api_->run_traced(session_, &trace, &error);
  if (status != STRATA_OK) return failed(*api_, status, error);
  out.run = trace.run;
  out.start_ns = trace.start_ns;
  out.end_ns = trace.end_ns;
  if (!wanted.kernels) return out;
  auto all = kernels();
  if (!all) return failure(all);
  for (Kernel& kernel : *all)
    if (kernel.run == out.run) out.kernels.push_back(std::move(kernel));
  return out;
}

Result<std::vector<Kernel>> Session::kernels() {
  std::vector<Kernel> all;
  StrataError error{};
  const StrataStatus status = api_->kernels(session_, &all, add_kernel, &error);
  if (status != STRATA_OK) return failed(*api_, status, error);
  return all;
}

Result<std::vector<Kernel>> Session::plan() {
  if (api_->plan == nullptr)
    return failure(
        fmt::format("{} {}: cannot tell what it runs before it does", api_->name, api_->release));
  std::vector<Kernel> all;
  StrataError error{};
  const StrataStatus status = api_->plan(session_, &all, add_kernel, &error);
  if (status != STRATA_OK) return failed(*api_, status, error);
  return all;
}

Result<std::string> Session::record() {
  std::string text;
  StrataError error{};
  if (api_->record == nullptr)
    return failure(Code::EngineUnsupported,
                   {.name = api_->name, .detail = "it does not record what a model does"});
  const auto take = [](void* user, const char* part) {
    *static_cast<std::string*>(user) += part;
    return 0;
  };
  const StrataStatus status = api_->record(session_, &text, take, &error);
  if (status != STRATA_OK) return failed(*api_, status, error);
  return text;
}

Result<std::vector<ModuleCall>> Session::modules() {
  std::vector<ModuleCall> all;
  if (api_->modules == nullptr) return all;
  StrataError error{};
  const StrataStatus status = api_->modules(
      session_, &all,
      [](void* user, const StrataModuleCall* call) {
        static_cast<std::vector<ModuleCall>*>(user)->push_back(
            {call->run, call->path, call->type, call->call, call->enter_ns, call->exit_ns});
        return 0;
      },
      &error);
  if (status != STRATA_OK) return failed(*api_, status, error);
  return all;
}

Status Session::visit_kernels(const std::function<void(const StrataKernel&)>& each) {
  auto visit = each;
  StrataError error{};
  const StrataStatus status = api_->kernels(
      session_, &visit,
      [](void* user, const StrataKernel* kernel) {
        (*static_cast<std::function<void(const StrataKernel&)>*>(user))(*kernel);
        return 0;
      },
      &error);
  if (status != STRATA_OK) return failed(*api_, status, error);
  return {};
}

Status Session::run_visiting(const std::function<bool(const StrataTensor&)>& each) {
  return run_visiting(
      [&](const StrataTensor& tensor, const EngineThreads&) { return each(tensor); });
}

Status Session::run_visiting(
    const std::function<bool(const StrataTensor&, const EngineThreads&)>& each) {
  struct Visit {
    const std::function<bool(const StrataTensor&, const EngineThreads&)>& each;
    StrataTrace trace;
  } visit{each, {}};
  visit.trace.user = &visit;
  visit.trace.on_output = [](void* user, const StrataTensor* tensor) {
    const auto& [told, trace] = *static_cast<const Visit*>(user);
    return told(*tensor, EngineThreads(trace)) ? 0 : 1;
  };
  StrataError error{};
  const StrataStatus status = api_->run_traced(session_, &visit.trace, &error);
  if (status != STRATA_OK) return failed(*api_, status, error);
  return {};
}

void EngineThreads::run(std::size_t count, const std::function<void(std::size_t)>& each) const {
  if (!there() || count < 2) {
    for (std::size_t i = 0; i < count; ++i) each(i);
    return;
  }
  auto call = each;
  trace_.parallel(
      &trace_, count,
      [](void* user, std::uint64_t number) {
        (*static_cast<std::function<void(std::size_t)>*>(user))(number);
      },
      &call);
}

std::vector<Session::Absent> Session::absent() const {
  std::vector<Absent> all;
  api_->absent(session_, &all, [](void* user, const char* name, const char* note) {
    static_cast<std::vector<Absent>*>(user)->push_back({name, note != nullptr ? note : ""});
    return 0;
  });
  return all;
}

std::int64_t Session::weight_bytes() const { return api_->weight_bytes(session_); }
void Session::cancel() { api_->cancel(session_); }

}  // namespace strata
