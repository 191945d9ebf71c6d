#include "profile/measured.h"

#include <algorithm>

#include "profile/figures.h"
#include "profile/roof_place.h"

namespace strata {

namespace {

Row kernel_row(const Kernel& kernel) {
  Row row;
  row.layer = kernel.name;
  row.type = kernel.op;
  row.calls = 0;  // of nothing
  if (kernel.kind == KernelKind::Layout) row.bound = kLayoutKernel;
  return row;
}

// The row of a kernel that no layer asked for, which may be made.
Row& row_beside(Attached& attached, const Kernel& kernel, std::uint32_t next) {
  for (RowList* rows : {&attached.timed_beside, &attached.traced_beside})
    for (Row& row : *rows)
      if (row.layer == kernel.name && row.type == kernel.op) return row;
  attached.traced_beside.emplace_back(kernel_row(kernel)).node = next;
  return attached.traced_beside.back();
}

// For each kernel, in the order in which they ran: the main node of the first one behind it that
// has one; kNone if there is none.
std::vector<std::uint32_t> next_nodes(std::span<const std::uint32_t> main) {
  std::vector<std::uint32_t> next(main.size(), kNone);
  for (std::size_t k = main.size(); k-- > 1;) next[k - 1] = main[k] == kNone ? next[k] : main[k];
  return next;
}

void add_taken(Boxed<TakenMemory>& sum, const KernelMemory& kernel) {
  Figures figures, more;
  figures.taken = sum;
  more.taken = TakenMemory{kernel.allocated, kernel.scratch, kernel.held, kernel.peak};
  add_to(figures, more);
  sum = figures.taken;
}

void set_median(Figures& figures) { figures.seconds = summarize(figures.samples).median; }

// Counts the samples of each session; empty if nothing can be said between sessions.
std::vector<std::size_t> sessions_of(const Timing& timing, const std::vector<std::size_t>& known,
                                     std::size_t all) {
  if (!timing.center.withheld.empty() || all == 0) return {};
  return known.empty() ? std::vector{all} : known;
}

}  // namespace

std::vector<const Kernel*> kernels_of(const Timing& timing) {
  std::vector<const Kernel*> kernels;
  for (const KernelTimes& times : timing.kernels) kernels.push_back(&times.kernel);
  return kernels;
}

void use_times(Analysis& a, const SourceNodes& nodes, const Timing& timing,
               const TimingFacts& given) {
  const std::vector<const Kernel*> kernels = kernels_of(timing);
  PlacedKernels placed = place_kernels(a, nodes, kernels, timing.absent);
  const std::vector<std::uint32_t> next = next_nodes(placed.main);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const std::vector<double>& seconds = timing.kernels[k].seconds;
    const std::uint32_t main = placed.main[k];
    if (main == kNone) {
      Row& row = a.attached.timed_beside.emplace_back(kernel_row(*kernels[k]));
      row.node = next[k];
      row.figures.samples = seconds;
      row.figures.seconds = summarize(seconds).median;
      continue;
    }
    add_samples(a.by_node[main].edit().samples, seconds);
    add_samples(a.by_layer[nodes.layer_of(main)].edit().samples, seconds);
  }
  for (std::vector<Shared<Figures>>* list : {&a.by_layer, &a.by_node})
    for (Shared<Figures>& figures : *list)
      if (!figures->samples.empty()) set_median(figures.edit());
  Attached& attached = a.attached;
  attached.instead = std::move(placed.instead);
  attached.fused = std::move(placed.fused);
  attached.counts_at = std::move(placed.counts_at);
  attached.timing = timing_facts(timing, given);
  // Stopped before any kernel was recorded, nothing can be said.
  if (!timing.recorded.empty()) attached.timing->unassigned = std::move(placed.unassigned);
  attached.sessions = sessions_of(timing, timing.sessions, timing.runs.size());
  attached.recorded_sessions =
      sessions_of(timing, timing.recorded_sessions, timing.recorded.size());
  attached.drift = timing.drift;
}

TimingFacts timing_facts(const Timing& timing, TimingFacts facts) {
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
  return facts;
}

std::string use_memory(Analysis& a, const SourceNodes& nodes, const MemoryTrace& memory) {
  std::string peak_layer;
  std::vector<std::uint32_t> mains;
  for (const KernelMemory& kernel : memory.kernels)
    mains.push_back(nodes.main_source(kernel.kernel));
  const std::vector<std::uint32_t> next = next_nodes(mains);
  for (std::size_t k = 0; k < memory.kernels.size(); ++k) {
    const KernelMemory& kernel = memory.kernels[k];
    const std::uint32_t main = mains[k];
    if (k == memory.peak_kernel)
      peak_layer = main == kNone
                       ? kernel.kernel.name
                       : layer_path(*a.model, a.costs, a.layers.list[nodes.layer_of(main)]);
    if (main == kNone) {
      add_taken(row_beside(a.attached, kernel.kernel, next[k]).figures.taken, kernel);
      continue;
    }
    add_taken(a.by_node[main].edit().taken, kernel);
    add_taken(a.by_layer[nodes.layer_of(main)].edit().taken, kernel);
  }
  return peak_layer;
}

}  // namespace strata
