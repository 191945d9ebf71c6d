// An engine that computes nothing: its results follow from the model, the inputs and its options
// alone. Tests of measuring run on it, and a new engine starts as a copy of it.
//
// Every node is a kernel. A kernel lasts 1 µs, and 1 ns for each 10 FLOP and each 10 bytes
// that strata counts for its nodes; unknown counts add nothing. That is divided by the
// threads, and by 2 for fp16 and bf16, by 4 for int8. From STRATA_OPT_BASIC on, an
// activation or BatchNormalization belongs to the kernel that makes its only input.
// Elements of outputs are numbers drawn from a hash of the inputs' bytes.
//
// No run takes real time, unless options say so. Each run advances a clock that starts at 0 and
// that its trace shows.
//
// Its options are in options.h. STRATA_FAKE_PROBE in the environment says how trying out a
// precision fails: crash, hang. STRATA_FAKE_PLAN=none makes it an engine that cannot list its
// kernels before a run.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "engines/plugin_inputs.h"
#include "network.h"
#include "options.h"
#include "strata/cost/cost.h"
#include "strata/engine/plugin.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace {

using namespace strata;

StrataStatus fail(StrataError* error, StrataStatus status, std::string_view message) {
  const std::size_t length = std::min(message.size(), sizeof error->message - 1);
  std::memcpy(error->message, message.data(), length);
  error->message[length] = 0;
  return status;
}

struct OwnPort {
  std::string name;
  std::vector<std::int64_t> dims;
  std::vector<std::string> symbols;
  std::vector<const char*> symbol_pointers;
  StrataPort port{};
};

}  // namespace

struct StrataSession {
  std::string bytes;  // of the model's file, without weights outside it
  Model model;        // for the bound inputs' shapes
  fake::Options options;
  double speed = 1;
  std::int32_t dtype = 0;  // the type that it was asked to compute in; 0: as stored
  bool fuse = false;
  std::uint32_t trace = 0;
  std::vector<OwnPort> inputs, outputs;
  std::vector<StrataPort> input_table;
  std::vector<TensorId> output_ids;
  std::uint64_t input_hash = 0;
  fake::Plan plan;

  std::vector<fake::KernelTime> recorded;
  std::vector<fake::ModuleTime> modules;  // of the same runs
  std::int64_t runs = 0, own_clock = 0;
  std::uint64_t traced_runs = 0;
  std::atomic<bool> cancelled = false;

  std::int64_t& clock() { return options.clock != nullptr ? *options.clock : own_clock; }
};

namespace {

// ----- opening

void make_port(const Tensor& tensor, OwnPort& out) {
  out.name = tensor.name;
  for (const Expr& dim : tensor.type.dims) {
    out.dims.push_back(dim.number().value_or(-1));
    out.symbols.push_back(dim.is_formula() ? dim.text() : "");
  }
  for (const std::string& symbol : out.symbols) out.symbol_pointers.push_back(symbol.c_str());
  out.port = {out.name.c_str(), static_cast<std::int32_t>(tensor.type.dtype),
              tensor.type.ranked ? static_cast<std::int32_t>(out.dims.size()) : -1, out.dims.data(),
              out.symbol_pointers.data()};
}

std::string add_outputs(StrataSession& session, const StrataOpen& open) {
  const Graph& graph = session.model.graph();
  std::vector<TensorId> ids = graph.outputs;
  for (std::uint64_t i = 0; i < open.fetch_count; ++i) {
    TensorId id = 0;
    while (id < graph.tensors.size() && graph.tensors[id].name != open.fetch[i]) ++id;
    if (id == graph.tensors.size())
      return fmt::format("the model has no value \"{}\" to fetch", open.fetch[i]);
    ids.push_back(id);
  }
  session.outputs.resize(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) make_port(graph.tensors[ids[i]], session.outputs[i]);
  session.output_ids = std::move(ids);
  return "";
}

// Reads the model and infers its shapes, from these input shapes if they are given.
Result<Inference> load(StrataSession& session, const InferOptions& shapes) {
  auto model = read_onnx(session.bytes, "the model");
  if (!model) return failure(model);
  auto inference = infer(*model, shapes);
  if (!inference) return inference;
  session.model = std::move(*model);
  session.plan = fake::plan_kernels(session.model, session.fuse);
  return inference;
}

StrataStatus open_session(const StrataOpen* open, StrataSession** out, StrataError* error) {
  const std::string_view device = open->device != nullptr ? open->device : "cpu";
  const std::string_view precision = open->precision != nullptr ? open->precision : "fp32";
  if (device != "cpu")
    return fail(error, STRATA_UNSUPPORTED, fmt::format("no device \"{}\"; there is cpu", device));
  if (open->provider != nullptr)
    return fail(error, STRATA_UNSUPPORTED,
                fmt::format("no provider \"{}\"; there is none to choose", open->provider));
  auto session = std::make_unique<StrataSession>();
  if (std::string mistake = fake::parse_options(*open, session->options); !mistake.empty())
    return fail(error, STRATA_UNSUPPORTED, mistake);
  if (session->options.fail == "unsupported")
    return fail(error, STRATA_UNSUPPORTED, "no kernels for anything, as asked for");
  session->speed = precision == "int8" ? 4 : precision == "fp32" ? 1 : 2;
  if (session->speed == 2 && precision != "fp16" && precision != "bf16")
    return fail(error, STRATA_UNSUPPORTED,
                fmt::format("no precision \"{}\"; there are fp32, fp16, bf16, int8", precision));
  if (open->precision != nullptr) session->dtype = fake::dtype_of(precision);
  session->speed *= std::max(open->threads, 1);
  session->fuse = open->optimization >= STRATA_OPT_BASIC;
  session->trace = open->trace;

  if (open->path != nullptr) {
    std::ifstream file(open->path, std::ios::binary);
    if (!file) return fail(error, STRATA_FAILED, fmt::format("cannot read {}", open->path));
    session->bytes.assign(std::istreambuf_iterator<char>(file), {});
  } else {
    session->bytes.assign(static_cast<const char*>(open->model), open->model_bytes);
  }
  const auto inference = load(*session, {});
  if (!inference) return fail(error, STRATA_FAILED, inference.error().message);
  if (!inference->unsupported.empty()) {
    const std::string& op = inference->unsupported.front();
    for (const Graph& graph : session->model.graphs)
      for (const Node& node : graph.nodes)
        if (op.ends_with(node.op))
          return fail(error, STRATA_UNSUPPORTED,
                      fmt::format("has no operator {}, which node \"{}\" is", op, node.name));
  }
  const Graph& graph = session->model.graph();
  session->inputs.resize(graph.inputs.size());
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    make_port(graph.tensors[graph.inputs[i]], session->inputs[i]);
    session->input_table.push_back(session->inputs[i].port);
  }
  if (std::string mistake = add_outputs(*session, *open); !mistake.empty())
    return fail(error, STRATA_WRONG_INPUT, mistake);
  *out = session.release();
  return STRATA_OK;
}

StrataStatus bind(StrataSession* session, const StrataTensor* inputs, std::uint64_t count,
                  StrataError* error) {
  const std::string mistake = input_mistake(session->input_table, {inputs, count});
  if (!mistake.empty()) return fail(error, STRATA_WRONG_INPUT, mistake);
  InferOptions shapes;
  std::uint64_t hash = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Dims dims;
    for (std::int32_t axis = 0; axis < inputs[i].rank; ++axis) dims.push_back(inputs[i].dims[axis]);
    shapes.input_shapes.emplace_back(inputs[i].name, dims);
    // Summed, so that the order in which they are given does not matter.
    hash += fake::hash_bytes({static_cast<const char*>(inputs[i].data), inputs[i].bytes},
                             fake::hash_bytes(inputs[i].name, 1));
  }
  if (const auto inference = load(*session, shapes); !inference)
    return fail(error, STRATA_WRONG_INPUT, inference.error().message);
  session->input_hash = hash + (session->options.answer == "wrong" ? 1 : 0);
  return STRATA_OK;
}

// ----- running

// In (0, 2): 1 without noise.
double factor(const StrataSession& session, std::uint64_t kernel) {
  double result = 1;
  if (session.runs < session.options.warmup)
    result += 1 - static_cast<double>(session.runs) / static_cast<double>(session.options.warmup);
  const std::uint64_t number = fake::mixed(
      fake::mixed(session.options.seed * 0x10001 + static_cast<std::uint64_t>(session.runs)) +
      kernel);
  const double even = static_cast<double>(number >> 11) * 0x1p-52 - 1;  // [-1, 1)
  return result * (1 + session.options.noise * even);
}

StrataStatus misbehave(StrataSession& session, StrataError* error) {
  const std::string& way = session.options.fail;
  if (way.empty() || session.runs != session.options.fail_at) return STRATA_OK;
  ++session.runs;
  if (way == "oom")
    return fail(error, STRATA_OUT_OF_MEMORY, "no memory for a tensor, as asked for");
  if (way == "crash") std::abort();
  if (way == "eat")
    for (std::vector<std::unique_ptr<char[]>> taken;;)
      std::memset(taken.emplace_back(new char[1 << 26]).get(), 1, 1 << 26);
  if (way == "hang")
    while (!session.cancelled) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  else
    return fail(error, STRATA_FAILED, "failed, as asked for");
  return STRATA_OK;
}

void spin(std::int64_t ns) {
  if (ns == 0) return;
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
  while (std::chrono::steady_clock::now() < end) {
  }
}

// Each step needs the result of the previous one, so it takes the same number of cycles whatever
// else the processor does.
void burn(std::int64_t steps) {
  std::uint64_t number = 1;
  for (std::int64_t i = 0; i < steps; ++i) {
    number = number * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(number));
  }
}

void walk(std::int64_t bytes) {
  constexpr std::size_t kLine = 64 / sizeof(std::uint64_t);
  static thread_local std::vector<std::uint64_t> memory((768 << 10) / sizeof(std::uint64_t), 1);
  std::uint64_t sum = 0;
  std::size_t at = 0;
  for (std::int64_t done = 0; done < bytes; done += 64) {
    sum += memory[at];
    at = at + kLine < memory.size() ? at + kLine : 0;
  }
  asm volatile("" : : "r"(sum));
}

// Calls `each(kernel number, start, duration)` and moves the clock.
template <class Each>
StrataStatus run_kernels(StrataSession& session, std::int64_t probe_ns, StrataError* error,
                         const Each& each) {
  const StrataStatus status = misbehave(session, error);
  if (status != STRATA_OK) return status;
  if (session.cancelled.exchange(false)) return fail(error, STRATA_CANCELLED, "cancelled");
  spin(session.options.spin_ns);
  burn(session.options.burn);
  walk(session.options.walk_bytes);
  session.clock() += session.options.outside_ns / 2;
  for (std::size_t i = 0; i < session.plan.kernels.size(); ++i) {
    const fake::KernelPlan& kernel = session.plan.kernels[i];
    const double usual = 1000 + (kernel.flops / 10 + kernel.bytes / 10) / session.speed;
    std::int64_t duration = std::llround(usual * factor(session, i)) + probe_ns;
    if (i == static_cast<std::size_t>(session.runs) % session.plan.kernels.size())
      duration += session.options.cut_ns;
    each(i, session.clock(), duration);
    session.clock() += duration;
  }
  session.clock() += session.options.outside_ns - session.options.outside_ns / 2;
  ++session.runs;
  return STRATA_OK;
}

StrataStatus run(StrataSession* session, StrataError* error) {
  return run_kernels(*session, 0, error, [](std::size_t, std::int64_t, std::int64_t) {});
}

bool give_blocks(const StrataSession& session, std::span<const fake::KernelTime> times,
                 const StrataTrace& trace) {
  for (const StrataBlock& block : blocks_of(session.model, session.plan, times, trace.end_ns))
    if (trace.on_block(trace.user, &block) != 0) return false;
  return true;
}

bool give_outputs(const StrataSession& session, const StrataTrace& trace) {
  for (const TensorId id : session.output_ids) {
    const Tensor& tensor = session.model.graph().tensors[id];
    const std::string name(tensor.name);
    const std::vector<std::int64_t> dims = fake::dims_now(tensor);
    const std::vector<std::byte> data = fake::elements_of(tensor, session.input_hash);
    const StrataTensor out = {name.c_str(),
                              static_cast<std::int32_t>(tensor.type.dtype),
                              static_cast<std::int32_t>(dims.size()),
                              dims.data(),
                              data.data(),
                              data.size()};
    if (trace.on_output(trace.user, &out) != 0) return false;
  }
  return true;
}

StrataStatus run_traced(StrataSession* session, StrataTrace* trace, StrataError* error) {
  const bool timed = (session->trace & STRATA_TRACE_TIME) != 0;
  std::vector<fake::KernelTime> kernels;
  trace->start_ns = session->clock();
  const StrataStatus status =
      run_kernels(*session, timed ? session->options.probe_ns : 0, error,
                  [&](std::size_t kernel, std::int64_t start, std::int64_t duration) {
                    kernels.push_back({session->traced_runs, kernel, start, duration});
                  });
  if (status != STRATA_OK) return status;
  trace->end_ns = session->clock();
  trace->run = session->traced_runs++;
  if (timed) {
    session->recorded.insert(session->recorded.end(), kernels.begin(), kernels.end());
    add_modules(session->model, session->plan, kernels, *trace, session->modules);
  }
  const bool blocks = trace->on_block != nullptr && (session->trace & STRATA_TRACE_MEMORY) != 0;
  if ((blocks && !give_blocks(*session, kernels, *trace)) ||
      (trace->on_output != nullptr && !give_outputs(*session, *trace)))
    return fail(error, STRATA_CANCELLED, "ended by its caller");
  return STRATA_OK;
}

// Reports what one kernel did or will do; the report points to memory in here.
bool give_kernel(const StrataSession& session, const fake::KernelTime& record, void* user,
                 StrataOnKernel each) {
  const fake::KernelPlan& kernel = session.plan.kernels[record.kernel];
  std::vector<std::int32_t> ranks;
  std::vector<std::int64_t> dims;
  for (const TensorId output : kernel.outputs) {
    if (output == kNone) continue;
    const auto own = fake::dims_now(session.model.graph().tensors[output]);
    ranks.push_back(static_cast<std::int32_t>(own.size()));
    dims.insert(dims.end(), own.begin(), own.end());
  }
  const StrataKernel out = {
      .run = record.run,
      .index = record.kernel,
      .name = kernel.name.c_str(),
      .op = kernel.op.c_str(),
      .provider = "fake",
      .kind = STRATA_KERNEL_COMPUTE,
      .sources = kernel.source_pointers.data(),
      .source_count = kernel.source_pointers.size(),
      .start_ns = record.start_ns,
      .duration_ns = record.duration_ns,
      .output_count = static_cast<std::int32_t>(ranks.size()),
      .output_ranks = ranks.data(),
      .output_dims = dims.data(),
      .dtype = session.dtype != 0 ? session.dtype : kernel.dtype,
      .input_type_count = static_cast<std::int32_t>(kernel.inputs.size()),
      .input_types = kernel.inputs.data(),
      .output_type_count = static_cast<std::int32_t>(kernel.output_types.size()),
      .output_types = kernel.output_types.data()};
  return each(user, &out) == 0;
}

StrataStatus give_kernels(StrataSession* session, void* user, StrataOnKernel each,
                          StrataError* error) {
  session->modules.clear();
  for (const fake::KernelTime& record : std::exchange(session->recorded, {}))
    if (!give_kernel(*session, record, user, each))
      return fail(error, STRATA_CANCELLED, "ended by its caller");
  return STRATA_OK;
}

StrataStatus give_plan(StrataSession* session, void* user, StrataOnKernel each,
                       StrataError* error) {
  for (std::size_t i = 0; i < session->plan.kernels.size(); ++i)
    if (!give_kernel(*session, {0, i, 0, 0}, user, each))
      return fail(error, STRATA_CANCELLED, "ended by its caller");
  return STRATA_OK;
}

StrataStatus give_modules(StrataSession* session, void* user, StrataOnModuleCall each,
                          StrataError* error) {
  for (const fake::ModuleTime& module : std::exchange(session->modules, {})) {
    const Scope& scope = session->model.scopes[module.scope];
    const std::string path(scope.path), type(scope.cls);
    const StrataModuleCall call = {module.run,     path.c_str(),    type.c_str(),
                                   scope.call + 1, module.enter_ns, module.exit_ns};
    if (each(user, &call) != 0) return fail(error, STRATA_CANCELLED, "ended by its caller");
  }
  return STRATA_OK;
}

// ----- the rest

int give_absent(StrataSession* session, void* user, StrataOnName each) {
  for (const auto& [node, reason] : session->plan.absent)
    if (const int stop = each(user, node.c_str(), reason.c_str()); stop != 0) return stop;
  return 0;
}

std::int64_t weight_bytes(StrataSession* session) {
  return count(session->model).total.param_bytes.number().value_or(-1);
}

StrataStatus probe(const char* device, const char* precision, StrataError* error) {
  const char* variable = std::getenv("STRATA_FAKE_PROBE");
  const std::string_view way = variable != nullptr ? variable : "";
  if (way == "crash") std::abort();
  while (way == "hang") std::this_thread::sleep_for(std::chrono::seconds(1));
  if (std::string_view(device) != "cpu")
    return fail(error, STRATA_UNSUPPORTED, fmt::format("no device \"{}\"; there is cpu", device));
  for (const std::string_view known : {"fp32", "fp16", "bf16", "int8"})
    if (known == precision) return STRATA_OK;
  return fail(error, STRATA_UNSUPPORTED, fmt::format("no precision \"{}\"", precision));
}

const StrataPort* port_at(const std::vector<OwnPort>& ports, std::uint64_t index) {
  return index < ports.size() ? &ports[index].port : nullptr;
}

// No exception may leave the plugin: it is turned into a status.
template <auto Function, class... Args>
StrataStatus guarded(Args... args, StrataError* error) noexcept {
  try {
    return Function(args..., error);
  } catch (const std::bad_alloc&) {
    return fail(error, STRATA_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& thrown) {
    return fail(error, STRATA_FAILED, thrown.what());
  }
}

const StrataEngine kEngine = {
    .version = STRATA_ENGINE_VERSION,
    .name = "fake",
    .release = STRATA_VERSION,
    .library = "",
    .formats = "onnx",
    .kernel_resolution_ns = 1,
    .devices = [](void* user, StrataOnName each) { return each(user, "cpu", "computes nothing"); },
    .probe = probe,
    .open = guarded<open_session, const StrataOpen*, StrataSession**>,
    .close = [](StrataSession* session) { delete session; },
    .input_count = [](StrataSession* session) { return std::uint64_t{session->inputs.size()}; },
    .output_count = [](StrataSession* session) { return std::uint64_t{session->outputs.size()}; },
    .input = [](StrataSession* session, std::uint64_t i) { return port_at(session->inputs, i); },
    .output = [](StrataSession* session, std::uint64_t i) { return port_at(session->outputs, i); },
    .bind = guarded<bind, StrataSession*, const StrataTensor*, std::uint64_t>,
    .run = guarded<run, StrataSession*>,
    .run_traced = guarded<run_traced, StrataSession*, StrataTrace*>,
    .kernels = guarded<give_kernels, StrataSession*, void*, StrataOnKernel>,
    .plan = guarded<give_plan, StrataSession*, void*, StrataOnKernel>,
    .modules = guarded<give_modules, StrataSession*, void*, StrataOnModuleCall>,
    .absent = give_absent,
    .weight_bytes = weight_bytes,
    .cancel = [](StrataSession* session) { session->cancelled = true; },
};

}  // namespace

extern "C" STRATA_ENGINE_EXPORT const StrataEngine* strata_engine_v2(std::uint32_t version,
                                                                     StrataError* error) {
  static const StrataEngine without_plan = [] {
    StrataEngine engine = kEngine;
    engine.plan = nullptr;
    return engine;
  }();
  const char* plan = std::getenv("STRATA_FAKE_PLAN");
  if (version == STRATA_ENGINE_VERSION)
    return plan != nullptr && std::string_view(plan) == "none" ? &without_plan : &kEngine;
  fail(error, STRATA_UNSUPPORTED,
       fmt::format("speaks version {} of the contract, not {}", STRATA_ENGINE_VERSION, version));
  return nullptr;
}
