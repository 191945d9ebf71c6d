#include "strata/profile/columns.h"

#include <algorithm>

#include "profile/cells.h"
#include "strata/base/statistics.h"
#include "strata/cost/convention.h"
#include "strata/measure/undisturbed.h"

namespace strata {

namespace {

Cell text_cell(const std::string& text) { return {text, Certainty::Exact}; }

// At least nothing is nothing known.
Cell number_cell(const Expr& number, Certainty certainty) {
  if (number.is_unknown() || (certainty != Certainty::Exact && number.is(0)))
    return {std::monostate{}, Certainty::Unknown};
  return {number, certainty};
}

Cell amount_cell(const Amount& amount, Certainty certainty) {
  if (amount.is_unknown() || (certainty != Certainty::Exact && amount.is(0)))
    return {std::monostate{}, Certainty::Unknown};
  if (amount.is_whole()) return {amount.above(), certainty};
  if (const auto number = amount.number()) return {*number, certainty};
  return {std::monostate{}, Certainty::Unknown};
}

bool is_missing(const Row& row, Metric metric) {
  return ((row.figures.missing >> static_cast<unsigned>(metric)) & 1) != 0;
}

// Shows the metrics that the convention counts, and an empty cell otherwise.
Cell metric_cell(const Row& row, Metric metric, const Amount& amount, Certainty certainty) {
  if (is_missing(row, metric)) return {std::monostate{}, Certainty::Unknown};
  return amount_cell(amount, certainty);
}

Cell moved_cell(const Row& row) {
  return metric_cell(row,
                     is_missing(row, Metric::ReadBytes) ? Metric::ReadBytes : Metric::WriteBytes,
                     row.figures.read_bytes + row.figures.write_bytes, row.figures.bytes);
}

Cell intensity_cell(const Row& row) {
  const auto moved = (row.figures.read_bytes + row.figures.write_bytes).number();
  const auto flops = row.figures.flops.number();
  if (moved_cell(row).is_unknown() || is_missing(row, Metric::Flops)) return {};
  if (!moved || !flops || *moved <= 0) return {};
  return {*flops / *moved, std::max(row.figures.work, row.figures.bytes)};
}

// A cell that follows from a time the row does not have.
Cell untimed_cell(const Row& r) {
  if (r.instead.empty()) return {};
  return meaning(r.fused ? Meaning::Elsewhere : Meaning::Nowhere, {});
}

Cell seconds_cell(const Row& r) {
  return r.figures.seconds ? Cell{*r.figures.seconds, Certainty::Exact} : untimed_cell(r);
}

Cell per_call(const Row& r, std::optional<double> sum) {
  return sum && r.calls > 0 ? Cell{*sum / r.calls, Certainty::Exact} : Cell{};
}

// A statistic of the recorded runs; nothing where there are none.
template <class Pick>
Cell sample_cell(const Row& r, const Pick& pick) {
  if (r.figures.samples.empty()) return {};
  const std::optional<double> found = pick(summarize(r.figures.samples));
  return found ? Cell{*found, Certainty::Exact} : Cell{};
}

// An end of the interval between sessions, which covers the row's own time.
Cell interval_cell(const Row& r, bool high) {
  if (r.figures.samples.empty() || r.sessions.empty()) return {};
  const SessionCenter center = session_center(r.figures.samples, r.sessions, r.drift);
  if (!center.interval) return {};
  const double end = high ? center.interval->high : center.interval->low;
  const double own = r.figures.seconds.value_or(end);
  return {high ? std::max(end, own) : std::min(end, own), Certainty::Exact};
}

Cell per_second_cell(const Row& r, const Amount& amount, Certainty certainty) {
  const auto number = amount.number();
  if (!r.figures.seconds) return untimed_cell(r);
  if (!number || *number <= 0 || *r.figures.seconds <= 0) return {};
  return {*number / *r.figures.seconds, certainty};
}

// A row whose work is none has none in any phase.
template <Phase phase>
Cell phase_macs_cell(const Row& r) {
  if (!r.figures.phases) return r.figures.macs.is(0) ? amount_cell(0, r.figures.macs_work) : Cell{};
  constexpr auto kAt = static_cast<std::size_t>(phase);
  return amount_cell(r.figures.phases->macs[kAt], r.figures.phases->macs_work[kAt]);
}
template <Phase phase>
Cell phase_flops_cell(const Row& r) {
  if (!r.figures.phases) return r.figures.flops.is(0) ? amount_cell(0, r.figures.work) : Cell{};
  constexpr auto kAt = static_cast<std::size_t>(phase);
  return amount_cell(r.figures.phases->flops[kAt], r.figures.phases->work[kAt]);
}

constexpr Needs kMoved = Need::ReadBytes | Need::WriteBytes;

constexpr ColumnRule kColumns[] = {
    {"layer", "Layer", Unit::Text, false, 0, true, "module path as its author wrote it",
     [](const Row& r) { return text_cell(r.layer); }},
    {"type", "Type", Unit::Text, false, 1, true, "module class or operator",
     [](const Row& r) { return text_cell(r.type); }},
    {"call", "Call", Unit::Count, false, 9, false, "which call of the module, from 1",
     [](const Row& r) { return number_cell(r.call + 1, Certainty::Exact); }},
    {"calls",
     "Calls",
     Unit::Count,
     false,
     9,
     false,
     "calls that the row stands for",
     [](const Row& r) { return number_cell(r.calls, Certainty::Exact); },
     {},
     true},
    {"input", "Input", Unit::Text, false, 8, false, "shapes of the activations it reads",
     [](const Row& r) { return text_cell(r.input); }},
    {"output", "Output", Unit::Text, false, 3, true, "shapes of what it gives to others",
     [](const Row& r) { return text_cell(r.output); }},
    {"dtype", "Dtype", Unit::Text, false, 9, false, "element type of the first output",
     [](const Row& r) { return text_cell(r.dtype); }},
    {"params", "Params", Unit::Count, true, 2, true,
     "learned parameters, where they are read first",
     [](const Row& r) { return number_cell(r.figures.params, Certainty::Exact); }},
    {"param_bytes", "Weights", Unit::Bytes, true, 7, false, "bytes of the parameters as stored",
     [](const Row& r) { return number_cell(r.figures.param_bytes, Certainty::Exact); }},
    {"macs", "MACs", Unit::Macs, true, 0, true, "multiply-accumulates",
     [](const Row& r) { return metric_cell(r, Metric::Macs, r.figures.macs, r.figures.macs_work); },
     Need::Macs},
    {"flops", "FLOPs", Unit::Flops, true, 4, true, "floating point operations: 2·MACs and all else",
     [](const Row& r) { return metric_cell(r, Metric::Flops, r.figures.flops, r.figures.work); },
     Need::Flops},
    {"read", "Read", Unit::Bytes, true, 5, true, "bytes read: inputs and weights",
     [](const Row& r) {
       return metric_cell(r, Metric::ReadBytes, r.figures.read_bytes, r.figures.bytes);
     },
     Need::ReadBytes},
    {"write", "Written", Unit::Bytes, true, 5, true, "bytes written: outputs",
     [](const Row& r) {
       return metric_cell(r, Metric::WriteBytes, r.figures.write_bytes, r.figures.bytes);
     },
     Need::WriteBytes},
    {"mem", "Moved", Unit::Bytes, true, 6, false, "bytes read and written", moved_cell, kMoved},
    {"activation", "Activation", Unit::Bytes, true, 7, false,
     "bytes of the outputs that others read",
     [](const Row& r) { return number_cell(r.figures.activation_bytes, r.figures.bytes); }},
    {"intensity", "FLOP/B", Unit::FlopsPerByte, false, 6, false, "FLOPs per byte moved",
     intensity_cell, Need::Flops | kMoved},
    {"energy", "Energy", Unit::Picojoules, true, 6, false, "by the energy model asked for",
     [](const Row& r) { return amount_cell(r.figures.picojoules, r.figures.work); }, Need::Energy},
    {"load_macs", "Load MACs", Unit::Macs, true, 6, false,
     "multiply-accumulates on constants, once when the model is loaded",
     [](const Row& r) { return amount_cell(r.figures.load_macs, Certainty::Exact); },
     Need::LoadWork},
    {"load_flops", "Load FLOPs", Unit::Flops, true, 6, false,
     "operations on constants, once when the model is loaded",
     [](const Row& r) { return amount_cell(r.figures.load_flops, Certainty::Exact); },
     Need::LoadWork},
    {"forward_macs", "Forward MACs", Unit::Macs, true, 6, false,
     "multiply-accumulates of the forward pass", phase_macs_cell<Phase::Forward>, Need::Phases},
    {"forward_flops", "Forward", Unit::Flops, true, 4, true, "operations of the forward pass",
     phase_flops_cell<Phase::Forward>, Need::Phases},
    {"backward_macs", "Backward MACs", Unit::Macs, true, 6, false,
     "multiply-accumulates of the backward pass", phase_macs_cell<Phase::Backward>, Need::Phases},
    {"backward_flops", "Backward", Unit::Flops, true, 4, true, "operations of the backward pass",
     phase_flops_cell<Phase::Backward>, Need::Phases},
    {"recomputed_macs", "Again MACs", Unit::Macs, true, 6, false,
     "multiply-accumulates of the forward pass that run again for the backward pass",
     phase_macs_cell<Phase::Recomputed>, Need::Phases},
    {"recomputed_flops", "Again", Unit::Flops, true, 5, false,
     "operations of the forward pass that run again for the backward pass",
     phase_flops_cell<Phase::Recomputed>, Need::Phases},
    {"optimizer_flops", "Optimizer", Unit::Flops, true, 5, true,
     "operations of the optimizer's step", phase_flops_cell<Phase::Optimizer>, Need::Phases},
    {"time", "Time", Unit::Seconds, true, 0, true,
     "seconds of one inference: the median of the recorded runs", seconds_cell, Need::Time},
    {"time_per_call", "Time/call", Unit::Seconds, false, 3, false, "time over calls: their average",
     [](const Row& r) { return per_call(r, r.figures.seconds); }, Need::Time, true},
    {"time_mad", "MAD", Unit::Seconds, false, 6, false, "median distance from the median",
     [](const Row& r) {
       return sample_cell(r, [](const Summary& s) { return std::optional(s.mad); });
     },
     Need::Time},
    {"time_low", "Low", Unit::Seconds, false, 6, false, "of the 95 % interval between sessions",
     [](const Row& r) { return interval_cell(r, false); }, Need::Time},
    {"time_high", "High", Unit::Seconds, false, 6, false, "of the 95 % interval between sessions",
     [](const Row& r) { return interval_cell(r, true); }, Need::Time},
    {"flops_per_s", "FLOP/s", Unit::FlopsPerSecond, false, 3, true, "FLOPs over time",
     [](const Row& r) { return per_second_cell(r, r.figures.flops, r.figures.work); },
     Need::Flops | Need::Time},
    {"bytes_per_s", "B/s", Unit::BytesPerSecond, false, 6, false, "bytes moved over time",
     [](const Row& r) {
       return per_second_cell(r, r.figures.read_bytes + r.figures.write_bytes, r.figures.bytes);
     },
     kMoved | Need::Time},
    {"bound", "Bound", Unit::Text, false, 4, true,
     "the limit that it meets first: compute or memory; neither below 10 % of the roof",
     [](const Row& r) { return text_cell(r.bound); }, Need::Roofline},
    {"of_roof", "of roof %", Unit::Percent, false, 4, true,
     "its FLOP/s as a share of what its intensity allows on this machine",
     [](const Row& r) {
       return r.of_roof ? Cell{*r.of_roof, Certainty::Exact} : Cell{};
     },
     Need::Roofline},
    {"in_kernel_of", "In kernel of", Unit::Text, false, 7, false,
     "the layer whose kernel does its work, or why it does not run",
     [](const Row& r) { return text_cell(r.instead); }, Need::Kernels},
    {"runs_in", "Runs in", Unit::Text, false, 2, false,
     "the precision that the engine's kernels really compute in",
     [](const Row& r) { return text_cell(precision_text(r.figures.precisions)); }, Need::Kernels,
     false, true},
    {"mem_alloc", "Taken", Unit::Bytes, true, 2, true, "bytes that the engine took while it ran",
     [](const Row& r) { return taken_cell(r, &TakenMemory::allocated); }, Need::Memory},
    {"mem_alloc_per_call", "Taken/call", Unit::Bytes, false, 5, false,
     "mem_alloc over calls: their average",
     [](const Row& r) {
       return r.figures.taken ? per_call(r, static_cast<double>(r.figures.taken->allocated))
                              : Cell{};
     },
     Need::Memory, true},
    {"mem_scratch", "Scratch", Unit::Bytes, true, 3, true, "of them given back before its end",
     [](const Row& r) { return taken_cell(r, &TakenMemory::scratch); }, Need::Memory},
    {"mem_held", "Held", Unit::Bytes, false, 2, true, "bytes in use after it, beside weights",
     [](const Row& r) { return taken_cell(r, &TakenMemory::held); }, Need::Memory},
    {"mem_peak", "Peak", Unit::Bytes, false, 4, false, "peak of the bytes in use while it ran",
     [](const Row& r) { return taken_cell(r, &TakenMemory::peak); }, Need::Memory},
    {"net_dev_mem", "Net", Unit::Bytes, false, 0, true,
     "device memory in use at its entry, beside weights and inputs",
     [](const Row& r) { return device_cell(r, &CallMemory::net); }, Need::CudaMemory},
    {"dev_mem_alloc", "Alloc", Unit::Bytes, false, 0, true,
     "device memory in use at its exit minus that at its entry",
     [](const Row& r) { return device_cell(r, &CallMemory::alloc); }, Need::CudaMemory},
    {"dev_max_mem_alloc", "At exit", Unit::Bytes, false, 0, true,
     "device memory in use at its exit, beside weights and inputs",
     [](const Row& r) { return device_cell(r, &CallMemory::at_exit); }, Need::CudaMemory},
    {"alive", "Alive", Unit::Bytes, false, 0, true, "activations alive while it runs",
     [](const Row& r) {
       return r.alive ? Cell{Expr(*r.alive), Certainty::Exact} : Cell{};
     },
     Need::Alive},
    {"formula", "Formula", Unit::Text, false, 9, false, "how its work is counted",
     [](const Row& r) { return text_cell(r.formula); }, Need::Formulas},
};

}  // namespace

std::span<const ColumnRule> column_rules() { return kColumns; }

std::vector<std::string> column_names() {
  std::vector<std::string> names;
  for (const ColumnRule& rule : kColumns) names.emplace_back(rule.name);
  return names;
}

}  // namespace strata
