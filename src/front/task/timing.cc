#include "strata/task/timing.h"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "read/registry.h"
#include "strata/data/inputs.h"
#include "strata/machine/machine.h"
#include "strata/task/record.h"
#include "task/found_sizes.h"
#include "task/job_process.h"
#include "task/timing_job.h"

namespace strata {

namespace {

// Sizes that are a single symbol and that a kernel's outputs have now revealed.
FoundSizes sizes_of_run(const LoadedModel& loaded, std::span<const Kernel* const> kernels) {
  FoundSizes sizes;
  const auto add = [&](const Expr& size, std::int64_t number) {
    if (!size.is_formula()) return;
    const std::string name = size.text();
    for (const Inference::Symbol& symbol : loaded.inference.symbols)
      if (symbol.name == name && symbol.needs_data) {
        for (const auto& [known, value] : sizes)
          if (known == name) return;
        sizes.emplace_back(name, number);
      }
  };
  const std::vector<std::string> keys = node_keys(loaded.model);
  for (const Kernel* kernel : kernels) {
    if (kernel->sources.size() != 1) continue;
    std::size_t at = 0;
    for (const Graph& graph : loaded.model.graphs)
      for (const Node& node : graph.nodes) {
        if (keys[at++] != kernel->sources[0]) continue;
        for (std::size_t o = 0; o < node.outputs.size() && o < kernel->output_dims.size(); ++o) {
          if (node.outputs[o] == kNone) continue;
          const Dims& dims = graph.tensors[node.outputs[o]].type->dims;
          const auto& told = kernel->output_dims[o];
          for (std::size_t i = 0; i < dims.size() && dims.size() == told.size(); ++i)
            add(dims[i], told[i]);
        }
      }
  }
  return sizes;
}

// Infers the model again with the sizes that a run has revealed, if there are any.
Status take_sizes_of_run(LoadedModel& loaded, const ModelRequest& model, const TimedModel& timed) {
  std::vector<const Kernel*> kernels;
  if (timed.timing)
    for (const KernelTimes& times : timed.timing->kernels) kernels.push_back(&times.kernel);
  else if (timed.memory)
    for (const KernelMemory& taken : timed.memory->kernels) kernels.push_back(&taken.kernel);
  return take_sizes(loaded, model, sizes_of_run(loaded, kernels), "sizes taken from this run");
}

TimingOptions timing_options(const TimingRequest& request, const LoadedModel& loaded,
                             const Observer& observer) {
  TimingOptions timing;
  timing.runs = request.runs;
  timing.warmup = request.warmup;
  timing.seconds = request.seconds;
  timing.kernels = request.layers;
  timing.nodes = loaded.model.graph().nodes.size();
  timing.stop = observer.stop;
  timing.progress = [&observer](const TimingProgress& progress) {
    observer.show(progress.stage, progress.done);
  };
  return timing;
}

// An engine says in its own words that weights are missing.
tl::unexpected<Error> refused(const LoadedModel& loaded, const ModelRequest& request, Error error) {
  if (!request.recording.empty()) return failure(std::move(error));
  const Status weights = check_has_weights(loaded.model, request.source);
  if (weights || error.code == Code::EngineUnsupported) return failure(std::move(error));
  return failure(weights);
}

// The caller is another process, and a switch to it between two runs disturbs the second one. So it
// is told of every stage and every percent, and not of every run; and every second, so that it
// knows that the engine still answers.
Observer told_now_and_then(const Observer& caller) {
  using Clock = std::chrono::steady_clock;
  Observer seldom = caller;
  seldom.progress = [&caller, last = std::pair(std::string(), -1L), told = Clock::time_point()](
                        std::string_view stage, double share) mutable {
    const auto now = std::pair(std::string(stage), std::lround(100 * share));
    if (now == last && Clock::now() - told < std::chrono::seconds(1)) return;
    last = now;
    told = Clock::now();
    caller.show(stage, share);
  };
  return seldom;
}

Result<std::vector<HostTensor>> inputs_of(const LoadedModel& loaded, const ModelRequest& model,
                                          const TimingRequest& request) {
  if (!model.recording.empty()) return recorded_inputs(model.sizes, request.inputs, request.seed);
  return request.inputs.empty() ? random_inputs(loaded.model, request.seed)
                                : read_inputs(loaded.model, request.inputs);
}

// An engine that records modules times them as the file has them: frozen, they are gone.
std::string view_of(const Engine& engine, EngineView asked) {
  if (asked == EngineView::Optimized) return "optimized";
  if (engine.records()) return "eager";
  return asked == EngineView::Usual ? "optimized" : "source";
}

// A network of OpenVINO's is opened by one engine alone.
Status check_opens(const Engine& engine, const Source& file) {
  const std::string_view format = file.engine_format();
  if (file.is_code() || format.empty() || format == "onnx" ||
      engine.formats().find(format) != std::string_view::npos)
    return {};
  return failure(Code::EngineUnsupported, {.file = file.word(), .name = std::string(engine.name())},
                 fmt::format("{}: {} opens {}, and it is {}; run it on the engine {}", file.word(),
                             engine.name(), engine.formats(), file.format()->one, format));
}

Result<TimedRun> measure(const LoadedModel& loaded, const ModelRequest& model,
                         const TimingRequest& request, const Observer& observer) {
  auto session = request.engine.session();
  if (!session) return failure(session);
  session->precision = request.precision;
  auto engine = request.engine.load();
  if (!engine) return failure(engine);
  const std::string view = view_of(*engine, request.view);
  if (view != "optimized") session->optimization = STRATA_OPT_NONE;
  auto given = engine_model(loaded, model, request.seed);
  if (!given) return failure(given);
  if (!given->file.empty())
    if (auto status = check_opens(*engine, given->file); !status) return failure(status);
  const ModelSource source = given->source();
  TimingOptions timing = timing_options(request, loaded, observer);
  timing.session = std::move(*session);

  TimedRun out;
  out.engine = fmt::format("{} {}", engine->name(), engine->release());
  out.view = view;
  out.threads = timing.session.threads;
  if (!request.time && !request.memory) {
    auto plan = plan_kernels(*engine, source, timing.session);
    if (!plan) return refused(loaded, model, plan.error());
    out.plan = std::move(*plan);
    return out;
  }
  auto inputs = inputs_of(loaded, model, request);
  if (!inputs) return failure(inputs);
  out.machine = named_facts(read_machine());  // the load before the measurement, not during it
  if (request.time) {
    auto measured = time_model(*engine, source, *inputs, timing);
    if (!measured) return refused(loaded, model, measured.error());
    out.timing = std::move(*measured);
  }
  if (request.memory && !observer.stopped()) {
    auto traced = trace_memory(*engine, source, *inputs, timing.session, timing.stop);
    if (!traced && !observer.stopped()) return refused(loaded, model, traced.error());
    if (traced) out.memory = std::move(*traced);
  }
  out.interrupted = observer.stopped();
  if (out.timing && out.timing->runs.empty()) out.timing.reset();
  if (out.timing && out.interrupted) out.timing->partial = true;
  return out;
}

Result<TimedRun> measure_in_child(const ModelRequest& model, const TimingRequest& request,
                                  const Observer& observer) {
  const JobPlace place{.kind = JobKind::Timing,
                       .program = request.program,
                       .model = model.source.word(),
                       .engine = request.engine.engine,
                       .max_wait_seconds = model.max_wait_seconds,
                       .on_stop = OnStop::WaitForARun,
                       .trust_model = is_trusted(model)};
  return run_job_in_child<TimedRun>(place, TimingJob{model, request}, observer);
}

}  // namespace

Result<TimedRun> run_timing_job(const TimingJob& job, const Observer& observer) {
  const auto loaded = load_model(job.model);
  if (!loaded) return failure(loaded);
  return measure(*loaded, job.model, job.timing, told_now_and_then(observer));
}

Result<TimedModel> run_timing(LoadedModel& loaded, const ModelRequest& model,
                              const TimingRequest& request, const Observer& observer) {
  auto run = request.in_process ? measure(loaded, model, request, observer)
                                : measure_in_child(model, request, observer);
  if (!run) return failure(run);
  TimedModel out;
  out.timing = std::move(run->timing);
  out.memory = std::move(run->memory);
  out.plan = std::move(run->plan);
  out.facts.engine = std::move(run->engine);
  out.facts.view = std::move(run->view);
  out.facts.threads = run->threads;
  out.machine = std::move(run->machine);
  out.interrupted = run->interrupted;
  if (Status status = take_sizes_of_run(loaded, model, out); !status) return failure(status);
  return out;
}

}  // namespace strata
