#include "strata/cost/liveness.h"

#include <algorithm>

namespace strata {

namespace {

double at_one(const Expr& expr) {
  return expr.evaluate([](std::string_view) { return std::optional(1.0); }).value_or(0);
}

bool is_more(const Expr& a, const Expr& b) {
  if (a.is_number() && b.is_number()) return a.value() > b.value();
  const Expr difference = a - b;
  if (provably_at_least(difference, 1)) return true;
  if (provably_at_least(-difference, 0)) return false;
  return at_one(difference) > 0;  // not decidable for every size, so it is judged at the smallest
}

constexpr NodeId kNever = kNone;

struct Spans {
  std::vector<TensorId> root;       // the tensor whose memory a view shares
  std::vector<NodeId> first, last;  // kNever: has no memory
};

Spans find_spans(const Graph& graph, const Costs& costs) {
  const std::size_t count = graph.tensors.size();
  Spans spans{std::vector<TensorId>(count), std::vector<NodeId>(count, kNever),
              std::vector<NodeId>(count, 0)};
  for (TensorId id = 0; id < count; ++id) spans.root[id] = id;
  for (TensorId id : graph.inputs) spans.first[id] = 0;
  for (const Executed& executed : costs.nodes) {
    if (executed.graph != &graph) continue;
    const Node& node = executed.get();
    for (TensorId id : node.inputs)
      if (id != kNone) spans.last[spans.root[id]] = executed.node;
    if (executed.cost.folded) continue;
    const bool shares = executed.cost.view && !node.inputs.empty() && node.inputs[0] != kNone;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const TensorId id = node.outputs[i];
      if (id == kNone) continue;
      if (shares && i == 0) {
        spans.root[id] = spans.root[node.inputs[0]];
        continue;
      }
      spans.first[id] = spans.last[id] = executed.node;
    }
  }
  // Values that bodies read stay alive until the node that owns the body; such nodes do not list
  // them as inputs.
  for (TensorId id : graph.outputs)
    if (id != kNone && !graph.nodes.empty())
      spans.last[spans.root[id]] = static_cast<NodeId>(graph.nodes.size() - 1);
  return spans;
}

void extend_for_captures(const Model& model, const Graph& graph, const Costs& costs, Spans& spans) {
  if (model.graphs.size() == 1) return;
  for (const Executed& executed : costs.nodes) {
    if (executed.graph != &graph) continue;
    for (const Attribute& attribute : executed.get().attributes) {
      const auto* body = std::get_if<Graph*>(&attribute.value);
      if (body == nullptr || *body == nullptr) continue;
      for (const Tensor& tensor : (*body)->tensors)
        if (tensor.role == Role::Captured && tensor.outer != kNone) {
          NodeId& last = spans.last[spans.root[tensor.outer]];
          last = std::max(last, executed.node);
        }
    }
  }
}

}  // namespace

Liveness find_liveness(const Model& model, const Costs& costs) {
  const Graph& graph = model.graph();
  Spans spans = find_spans(graph, costs);
  extend_for_captures(model, graph, costs, spans);

  Liveness result;
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    if (spans.first[id] == kNever) continue;
    const TypeInfo& type = graph.tensors[id].type;
    Expr size = type.ranked && type.kind == ValueKind::Tensor
                    ? bytes(elements(type.dims), type.dtype)
                    : Expr::unknown();
    if (size.is_unknown()) {
      result.certainty = Certainty::LowerBound;
      continue;
    }
    result.lifetimes.push_back(
        {id, spans.first[id], std::max(spans.first[id], spans.last[id]), size});
  }
  std::stable_sort(result.lifetimes.begin(), result.lifetimes.end(),
                   [](const Lifetime& a, const Lifetime& b) { return a.first < b.first; });

  std::vector<Expr> dying(graph.nodes.size());  // bytes freed after each node
  result.alive.resize(graph.nodes.size());
  Expr alive;
  auto born = result.lifetimes.begin();
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    for (; born != result.lifetimes.end() && born->first == node; ++born) {
      alive += born->bytes;
      dying[born->last] += born->bytes;
    }
    result.alive[node] = alive;
    if (result.peak_node == kNone || is_more(alive, result.peak_bytes)) {
      result.peak_bytes = alive;
      result.peak_node = node;
    }
    alive -= dying[node];
  }
  for (std::uint32_t i = 0; i < result.lifetimes.size(); ++i) {
    const Lifetime& life = result.lifetimes[i];
    if (life.first <= result.peak_node && result.peak_node <= life.last)
      result.at_peak.push_back(i);
  }
  std::vector<std::pair<double, std::uint32_t>> sizes;
  for (const std::uint32_t i : result.at_peak)
    sizes.emplace_back(at_one(result.lifetimes[i].bytes), i);
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < sizes.size(); ++i) result.at_peak[i] = sizes[i].second;
  return result;
}

}  // namespace strata
