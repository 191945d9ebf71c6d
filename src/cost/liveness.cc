#include "strata/cost/liveness.h"

#include <algorithm>
#include <utility>

namespace strata {

namespace {

double at_one(const Expr& expr) {
  return expr.evaluate([](std::string_view) { return std::optional(1.0); }).value_or(0);
}

bool is_more(const Expr& a, const Expr& b) {
  if (a.is_number() && b.is_number()) return a.value() > b.value();
  if (a == b) return false;
  const Expr difference = a - b;
  if (provably_at_least(difference, 1)) return true;
  if (provably_at_least(-difference, 0)) return false;
  return at_one(difference) > 0;  // not decidable for every size, so it is judged at the smallest
}

constexpr NodeId kNever = kNone;

// By tensor.
struct Span {
  TensorId root;                    // the tensor whose memory a view shares
  NodeId first = kNever, last = 0;  // kNever: has no memory
};
using Spans = std::vector<Span>;

Spans find_spans(const Graph& graph, const Costs& costs) {
  Spans list(graph.tensors.size());
  Span* spans = list.data();
  for (TensorId id = 0; id < list.size(); ++id) spans[id].root = id;
  for (TensorId id : graph.inputs) spans[id].first = 0;
  for (const Executed& executed : costs.nodes) {
    if (executed.graph != &graph) continue;
    const Node& node = executed.get();
    for (TensorId id : node.inputs)
      if (id != kNone) spans[spans[id].root].last = executed.node;
    if (executed.cost->folded) continue;
    const bool shares = executed.cost->view && !node.inputs.empty() && node.inputs[0] != kNone;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const TensorId id = node.outputs[i];
      if (id == kNone) continue;
      if (shares && i == 0) {
        spans[id].root = spans[node.inputs[0]].root;
        continue;
      }
      spans[id].first = spans[id].last = executed.node;
    }
  }
  // Values that bodies read stay alive until the node that owns the body; such nodes do not list
  // them as inputs.
  for (TensorId id : graph.outputs)
    if (id != kNone && !graph.nodes.empty())
      spans[spans[id].root].last = static_cast<NodeId>(graph.nodes.size() - 1);
  return list;
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
          NodeId& last = spans[spans[tensor.outer].root].last;
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
  result.lifetimes.reserve(static_cast<std::size_t>(std::count_if(
      spans.begin(), spans.end(), [](const Span& span) { return span.first != kNever; })));
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    const Span& span = spans[id];
    if (span.first == kNever) continue;
    const TypeInfo& type = graph.tensors[id].type;
    Expr size = type.ranked && type.kind == ValueKind::Tensor
                    ? bytes(elements(type.dims), type.dtype)
                    : Expr::unknown();
    if (size.is_unknown()) {
      result.certainty = Certainty::LowerBound;
      continue;
    }
    result.lifetimes.push_back({id, span.first, std::max(span.first, span.last), size});
  }
  Spans().swap(spans);
  // Most files list tensors as they are made.
  const auto is_earlier = [](const Lifetime& a, const Lifetime& b) { return a.first < b.first; };
  if (!std::is_sorted(result.lifetimes.begin(), result.lifetimes.end(), is_earlier))
    std::stable_sort(result.lifetimes.begin(), result.lifetimes.end(), is_earlier);

  // Until a node is reached, its place says how many bytes are freed after it.
  result.alive.resize(graph.nodes.size());
  Expr alive;
  auto born = result.lifetimes.begin();
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    const auto before = born;
    for (; born != result.lifetimes.end() && born->first == node; ++born) {
      alive += born->bytes;
      result.alive[born->last] += born->bytes;
    }
    const Expr dying = std::exchange(result.alive[node], alive);
    const bool grew = born != before;
    if (result.peak_node == kNone || (grew && is_more(alive, result.peak_bytes))) {
      result.peak_bytes = alive;
      result.peak_node = node;
    }
    if (!dying.is(0)) alive -= dying;
  }
  std::vector<std::pair<double, const Lifetime*>> sizes;
  for (const Lifetime& life : result.lifetimes)
    if (life.first <= result.peak_node && result.peak_node <= life.last)
      sizes.emplace_back(at_one(life.bytes), &life);
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [size, life] : sizes) result.at_peak.push_back(*life);
  return result;
}

}  // namespace strata
