#include "strata/cost/liveness.h"

#include <algorithm>
#include <span>
#include <utility>

#include "cost/largest_formula.h"
#include "cost/torch_view.h"
#include "ops/aten_table.h"
#include "strata/graph/recorded.h"

namespace strata {

namespace {

constexpr NodeId kNever = kNone;

// The life of a tensor.
struct Span {
  TensorId root;                    // the tensor whose memory a view shares
  NodeId first = kNever, last = 0;  // kNever: has no memory
  TensorId whole = kNone;           // the tensor as large as its memory, if that is not itself
};
using Spans = std::vector<Span>;

// Says which outputs of a node are in the memory of its first input.
class Sharing {
 public:
  struct Shares {
    bool first = false, others = false;
  };

  Sharing(const Graph& graph, const QuantizedTensors& quantized, bool is_run)
      : graph_(graph), quantized_(quantized), is_run_(is_run) {}

  // Nodes have to come in the order they run.
  Shares look_at(const Executed& executed, const Node& node) {
    if (node.inputs.empty() || node.inputs[0] == kNone) return {};
    if (is_run_ && makes_literal(node)) return {};
    if (node.domain != kAten)
      return {executed.cost->view || quantized_.passes(graph_, executed.node), false};
    if (unordered_.empty()) {
      unordered_.resize(graph_.tensors.size());
      unknown_.resize(graph_.tensors.size());
    }
    const OrderUnknown order = order_unknown(graph_, node, unknown_);
    may_copy_ = may_copy_ || order.may_copy;
    for (const TensorId id : node.outputs)
      if (id != kNone && order.outputs) unknown_[id] = true;
    const bool ordered = !unordered_[node.inputs[0]];
    if (works_in_place(node)) {
      set_order(node, ordered);
      return {true, false};
    }
    const TorchView view = torch_view(graph_, node, ordered);
    set_order(node, view.ordered);
    // Dropout in training works, and makes a result and a mask.
    const bool shares = view.shares && executed.cost->flops().is(0);
    return {shares, shares};
  }

  // True if a node may copy elements that are out of order, which nothing tells for sure.
  bool may_copy() const { return may_copy_; }

 private:
  void set_order(const Node& node, bool ordered) {
    for (TensorId id : node.outputs)
      if (id != kNone && !ordered) unordered_[id] = true;
  }

  const Graph& graph_;
  const QuantizedTensors& quantized_;
  bool is_run_;
  // True for tensors, in graphs of PyTorch, whose elements are not contiguous.
  std::vector<bool> unordered_;
  // True for those for which that is not known.
  std::vector<bool> unknown_;
  bool may_copy_ = false;
};

// Nodes that depend on stored values alone are computed once, at load, unless the network is a
// recorded run, in which they were computed between the others.
Spans find_spans(const Graph& graph, const Costs& costs, bool is_run, bool& may_copy) {
  const QuantizedTensors& quantized = costs.quantized;
  Spans list(graph.tensors.size());
  Span* spans = list.data();
  Sharing sharing(graph, quantized, is_run);
  for (TensorId id = 0; id < list.size(); ++id) spans[id].root = id;
  for (TensorId id : graph.inputs) spans[id].first = 0;
  for (const Executed& executed : costs.nodes) {
    if (executed.graph != &graph) continue;
    const Node& node = executed.get();
    for (TensorId id : node.inputs)
      if (id != kNone)
        spans[spans[quantized.read_by(graph, executed.node, id)].root].last = executed.node;
    if (executed.cost->folded && !is_run) continue;
    const Sharing::Shares shares = sharing.look_at(executed, node);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const TensorId id = node.outputs[i];
      if (id == kNone) continue;
      if (i == 0 ? shares.first : shares.others)
        spans[id].root = spans[node.inputs[0]].root;
      else
        spans[id].first = spans[id].last = executed.node;
    }
    if (shares.first || node.outputs.empty() || node.outputs[0] == kNone) continue;
    TensorId& whole = spans[node.outputs[0]].whole;
    if (sums_in_place(node)) whole = node.inputs[0];
    if (!copies_whole_memory(node)) continue;
    whole = spans[node.inputs[0]].root;
    if (spans[whole].whole != kNone) whole = spans[whole].whole;
  }
  may_copy = sharing.may_copy();
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

// True if a node inside a body makes memory that the node with the body does not list. A branch's
// results are those of the node; a loop has those of two steps at once.
bool has_hidden_memory(const Graph& graph, const Costs& costs) {
  return std::any_of(costs.nodes.begin(), costs.nodes.end(), [&](const Executed& executed) {
    const Graph& body = *executed.graph;
    if (&body == &graph || executed.cost->folded || executed.cost->view) return false;
    const std::vector<TensorId>& results = body.outputs;
    const auto is_result = [&](TensorId id) {
      return id == kNone || std::find(results.begin(), results.end(), id) != results.end();
    };
    const auto& outputs = executed.get().outputs;
    return !body.inputs.empty() || !std::all_of(outputs.begin(), outputs.end(), is_result);
  });
}

}  // namespace

Liveness find_liveness(const Model& model, const Costs& costs) {
  const Graph& graph = model.graph();
  Liveness result;
  bool may_copy = false;
  Spans spans = find_spans(graph, costs, model.recorded != nullptr, may_copy);
  extend_for_captures(model, graph, costs, spans);
  if (may_copy || has_hidden_memory(graph, costs) ||
      (model.recorded != nullptr && model.recorded->peaks_at_least))
    result.certainty = Certainty::LowerBound;
  result.lifetimes.reserve(static_cast<std::size_t>(std::count_if(
      spans.begin(), spans.end(), [](const Span& span) { return span.first != kNever; })));
  std::span<const std::pair<TensorId, std::int64_t>> larger;
  if (model.recorded != nullptr) larger = model.recorded->larger;
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    const Span& span = spans[id];
    if (span.first == kNever) continue;
    Expr size = costs.quantized.bytes_of(graph, id);
    while (!larger.empty() && larger.front().first < id) larger = larger.subspan(1);
    if (!larger.empty() && larger.front().first == id) size = larger.front().second;
    if (span.whole != kNone) size = max(size, costs.quantized.bytes_of(graph, span.whole));
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
  LargestFormula peak;
  auto born = result.lifetimes.begin();
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    const auto before = born;
    for (; born != result.lifetimes.end() && born->first == node; ++born) {
      alive += born->bytes;
      result.alive[born->last] += born->bytes;
    }
    const Expr dying = std::exchange(result.alive[node], alive);
    const bool grew = born != before;
    if (grew || node == 0) peak.add(alive, node);
    if (!dying.is(0)) alive -= dying;
  }
  result.peak_bytes = peak.value();
  result.peak_node = peak.node();
  if (!peak.is_complete()) result.certainty = Certainty::LowerBound;
  const double size = peak.depends_on_sizes() ? LargestFormula::kLarge : 1;
  std::vector<std::pair<double, const Lifetime*>> sizes;
  for (const Lifetime& life : result.lifetimes)
    if (life.first <= result.peak_node && result.peak_node <= life.last)
      sizes.emplace_back(value_at(life.bytes, size), &life);
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [bytes, life] : sizes) result.at_peak.push_back(*life);
  return result;
}

}  // namespace strata
