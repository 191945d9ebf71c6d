#include "edit/kept.h"

#include <algorithm>
#include <set>

#include "strata/cost/cost.h"

namespace strata {

namespace {

struct Candidate {
  TailCut cut;
  double work = 0;  // the work from there on
};

bool is_given(const Graph& graph, TensorId id) { return graph.tensors[id].producer == kNone; }

// -1: not known.
std::int64_t bytes_of(const Graph& graph, TensorId id) {
  const TypeInfo& type = graph.tensors[id].type;
  if (!type.ranked) return -1;
  Expr elements = 1;
  for (const Expr& size : type.dims) elements = elements * size;
  if (!elements.is_number()) return -1;
  return elements.value() * ((bits(type.dtype) + 7) / 8);
}

// The bytes that keeping these tensors adds to those already kept; -1: not known.
std::int64_t added_bytes(const Graph& graph, const TailCut& cut, const std::set<TensorId>& kept) {
  std::int64_t sum = 0;
  for (const TensorId id : cut.crossing) {
    if (is_given(graph, id) || kept.contains(id)) continue;
    const std::int64_t bytes = bytes_of(graph, id);
    if (bytes < 0) return -1;
    sum += bytes;
  }
  return sum;
}

}  // namespace

NodeId start_of(const QuantLayer& layer) {
  return *std::min_element(layer.nodes.begin(), layer.nodes.end());
}

std::vector<double> work_of(const Model& model) {
  std::vector<double> work(model.graph().nodes.size(), 0);
  NodeId last = 0;
  for (const Executed& node : count(model).nodes) {
    if (node.graph == &model.graph()) last = node.node;
    const Expr macs = node.cost->macs * node.times;
    if (!work.empty() && macs.is_number()) work[last] += static_cast<double>(macs.value());
  }
  return work;
}

KeptPlan plan_kept(const Model& model, std::span<const NodeId> starts, std::span<const double> work,
                   std::int64_t bytes_per_sample) {
  const Graph& graph = model.graph();
  std::vector<double> after(graph.nodes.size() + 1, 0);
  for (std::size_t n = graph.nodes.size(); n-- > 0;) after[n] = after[n + 1] + work[n];

  std::set<NodeId> places(starts.begin(), starts.end());
  places.erase(0);
  std::vector<Candidate> candidates;
  candidates.push_back({tail_cut(model, 0), after[0]});
  for (const NodeId place : places) candidates.push_back({tail_cut(model, place), after[place]});

  // The work for all layers with these cuts; the first cut is always chosen.
  std::vector<bool> chosen(candidates.size(), false);
  chosen[0] = true;
  std::vector<std::size_t> own(starts.size(), 0);  // the candidate right before it
  for (std::size_t l = 0; l < starts.size(); ++l)
    for (std::size_t c = 0; c < candidates.size() && candidates[c].cut.node <= starts[l]; ++c)
      own[l] = c;
  std::vector<std::size_t> latest(candidates.size());  // latest chosen candidate at or before each
  const auto total = [&] {
    for (std::size_t c = 0; c < candidates.size(); ++c) latest[c] = chosen[c] ? c : latest[c - 1];
    double sum = 0;
    for (std::size_t l = 0; l < starts.size(); ++l) sum += candidates[latest[own[l]]].work;
    return sum;
  };

  // Repeatedly takes the cut that saves the most work per byte.
  std::set<TensorId> kept;
  std::int64_t bytes = 0;
  for (double current = total();;) {
    std::size_t best = 0;
    double best_rate = 0;
    std::int64_t best_bytes = 0;
    for (std::size_t c = 1; c < candidates.size(); ++c) {
      if (chosen[c]) continue;
      const std::int64_t added = added_bytes(graph, candidates[c].cut, kept);
      if (added < 0 || added > bytes_per_sample - bytes) continue;
      chosen[c] = true;
      const double rate = (current - total()) / static_cast<double>(added + 1);
      chosen[c] = false;
      if (rate > best_rate) {
        best = c;
        best_rate = rate;
        best_bytes = added;
      }
    }
    if (best == 0) break;
    chosen[best] = true;
    bytes += best_bytes;
    for (const TensorId id : candidates[best].cut.crossing)
      if (!is_given(graph, id)) kept.insert(id);
    current = total();
  }

  total();
  KeptPlan plan;
  plan.bytes_per_sample = bytes;
  for (const TensorId id : kept) plan.tensors.emplace_back(graph.tensors[id].name);
  std::vector<std::size_t> number(candidates.size(), 0);
  plan.cut_of.assign(starts.size(), 0);
  plan.share.assign(starts.size(), 0);
  for (std::size_t l = 0; l < starts.size(); ++l) {
    const std::size_t c = latest[own[l]];
    plan.cut_of[l] = c;
    plan.share[l] = after[0] > 0 ? candidates[c].work / after[0] : 1;
  }
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (!chosen[c]) continue;
    number[c] = plan.cuts.size();
    plan.cuts.push_back(std::move(candidates[c].cut));
  }
  for (std::size_t& c : plan.cut_of) c = number[c];
  return plan;
}

}  // namespace strata
