#include "strata/report/predict.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "strata/base/number_text.h"
#include "strata/cost/explain.h"

namespace strata {

namespace {

std::vector<std::uint32_t> layer_of_nodes(const PredictSource& source) {
  std::vector<std::uint32_t> layer(source.costs.nodes.size(), kNone);
  for (std::uint32_t i = 0; i < source.layers.list.size(); ++i)
    for (const std::uint32_t node : source.layers.nodes_of(source.layers.list[i])) layer[node] = i;
  return layer;
}

std::string path_of(const PredictSource& source, std::uint32_t layer) {
  if (layer == kNone) return "";
  return layer_path(source.model, source.costs, source.layers.list[layer]);
}

std::string range_text(double low, double high) {
  return fmt::format("{} to {}", human_seconds(low), human_seconds(high));
}

double per_second(const PredictSource& source, double seconds) {
  return seconds > 0 ? static_cast<double>(source.batch.value_or(1)) / seconds : 0;
}

Cell energy_of(const PredictedDevice& one) {
  const auto& power = one.predictor.device().power;
  return power ? Cell(power->value * one.time.high * 1e12) : Cell();
}

Cell fits_cell(const PredictedDevice& one) {
  const auto known = fits(one);
  return known ? Cell(*known) : Cell();
}

// The batch from which most of the time is spent in arithmetic.
std::optional<double> compute_bound_from(const PredictedDevice& one) {
  for (const BatchTime& at : one.batches)
    if (at.compute_share > 0.5) return at.batch;
  return std::nullopt;
}

constexpr std::array<std::string_view, 3> kPhases = {"forward", "backward", "optimizer"};

// Seconds of each phase; nullopt if the network is not a recorded training step.
std::optional<std::array<double, 3>> phase_seconds(const PredictedDevice& one) {
  std::array<double, 3> seconds = {};
  bool trains = false;
  for (std::size_t i = 0; i < one.kernels->size(); ++i) {
    const Phase phase = (*one.kernels)[i].phase;
    seconds[static_cast<std::size_t>(phase)] += one.time.kernels[i].seconds;
    trains = trains || phase != Phase::Forward;
  }
  return trains ? std::optional(seconds) : std::nullopt;
}

Table kernels_table(const PredictSource& source) {
  const PredictedDevice& one = source.devices.front();
  const auto layer_of = layer_of_nodes(source);
  Table table{
      .name = "kernels",
      .columns = {
          {"layer", "Layer"},
          {.name = "fused", .title = "Fused", .unit = Unit::Count, .priority = 5},
          {.name = "class", .title = "Class", .priority = 2},
          {.name = "time",
           .title = "Time",
           .unit = Unit::Seconds,
           .additive = true,
           .type = ColumnType::Estimate},
          {.name = "share", .title = "%", .unit = Unit::Percent, .additive = true, .share = true},
          {.name = "bound", .title = "Bound by"},
          {.name = "macs", .title = "MACs", .unit = Unit::Macs, .additive = true, .priority = 3},
          {.name = "bytes",
           .title = "Bytes",
           .unit = Unit::Bytes,
           .additive = true,
           .priority = 4}}};
  for (const char* name :
       {"flops", "read_bytes", "write_bytes", "weight_bytes", "outputs", "runs", "element_bytes"})
    table.columns.push_back({.name = name, .title = name, .unit = Unit::Number, .usual = false});
  table.columns.push_back({.name = "phase", .title = "Phase", .usual = false});
  table.shown_columns = {table.columns.begin(), table.columns.begin() + 8};
  table.shown_columns[3].type = ColumnType::Plain;
  const Spread& spread = one.predictor.efficiency().spread;
  for (std::size_t i = 0; i < one.kernels->size(); ++i) {
    const FusedKernel& kernel = (*one.kernels)[i];
    const KernelTime& time = one.time.kernels[i];
    const bool known = time.bound != Bound::Unknown;
    const double share = one.time.seconds > 0 ? 100 * time.seconds / one.time.seconds : 0;
    const Cell shown = known ? Cell(time.seconds) : Cell();
    const Cell estimate = known
                              ? Cell(Estimate{time.seconds, time.seconds * spread.low * spread.low,
                                              time.seconds * spread.high * spread.high})
                              : Cell();
    TableRow row{.cells = {path_of(source, layer_of[kernel.nodes.front()]), kernel.nodes.size() - 1,
                           name_of(kernel.kind), estimate, known ? Cell(share) : Cell(),
                           name_of(time.bound), kernel.macs * kernel.times,
                           one.predictor.bytes_of(kernel) * kernel.times}};
    row.shown = row.cells;
    row.shown[3] = shown;
    for (const double number :
         {kernel.flops, kernel.read_bytes, kernel.write_bytes, kernel.weight_bytes, kernel.outputs,
          kernel.times, kernel.element_bytes})
      row.cells.emplace_back(number);
    row.cells.emplace_back(kPhases[static_cast<std::size_t>(kernel.phase)]);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table devices_table(const PredictSource& source) {
  Table table{
      .name = "devices",
      .columns = {
          {"device", "Device"},
          {.name = "runtime", .title = "Runtime", .priority = 4},
          {.name = "precision", .title = "Precision", .priority = 3},
          {.name = "latency",
           .title = "Latency",
           .unit = Unit::Seconds,
           .type = ColumnType::Estimate},
          {.name = "throughput", .title = "Items/s", .unit = Unit::Number},
          {.name = "compute_share", .title = "Compute %", .unit = Unit::Percent, .priority = 2},
          {.name = "memory", .title = "Memory", .unit = Unit::Bytes},
          {.name = "fits", .title = "Fits", .type = ColumnType::Truth},
          {.name = "energy", .title = "Energy below", .unit = Unit::Picojoules, .priority = 1},
          {.name = "compute_bound_batch",
           .title = "Compute bound from batch",
           .unit = Unit::Count,
           .priority = 6},
          {.name = "constants", .title = "Constants", .priority = 5}}};
  for (const PredictedDevice& one : source.devices) {
    const auto from = compute_bound_from(one);
    table.rows.push_back(
        {.cells = {one.predictor.device().name, name_of(one.predictor.efficiency().runtime),
                   one.predictor.precision(),
                   Estimate{one.time.seconds, one.time.low, one.time.high},
                   per_second(source, one.time.seconds), 100 * one.time.compute_share,
                   one.weight_bytes + one.activation_bytes, fits_cell(one), energy_of(one),
                   from ? Cell(static_cast<std::int64_t>(*from)) : Cell(),
                   one.predictor.efficiency().name}});
  }
  return table;
}

Table batches_table(const PredictSource& source) {
  Table table{.name = "batches",
              .columns = {{.name = "batch", .title = "Batch", .unit = Unit::Number},
                          {.name = "latency",
                           .title = "Latency",
                           .unit = Unit::Seconds,
                           .type = ColumnType::Estimate},
                          {.name = "throughput", .title = "Items/s", .unit = Unit::Number},
                          {.name = "compute_share", .title = "Compute %", .unit = Unit::Percent}}};
  for (const BatchTime& at : source.devices.front().batches)
    table.rows.push_back(
        {.cells = {static_cast<std::int64_t>(at.batch), Estimate{at.seconds, at.low, at.high},
                   at.batch / at.seconds, 100 * at.compute_share}});
  return table;
}

std::string fits_text(const PredictedDevice& one) {
  const auto known = fits(one);
  const Device& device = one.predictor.device();
  if (!known) return "how much it holds is not known";
  if (device.ram_bytes)
    return fmt::format("{} its {} of RAM and {} of flash", *known ? "fits in" : "does not fit in",
                       human_bytes(device.ram_bytes->value),
                       human_bytes(device.flash_bytes ? device.flash_bytes->value : 0));
  return fmt::format("{} its {}", *known ? "fits in" : "does not fit in",
                     human_bytes(device.memory_bytes->value));
}

// `memory bandwidth (61 % of the time), arithmetic (37 %)`, the largest share first.
std::string limits_text(const DeviceTime& time) {
  struct Limit {
    Bound bound;
    std::string_view name;
    double seconds = 0;
  };
  std::array<Limit, 3> limits = {{{Bound::Compute, "arithmetic"},
                                  {Bound::Memory, "memory bandwidth"},
                                  {Bound::Launch, "launching kernels"}}};
  double all = 0;
  for (const KernelTime& kernel : time.kernels)
    for (Limit& limit : limits)
      if (kernel.bound == limit.bound) {
        limit.seconds += kernel.seconds;
        all += kernel.seconds;
      }
  std::stable_sort(limits.begin(), limits.end(),
                   [](const Limit& a, const Limit& b) { return a.seconds > b.seconds; });
  std::string text;
  for (const Limit& limit : limits)
    if (const double share = 100 * limit.seconds / all; all > 0 && share >= 0.5)
      text += fmt::format("{}{} ({:.0f} %{})", text.empty() ? "" : ", ", limit.name, share,
                          text.empty() ? " of the time" : "");
  return text;
}

std::string compute_bound_text(const PredictedDevice& one) {
  if (one.batches.empty()) return "";
  const auto from = compute_bound_from(one);
  return from ? fmt::format("; arithmetic takes more than half from batch {}", *from)
              : fmt::format("; arithmetic never takes more than half, up to batch {}",
                            one.batches.back().batch);
}

std::string energy_text(const PredictedDevice& one) {
  const auto& power = one.predictor.device().power;
  if (!power) return "";
  return fmt::format(" At most {} a run, at its {} W.",
                     human_picojoules(power->value * one.time.high * 1e12), power->value);
}

std::string verdict(const PredictSource& source) {
  const PredictedDevice& first = source.devices.front();
  const Predictor& predictor = first.predictor;
  const std::string items =
      source.batch ? fmt::format("{} items/s at batch {}",
                                 human(per_second(source, first.time.seconds)), *source.batch)
                   : "";
  const auto phases = phase_seconds(first);
  std::string text = fmt::format(
      "{}{}: {} a {}, likely {}{}{}.\n", source.devices.size() > 1 ? "Fastest is " : "",
      predictor.device().title, human_seconds(first.time.seconds), phases ? "training step" : "run",
      range_text(first.time.low, first.time.high), items.empty() ? "" : "; ", items);
  if (phases) {
    const double all = std::max(first.time.seconds, 1e-300);
    text +=
        fmt::format("Forward {:.0f} %, backward {:.0f} %, optimizer {:.0f} % of the time.\n",
                    100 * (*phases)[0] / all, 100 * (*phases)[1] / all, 100 * (*phases)[2] / all);
  }
  if (const std::string limits = limits_text(first.time); !limits.empty())
    text += fmt::format("Limited by {}{}.\n", limits, compute_bound_text(first));
  text += fmt::format("Weights {} and activations {}: {}.{}\n", human_bytes(first.weight_bytes),
                      human_bytes(first.activation_bytes), fits_text(first), energy_text(first));
  return text;
}

std::vector<std::string> all_notes(const PredictSource& source) {
  std::vector<std::string> notes(source.notes.begin(), source.notes.end());
  const PredictedDevice& first = source.devices.front();
  const Efficiency& efficiency = first.predictor.efficiency();
  notes.push_back(fmt::format("Constants of {}: {}", efficiency.name, efficiency.fitted_on));
  std::string others;
  const auto add = [&](bool same, const char* what) {
    if (!same) others += (others.empty() ? "" : ", ") + std::string(what);
  };
  add(efficiency.same_device, "device");
  add(efficiency.same_kind, "kind of device");
  add(efficiency.same_runtime, "runtime");
  add(efficiency.same_precision, "precision");
  add(efficiency.same_channels, "order of channels");
  if (!others.empty())
    notes.push_back(
        fmt::format("They were fitted on another {}; the interval is wider by an "
                    "assumption, which nothing here checks.",
                    others));
  const bool borrows = first.predictor.borrows_for(*first.kernels);
  if (borrows)
    notes.push_back(
        fmt::format("Convolutions were not measured in {} on GPUs: theirs are constants of mixed "
                    "precision, and the interval is wider by an assumption.",
                    first.predictor.precision()));
  if (source.batch && *source.batch < 32 && efficiency.same_kind &&
      (borrows || efficiency.layers.empty()) && first.predictor.device().units &&
      first.predictor.device().kind != "cpu")
    notes.emplace_back(
        "Batches below 32 on GPUs are outside of what was measured: launches and idle cores are "
        "assumed.");
  for (const std::string& note : first.predictor.notes()) notes.push_back(note);
  notes.emplace_back(
      "Activations are the peak in graph order, without the workspace of kernels. Energy is the "
      "device's power for the longest likely time.");
  if (!first.predictor.device().measured)
    notes.push_back(
        efficiency.layers.empty()
            ? "Times of single layers were never checked against measurements."
            : fmt::format("Times of single layers were checked only for {}.", efficiency.layers));
  return notes;
}

}  // namespace

std::vector<std::string> kernel_layers(const PredictSource& source) {
  const auto layer_of = layer_of_nodes(source);
  std::vector<std::string> paths;
  for (const FusedKernel& kernel : *source.devices.front().kernels)
    paths.push_back(path_of(source, layer_of[kernel.nodes.front()]));
  return paths;
}

std::optional<bool> fits(const PredictedDevice& one) {
  const Device& device = one.predictor.device();
  if (device.ram_bytes && device.flash_bytes)
    return one.activation_bytes <= device.ram_bytes->value &&
           one.weight_bytes <= device.flash_bytes->value;
  if (!device.memory_bytes) return std::nullopt;
  return one.weight_bytes + one.activation_bytes <= device.memory_bytes->value;
}

Document predict_document(const PredictSource& source) {
  Document document = new_document("prediction");
  const bool several = source.devices.size() > 1;
  const PredictedDevice& first = source.devices.front();
  document.facts = {{"model", Members{{"path", FilePath{source.model.path}}}},
                    {"device", first.predictor.device().name},
                    {"batch", source.batch},
                    {"weight_bytes", first.weight_bytes},
                    {"activation_bytes", first.activation_bytes}};
  if (several) document.tables.push_back(devices_table(source));
  document.tables.push_back(kernels_table(source));
  if (!several) document.tables.push_back(devices_table(source));
  document.tables.push_back(batches_table(source));
  document.sections = {answer_section(verdict(source)), {.table = several ? "devices" : "kernels"}};
  if (!several && !first.batches.empty()) document.sections.push_back({.table = "batches"});
  document.notes = plain_notes(all_notes(source));
  document.sections.push_back(notes_section(document.notes));
  return document;
}

Result<std::string> explain_prediction(const PredictSource& source, std::string_view layer) {
  const auto found = find_layer(source.model, source.costs, source.layers, layer);
  if (!found) return failure(found);
  const auto layer_of = layer_of_nodes(source);
  std::string text;
  for (const PredictedDevice& one : source.devices) {
    text += fmt::format("{} on {} ({}, {}, constants of {}):\n",
                        path_of(source, static_cast<std::uint32_t>(*found)),
                        one.predictor.device().name, name_of(one.predictor.efficiency().runtime),
                        one.predictor.precision(), one.predictor.efficiency().name);
    bool any = false;
    for (const FusedKernel& kernel : *one.kernels) {
      const bool runs = std::any_of(kernel.nodes.begin(), kernel.nodes.end(),
                                    [&](std::uint32_t node) { return layer_of[node] == *found; });
      if (!runs) continue;
      any = true;
      text += fmt::format("  {}: {}\n", name_of(kernel.kind), one.predictor.formula(kernel));
      for (std::size_t i = 0; i < kernel.nodes.size(); ++i)
        if (layer_of[kernel.nodes[i]] != *found)
          text += fmt::format("    together with {}\n", path_of(source, layer_of[kernel.nodes[i]]));
    }
    if (!any) text += "  takes no time: it moves nothing\n";
  }
  return text;
}

}  // namespace strata
