#include "profile/measured.h"

#include <algorithm>

namespace strata {

Measured assign_times(const Analysis& a, const SourceNodes& nodes, const Timing& timing) {
  Measured out;
  out.by_layer.resize(a.layers.list.size());
  out.by_node.resize(a.costs.nodes.size());
  const std::vector<const Kernel*> kernels = kernels_of(timing);
  PlacedKernels placed = place_kernels(a, nodes, kernels, timing.absent);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const Samples& seconds = timing.kernels[k].seconds;
    const std::uint32_t main = placed.main[k];
    if (main == kNone) {
      out.without_layer.push_back({kernels[k]->name, kernels[k]->op, kernels[k]->kind, seconds});
      continue;
    }
    add_samples(out.by_node[main], seconds);
    add_samples(out.by_layer[nodes.layer_of(main)], seconds);
  }
  out.instead = std::move(placed.instead);
  // Stopped before any kernel was recorded, nothing can be said.
  if (!timing.recorded.empty()) out.unassigned = std::move(placed.unassigned);
  return out;
}

std::vector<const Kernel*> kernels_of(const Timing& timing) {
  std::vector<const Kernel*> kernels;
  for (const KernelTimes& times : timing.kernels) kernels.push_back(&times.kernel);
  return kernels;
}

void use_times(Analysis& a, const Measured& measured) {
  const auto use = [](Figures& figures, const Samples& samples) {
    if (samples.empty()) return;
    figures.samples = samples;
    figures.seconds = summarize(samples).median;
  };
  a.instead = measured.instead;
  for (std::size_t i = 0; i < a.by_layer.size(); ++i) use(a.by_layer[i], measured.by_layer[i]);
  for (std::size_t i = 0; i < a.by_node.size(); ++i) use(a.by_node[i], measured.by_node[i]);
}

std::vector<Row> rows_beside_layers(const Measured& measured, const Timing& timing,
                                    double in_layers) {
  std::vector<Row> rows;
  for (const MeasuredKernel& kernel : measured.without_layer) {
    Row& row = rows.emplace_back();
    row.layer = kernel.name;
    row.calls = 0;
    row.type = kernel.op;
    row.figures.samples = kernel.seconds;
    row.figures.seconds = summarize(kernel.seconds).median;
    in_layers += *row.figures.seconds;
  }
  if (timing.recorded.empty()) return rows;
  Row& outside = rows.emplace_back();
  outside.layer = "outside layers";
  outside.calls = 0;
  outside.figures.seconds = summarize(timing.runs).median - in_layers;
  return rows;
}

TimingFacts timing_facts(const Timing& timing, const Measured& measured, TimingFacts facts) {
  const Summary summary = summarize(timing.runs);
  facts.runs = timing.runs.size();
  facts.all_runs = std::max(timing.wall.size(), timing.runs.size());
  facts.recorded = timing.recorded.size();
  facts.warmup = timing.warmup.size();
  facts.median = summary.median;
  facts.mad = summary.mad;
  const SessionCenter center =
      timing.sessions.empty()
          ? session_center(timing.runs, std::vector{timing.runs.size()}, pace_drift(-1))
          : timing.center;
  if (center.interval) {
    facts.low = std::min(center.interval->low, summary.median);
    facts.high = std::max(center.interval->high, summary.median);
  }
  facts.withheld = center.withheld;
  facts.sessions = std::max<std::size_t>(1, timing.sessions.size());
  facts.wait_seconds = timing.contention.wait_seconds;
  facts.steal_seconds = timing.contention.steal_seconds;
  facts.pressure = timing.contention.pressure;
  facts.waits_read = timing.waits_read;
  facts.slowed = timing.pace.slowed;
  facts.open = timing.open_seconds;
  facts.first = timing.first_seconds;
  facts.probe = timing.probe.inside;
  facts.disturbed = timing.contention.disturbed(facts.threads);
  facts.noisy = summary.cv > kNoisyCv;
  facts.partial = timing.partial;
  facts.cpu_seconds = timing.contention.cpu_seconds;
  facts.wall_seconds = timing.contention.wall_seconds;
  facts.involuntary = timing.contention.involuntary;
  facts.samples = timing.runs;
  facts.unassigned = measured.unassigned;
  return facts;
}

std::string use_memory(Analysis& a, const SourceNodes& nodes, const MemoryTrace& memory) {
  std::string peak_layer;
  for (std::size_t k = 0; k < memory.kernels.size(); ++k) {
    const KernelMemory& kernel = memory.kernels[k];
    const std::uint32_t main = nodes.main_source(kernel.kernel);
    if (k == memory.peak_kernel)
      peak_layer = main == kNone
                       ? kernel.kernel.name
                       : layer_path(a.model, a.costs, a.layers.list[nodes.layer_of(main)]);
    if (main == kNone) continue;
    Figures more;
    more.taken = TakenMemory{kernel.allocated, kernel.scratch, kernel.held, kernel.peak};
    for (Figures* figures : {&a.by_node[main], &a.by_layer[nodes.layer_of(main)]}) {
      Figures taken;
      taken.taken = figures->taken;
      add_to(taken, more);
      figures->taken = taken.taken;
    }
  }
  return peak_layer;
}

void take_beside_layers(const SourceNodes& nodes, const MemoryTrace& memory,
                        std::vector<Row>& beside) {
  for (const KernelMemory& kernel : memory.kernels) {
    if (nodes.main_source(kernel.kernel) != kNone) continue;
    auto row = std::find_if(beside.begin(), beside.end(), [&](const Row& known) {
      return known.layer == kernel.kernel.name && known.type == kernel.kernel.op;
    });
    if (row == beside.end()) {
      Row made;
      made.layer = kernel.kernel.name;
      made.type = kernel.kernel.op;
      made.calls = 0;
      row = beside.insert(beside.end(), std::move(made));
    }
    Figures more;
    more.taken = TakenMemory{kernel.allocated, kernel.scratch, kernel.held, kernel.peak};
    add_to(row->figures, more);
  }
}

void use_roofline(Row& row, const Roofline& roofline) {
  const auto flops = row.figures.flops.number();
  const auto bytes = (row.figures.read_bytes + row.figures.write_bytes).number();
  if (!flops || !bytes || *flops <= 0 || *bytes <= 0) return;
  const double intensity = *flops / *bytes;
  const bool compute = roofline.attainable(intensity) >= roofline.fp32_flops;
  row.bound = compute ? "compute" : "memory";
  if (row.figures.seconds && *row.figures.seconds > 0)
    row.of_roof = 100 * *flops / *row.figures.seconds / roofline.attainable(intensity);
}

}  // namespace strata
