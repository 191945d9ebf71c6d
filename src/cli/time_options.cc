#include "cli/time_options.h"

#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "cli/engine_options.h"
#include "cli/interrupt.h"
#include "strata/measure/inputs.h"
#include "strata/measure/machine.h"

namespace strata::cli {

namespace {

// One line that is written over, on a terminal only.
void show_progress(const TimingProgress& progress) {
  if (::isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r{} {:3.0f} %\x1b[K", progress.stage, 100 * std::min(progress.done, 1.0));
  if (progress.stage == "measuring" && progress.done >= 1) fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

// Sizes that are a symbol of their own and that a kernel's outputs now tell.
std::vector<std::pair<std::string, std::int64_t>> sizes_of_run(
    const LoadedModel& loaded, std::span<const Kernel* const> kernels) {
  std::vector<std::pair<std::string, std::int64_t>> sizes;
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
          const Dims& dims = graph.tensors[node.outputs[o]].type.dims;
          const auto& told = kernel->output_dims[o];
          for (std::size_t i = 0; i < dims.size() && dims.size() == told.size(); ++i)
            add(dims[i], told[i]);
        }
      }
  }
  return sizes;
}

}  // namespace

void TimeOptions::add_to(CLI::App& app) {
  app.add_flag("--time", time, "run the model on an engine and measure");
  app.add_flag("--memory", memory, "run it and record the memory that the engine takes");
  app.add_flag("--roofline", roofline, "set times against what this machine can do at best");
  app.add_option("--engine", engine, "which (onnxruntime)")->option_text("NAME");
  app.add_option("--engine-path", engine_path, "folders to look for engines in")
      ->option_text("DIR:DIR");
  app.add_option("--device", device, "what to run on: cpu, cuda:0")->option_text("NAME");
  app.add_option("--provider", provider, "the engine's own backend: tensorrt, openvino, …")
      ->option_text("NAME");
  app.add_option("--precision", precision, "that the engine computes in, if it can: fp32, fp16, …")
      ->option_text("NAME");
  app.add_option("--engine-option", engine_options, "one of the engine's own (repeatable)")
      ->allow_extra_args(false)
      ->option_text("KEY=VALUE");
  app.add_option("--view", view,
                 "source: each node as it stands; optimized: as it really runs. Without --time "
                 "and --memory, the engine's kernels are only looked at")
      ->check(CLI::IsMember({"source", "optimized"}))
      ->option_text("VIEW");
  app.add_option("--threads", threads, "that the engine uses (1)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  app.add_option("--runs", runs, "inferences, every second one recorded; 0: by time")
      ->check(CLI::Range(0, 1'000'000))
      ->option_text("N");
  app.add_option("--seconds", seconds, "how long to measure if --runs is not given (3)")
      ->check(CLI::Range(0.01, 86400.0))
      ->option_text("S");
  app.add_option("--warmup", warmup, "inferences before; until they settle if not given")
      ->check(CLI::Range(0, 1'000'000))
      ->option_text("N");
  app.add_option("--inputs", inputs, "elements of the inputs: .npy, .npz, .pb (repeatable)")
      ->allow_extra_args(false)
      ->option_text("[NAME=]FILE");
  app.add_option("--seed", seed, "of inputs and weights that are made up (0)")->option_text("N");
}

Result<TimedModel> time_loaded(LoadedModel& loaded, const ModelOptions& model,
                               const TimeOptions& options) {
  const EngineOptions how{.engine = options.engine,
                          .path = options.engine_path,
                          .device = options.device,
                          .provider = options.provider,
                          .own = options.engine_options,
                          .threads = options.threads};
  auto session = how.session();
  if (!session) return tl::unexpected(session.error());
  session->precision = options.precision;
  const std::string view = options.view.empty() ? "source" : options.view;
  if (view == "source") session->optimization = STRATA_OPT_NONE;
  auto engine = how.load();
  if (!engine) return tl::unexpected(engine.error());
  auto given = engine_model(loaded, model, options.seed);
  if (!given) return tl::unexpected(given.error());
  const ModelSource source = given->source();

  TimingOptions timing;
  timing.session = std::move(*session);
  timing.runs = options.runs;
  timing.warmup = options.warmup;
  timing.seconds = options.seconds;
  timing.kernels = options.layers;
  timing.nodes = loaded.model.graph().nodes.size();
  timing.stop = &StopOnInterrupt::flag();
  timing.progress = show_progress;
  TimedModel out;
  out.facts.engine = fmt::format("{} {}", engine->name(), engine->release());
  out.facts.view = view;
  out.facts.threads = options.threads;
  if (!options.time && !options.memory) {
    auto plan = plan_kernels(*engine, source, timing.session);
    if (!plan) return tl::unexpected(plan.error());
    out.plan = std::move(*plan);
    return out;
  }
  auto inputs = options.inputs.empty() ? random_inputs(loaded.model, options.seed)
                                       : read_inputs(loaded.model, options.inputs);
  if (!inputs) return tl::unexpected(inputs.error());
  out.machine = named_facts(read_machine());  // the load before, not of, the measurement
  if (options.time) {
    auto measured = time_model(*engine, source, *inputs, timing);
    if (::isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\x1b[K");
    if (!measured) return tl::unexpected(measured.error());
    out.timing = std::move(*measured);
  }
  if (options.memory && !StopOnInterrupt::stopped()) {
    auto traced = trace_memory(*engine, source, *inputs, timing.session, timing.stop);
    if (!traced && !StopOnInterrupt::stopped()) return tl::unexpected(traced.error());
    if (traced) out.memory = std::move(*traced);
  }
  out.interrupted = StopOnInterrupt::stopped();
  if (out.timing && out.timing->runs.empty()) out.timing.reset();
  if (out.timing && out.interrupted) out.timing->partial = true;

  std::vector<const Kernel*> kernels;
  if (out.timing)
    for (const KernelTimes& times : out.timing->kernels) kernels.push_back(&times.kernel);
  else if (out.memory)
    for (const KernelMemory& taken : out.memory->kernels) kernels.push_back(&taken.kernel);
  const auto sizes = sizes_of_run(loaded, kernels);
  if (!sizes.empty()) {
    auto again = infer_options(model);
    if (!again) return tl::unexpected(again.error());
    std::vector<std::string> told;
    for (const auto& [name, number] : sizes) {
      again->sizes.emplace_back(name, number);
      told.push_back(fmt::format("{} = {}", name, number));
    }
    auto inference = infer(loaded.model, *again);
    if (!inference) return tl::unexpected(inference.error());
    loaded.inference = std::move(*inference);
    loaded.model.notes.push_back(
        fmt::format("sizes taken from this run: {}", fmt::join(told, ", ")));
  }
  return out;
}

}  // namespace strata::cli
