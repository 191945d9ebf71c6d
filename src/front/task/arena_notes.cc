#include "task/arena_notes.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/shortened.h"
#include "ops/node_view.h"
#include "predict/layer_seconds.h"
#include "read/tflite/arena_tail.h"
#include "strata/base/number_text.h"
#include "strata/cost/cost.h"
#include "strata/cost/tflm_arena.h"
#include "strata/predict/kernels.h"
#include "strata/predict/predict.h"

namespace strata {

namespace {

std::string size_of(std::int64_t bytes) { return fmt::format("{} bytes", grouped(bytes)); }

std::size_t placed_by_file(const TflmArena& arena) {
  return static_cast<std::size_t>(
      std::count_if(arena.buffers.begin(), arena.buffers.end(),
                    [](const TflmBuffer& buffer) { return buffer.is_fixed; }));
}

std::string head_sentence(const TflmArena& arena) {
  if (arena.is_estimate)
    return fmt::format(
        "TFLite Micro, estimated as if every activation were int8: the head of the tensor arena "
        "takes about {}",
        size_of(arena.head_bytes));
  const std::size_t fixed = placed_by_file(arena);
  std::string text = fmt::format("TFLite Micro: the head of the tensor arena takes {}{}, as ",
                                 arena.is_exact ? "" : "at least ", size_of(arena.head_bytes));
  const std::size_t planned = arena.buffers.size() - fixed;
  if (fixed == 0) return text + fmt::format("its greedy planner places {} buffers", planned);
  return text + fmt::format("the offline plan in the file places {} buffer{}{}", fixed,
                            fixed == 1 ? "" : "s",
                            planned == 0 ? ""
                                         : fmt::format(" and its greedy planner places {} around "
                                                       "them",
                                                       planned));
}

// The layer at which most is alive, and what would lower it.
std::string peak_sentence(const TflmArena& arena) {
  std::vector<std::string> held;
  constexpr std::size_t kMost = 4;
  for (std::size_t i = 0; i < arena.at_peak.size() && i < kMost; ++i) {
    const TflmBuffer& buffer = arena.at_peak[i];
    held.push_back(fmt::format("{}{} {}", buffer.is_scratch ? "scratch of " : "",
                               shortened(buffer.name), grouped(buffer.bytes)));
  }
  const std::string where =
      arena.peak_layer.empty() ? "before the first layer" : "at " + shortened(arena.peak_layer);
  std::string text = fmt::format("most is alive {}: {} ({})", where, size_of(arena.alive_bytes),
                                 fmt::join(held, ", "));
  if (arena.head_bytes > arena.alive_bytes)
    text +=
        fmt::format("; gaps take {}, which another order of layers or {} offline plan could save",
                    size_of(arena.head_bytes - arena.alive_bytes),
                    placed_by_file(arena) > 0 ? "another" : "an");
  if (!arena.at_peak.empty())
    text += fmt::format(
        "; a smaller {} lowers it: fewer channels or a smaller input, or computing "
        "this layer in parts",
        shortened(arena.at_peak[0].name));
  return text;
}

// Code in flash, a rough estimate: TFLite Micro's authors give 16 KB for the interpreter and 22 KB
// with the kernels of a small network of speech, which has four kinds.
constexpr std::int64_t kInterpreterBytes = 16 * 1024, kKernelBytes = 1536;

// The arena of a network, and of a TensorFlow Lite file also its exact tail.
struct Planned {
  TflmArena arena;
  std::optional<tflite::ArenaTail> tail;

  bool is_exact() const { return arena.is_exact && tail && tail->unknown.empty(); }
  std::int64_t tail_bytes() const { return tail ? tail->bytes.chip : arena.structure_bytes; }
  std::int64_t bytes() const { return arena.head_bytes + tail_bytes(); }
};

Result<Planned> plan(const Model& model, std::string_view file) {
  auto arena = plan_tflm_arena(model);
  if (!arena) return failure(arena);
  Planned planned{std::move(*arena), {}};
  if (planned.arena.is_estimate) return planned;
  const auto is_scratch = [](const TflmBuffer& buffer) { return buffer.is_scratch; };
  const auto scratch =
      std::count_if(planned.arena.buffers.begin(), planned.arena.buffers.end(), is_scratch);
  auto tail = tflite::tail_of_arena(file, scratch);
  if (!tail) return failure(tail);
  planned.tail = std::move(*tail);
  return planned;
}

std::string tail_sentence(const tflite::ArenaTail& tail) {
  std::string text = fmt::format(
      "the tail of the arena takes {}{} on a 32-bit chip: the interpreter's structures, "
      "and what reference kernels keep ({} in the Python package, on 64 bits)",
      tail.unknown.empty() ? "" : "at least ", size_of(tail.bytes.chip),
      size_of(tail.bytes.package));
  if (!tail.unknown.empty())
    text += fmt::format("; what {} would keep is not known", fmt::join(tail.unknown, ", "));
  return text;
}

std::int64_t code_bytes(const TflmArena& arena) {
  return kInterpreterBytes + arena.kinds * kKernelBytes;
}

// Weights as the device stores them: in the file, or as int8.
std::int64_t model_bytes(const Model& model, const TflmArena& arena, const Costs& costs) {
  if (!arena.is_estimate) return static_cast<std::int64_t>(model.file_bytes);
  return costs.total.params.number().value_or(-1);
}

std::string fit_sentence(const Model& model, const Planned& planned, const Costs& costs,
                         const Device& device) {
  const TflmArena& arena = planned.arena;
  const std::int64_t ram = planned.bytes();
  const std::int64_t stored = model_bytes(model, arena, costs);
  const std::int64_t flash = stored < 0 ? -1 : stored + code_bytes(arena);
  const auto over = [](std::int64_t needed, const std::optional<Figure>& has) {
    return has && needed >= 0 && static_cast<double>(needed) > has->value;
  };
  const auto of = [](std::int64_t needed, const std::optional<Figure>& has) {
    const std::string of_all =
        has ? " of " + human_bytes(has->value) : std::string(", of a size that is not stated");
    return (needed < 0 ? std::string("unknown") : human_bytes(static_cast<double>(needed))) +
           of_all;
  };
  std::string verdict = "it fits";
  if (!arena.without_kernel.empty())
    verdict = "it does not run";
  else if (over(ram, device.ram_bytes))
    verdict = over(flash, device.flash_bytes) ? "it fits neither in RAM nor in flash"
                                              : "it does not fit in RAM";
  else if (over(flash, device.flash_bytes))
    verdict = "it does not fit in flash";
  else if (!device.ram_bytes || !device.flash_bytes || flash < 0)
    verdict = "whether it fits is unknown";
  return fmt::format("{}: {}. The arena takes {}{} RAM; model and code take about {} flash",
                     device.title.empty() ? device.name : device.title, verdict,
                     arena.is_estimate    ? "about "
                     : planned.is_exact() ? ""
                                          : "at least ",
                     of(ram, device.ram_bytes), of(flash, device.flash_bytes));
}

// The precision of most of the work; empty if nothing multiplies.
std::string precision_of(const Costs& costs) {
  double most = 0;
  std::string precision;
  for (const Executed& executed : costs.nodes) {
    const double macs = static_cast<double>(executed.cost->macs.number().value_or(0));
    if (macs <= most || executed.get().outputs.empty()) continue;
    most = macs;
    const DType dtype = NodeView(*executed.graph, executed.get()).out(0).dtype;
    precision = is_float(dtype) ? "fp32" : "int8";
  }
  return precision;
}

std::string time_sentence(const Model& model, const TflmArena& arena, const Costs& costs,
                          const Device& device) {
  const std::string macs = costs.total.macs.is_number()
                               ? human(static_cast<double>(costs.total.macs.value()))
                               : "an unknown number of";
  const std::string precision = arena.is_estimate ? "int8" : precision_of(costs);
  const auto unknown = [&](std::string_view why) {
    return fmt::format("{} MACs a run; the time is unknown: {}", macs, why);
  };
  if (precision.empty()) return unknown("nothing multiplies");
  const Runtime runtime = usual_runtime(device);
  const auto predictor = Predictor::make(device, runtime, precision);
  if (!predictor) return unknown(predictor.error().message);
  std::vector<std::string> notes;
  const auto kernels = find_kernels(model, costs, runtime, notes);
  if (!kernels) return unknown(kernels.error().message);
  const DeviceTime time = predictor->time(*kernels);
  return fmt::format(
      "{} MACs a run in {}, predicted to take {} ({} to {}{}); no microcontroller was measured",
      macs, precision, human_seconds(time.seconds), human_seconds(time.low),
      human_seconds(time.high),
      time.unknown > 0 ? fmt::format(", without {} operators of unknown cost", time.unknown) : "");
}

}  // namespace

Status add_arena_notes(Model& model, std::string_view file, const Device* device) {
  const auto planned = plan(model, file);
  if (!planned) return failure(planned);
  const TflmArena* arena = &planned->arena;
  std::vector<std::string> notes;
  Costs costs;
  if (device != nullptr) {
    costs = count(model);
    notes.push_back(fit_sentence(model, *planned, costs, *device));
  }
  notes.push_back(head_sentence(*arena));
  notes.push_back(peak_sentence(*arena));
  if (planned->tail) {
    notes.push_back(tail_sentence(*planned->tail));
    notes.push_back(
        fmt::format("flash holds the file, {}, and the kernels of {} kind{} of operators{}",
                    size_of(static_cast<std::int64_t>(model.file_bytes)), arena->kinds,
                    arena->kinds == 1 ? "" : "s",
                    device == nullptr ? ""
                                      : fmt::format(" with the interpreter: about {}, an estimate",
                                                    size_of(code_bytes(*arena)))));
  }
  if (!arena->without_kernel.empty())
    notes.push_back(
        fmt::format("TFLite Micro has no kernel for {}, so it does not run this network",
                    fmt::join(arena->without_kernel, ", ")));
  if (device != nullptr) notes.push_back(time_sentence(model, *arena, costs, *device));
  model.notes.insert(model.notes.begin(), notes.begin(), notes.end());
  return {};
}

}  // namespace strata
