#include "profile/measured.h"

#include <algorithm>
#include <unordered_map>

namespace strata {

namespace {

// Where each node of the model stands in Costs::nodes, by the name that engines use.
std::unordered_map<std::string, std::uint32_t> executed_by_key(const Analysis& a) {
  const std::vector<std::string> keys = node_keys(a.model);
  std::unordered_map<const Graph*, std::size_t> first;
  std::size_t next = 0;
  for (const Graph& graph : a.model.graphs) {
    first.emplace(&graph, next);
    next += graph.nodes.size();
  }
  std::unordered_map<std::string, std::uint32_t> places;
  for (std::uint32_t i = 0; i < a.costs.nodes.size(); ++i) {
    const Executed& executed = a.costs.nodes[i];
    places.emplace(keys[first.at(executed.graph) + executed.node], i);
  }
  return places;
}

double work_of(const Executed& executed) {
  const auto number = [](const Expr& e) {
    return e.evaluate([](std::string_view) { return std::optional(1.0); }).value_or(0);
  };
  // MACs decide; among nodes without any, other arithmetic.
  return 1e6 * number(executed.cost.macs) + number(executed.cost.flops());
}

// The node that a kernel counts at: of its sources the one with the most work.
std::uint32_t main_source(const Analysis& a,
                          const std::unordered_map<std::string, std::uint32_t>& places,
                          const Kernel& kernel) {
  std::uint32_t main = kNone;
  for (const std::string& source : kernel.sources) {
    const auto found = places.find(source);
    if (found == places.end()) continue;
    const std::uint32_t node = found->second;
    if (main == kNone || work_of(a.costs.nodes[node]) > work_of(a.costs.nodes[main])) main = node;
  }
  return main;
}

std::vector<std::uint32_t> layers_of_nodes(const Analysis& a) {
  std::vector<std::uint32_t> layer_of(a.costs.nodes.size(), kNone);
  for (std::uint32_t l = 0; l < a.layers.list.size(); ++l)
    for (std::uint32_t node : a.layers.nodes_of(a.layers.list[l])) layer_of[node] = l;
  return layer_of;
}

}  // namespace

Measured assign_times(const Analysis& a, const Timing& timing) {
  Measured out;
  out.by_layer.resize(a.layers.list.size());
  out.by_node.resize(a.costs.nodes.size());
  out.instead.resize(a.layers.list.size());
  const auto places = executed_by_key(a);
  const std::vector<std::uint32_t> layer_of = layers_of_nodes(a);
  std::vector<std::uint32_t> runs_in(a.costs.nodes.size(),
                                     kNone);  // node → where its kernel counts
  for (const KernelTimes& times : timing.kernels) {
    const std::uint32_t main = main_source(a, places, times.kernel);
    if (main == kNone) {
      out.without_layer.push_back(
          {times.kernel.name, times.kernel.op, times.kernel.kind, times.seconds});
      continue;
    }
    for (const std::string& source : times.kernel.sources)
      if (const auto found = places.find(source); found != places.end())
        runs_in[found->second] = main;
    add_samples(out.by_node[main], times.seconds);
    add_samples(out.by_layer[layer_of[main]], times.seconds);
  }

  std::vector<const std::string*> absent(a.costs.nodes.size(), nullptr);
  for (const Session::Absent& missing : timing.absent)
    if (const auto found = places.find(missing.node); found != places.end())
      absent[found->second] = &missing.reason;
  // Stopped before any kernel was recorded, nothing can be said.
  for (const auto& [key, node] : places)
    if (!timing.recorded.empty() && runs_in[node] == kNone && absent[node] == nullptr)
      out.unassigned.push_back(key);
  std::sort(out.unassigned.begin(), out.unassigned.end());

  for (std::uint32_t l = 0; l < a.layers.list.size(); ++l) {
    if (!out.by_layer[l].empty()) continue;
    for (std::uint32_t node : a.layers.nodes_of(a.layers.list[l])) {
      if (runs_in[node] != kNone)
        out.instead[l] = layer_path(a.model, a.costs, a.layers.list[layer_of[runs_in[node]]]);
      else if (absent[node] != nullptr && out.instead[l].empty())
        out.instead[l] = *absent[node];
    }
  }
  return out;
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
  facts.recorded = timing.recorded.size();
  facts.warmup = timing.warmup.size();
  facts.median = summary.median;
  facts.mad = summary.mad;
  if (summary.interval) facts.low = summary.interval->low, facts.high = summary.interval->high;
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

std::string use_memory(Analysis& a, const MemoryTrace& memory) {
  const auto places = executed_by_key(a);
  const std::vector<std::uint32_t> layer_of = layers_of_nodes(a);
  std::string peak_layer;
  for (std::size_t k = 0; k < memory.kernels.size(); ++k) {
    const KernelMemory& kernel = memory.kernels[k];
    const std::uint32_t main = main_source(a, places, kernel.kernel);
    if (k == memory.peak_kernel)
      peak_layer = main == kNone ? kernel.kernel.name
                                 : layer_path(a.model, a.costs, a.layers.list[layer_of[main]]);
    if (main == kNone) continue;
    Figures more;
    more.taken = TakenMemory{kernel.allocated, kernel.scratch, kernel.held, kernel.peak};
    for (Figures* figures : {&a.by_node[main], &a.by_layer[layer_of[main]]}) {
      Figures taken;
      taken.taken = figures->taken;
      add_to(taken, more);
      figures->taken = taken.taken;
    }
  }
  return peak_layer;
}

void take_beside_layers(const Analysis& a, const MemoryTrace& memory, std::vector<Row>& beside) {
  const auto places = executed_by_key(a);
  for (const KernelMemory& kernel : memory.kernels) {
    if (main_source(a, places, kernel.kernel) != kNone) continue;
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
