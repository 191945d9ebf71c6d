#include "read/onnx/order.h"

#include <algorithm>

#include <fmt/format.h>

#include "read/onnx/node.h"

namespace strata::onnx {

namespace {

template <class F>
void each_body(const Node& node, F&& take) {
  for (const Attribute& attribute : node.attributes) {
    if (const auto* body = std::get_if<Graph*>(&attribute.value)) take(**body);
    if (const auto* bodies = std::get_if<std::span<Graph* const>>(&attribute.value))
      for (const Graph* each : *bodies) take(*each);
  }
}

// The nodes that must run before this one.
template <class F>
void each_dependency(const Graph& graph, const Node& node, F&& take) {
  const auto tensor = [&](TensorId id) {
    if (id != kNone && graph.tensors[id].producer != kNone) take(graph.tensors[id].producer);
  };
  for (const TensorId id : node.inputs) tensor(id);
  each_body(node, [&](const Graph& body) {
    for (const Tensor& inner : body.tensors)
      if (inner.role == Role::Captured) tensor(inner.outer);
  });
}

bool is_ordered(const Graph& graph, bool has_bodies) {
  bool ordered = true;
  for (NodeId i = 0; i < graph.nodes.size() && ordered; ++i) {
    const auto check = [&](NodeId before) { ordered = ordered && before < i; };
    if (has_bodies) {
      each_dependency(graph, graph.nodes[i], check);
      continue;
    }
    for (const TensorId id : graph.nodes[i].inputs)
      if (id != kNone && graph.tensors[id].producer != kNone) check(graph.tensors[id].producer);
  }
  return ordered;
}

std::string describe_node(const Graph& graph, NodeId id) {
  const Node& node = graph.nodes[id];
  std::string_view output;
  for (const TensorId out : node.outputs)
    if (out != kNone && output.empty()) output = graph.tensors[out].name;
  return describe(node.op, node.name, output);
}

// Visits nodes in file order, each after its dependencies, without recursion.
class Sorter {
 public:
  Sorter(const Loading& loading, const Graph& graph) : loading_(loading), graph_(graph) {
    starts_.reserve(graph.nodes.size() + 1);
    for (const Node& node : graph.nodes) {
      starts_.push_back(before_.size());
      each_dependency(graph, node, [&](NodeId id) { before_.push_back(id); });
    }
    starts_.push_back(before_.size());
  }

  std::vector<NodeId> order() {
    state_.assign(graph_.nodes.size(), State::New);
    for (NodeId id = 0; id < graph_.nodes.size(); ++id)
      if (state_[id] == State::New) visit(id);
    return std::move(order_);
  }

 private:
  enum class State : std::uint8_t { New, Open, Done };
  struct Step {
    NodeId node;
    std::size_t next;  // index into before_
  };

  void visit(NodeId first) {
    enter(first);
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.next == starts_[step.node + 1]) {
        state_[step.node] = State::Done;
        order_.push_back(step.node);
        path_.pop_back();
        continue;
      }
      const NodeId before = before_[step.next++];
      if (state_[before] == State::Open) circle(before);
      if (state_[before] == State::New) enter(before);
    }
  }

  void enter(NodeId id) {
    state_[id] = State::Open;
    path_.push_back({id, starts_[id]});
  }

  [[noreturn]] void circle(NodeId start) const {
    constexpr std::size_t kMostNamed = 4;
    std::string nodes = describe_node(graph_, start);
    std::size_t count = 0;
    // Walk backwards: nodes further up the path need those below them.
    for (auto step = path_.rbegin(); step != path_.rend() && step->node != start; ++step)
      if (++count <= kMostNamed) nodes += fmt::format(" → {}", describe_node(graph_, step->node));
    if (count > kMostNamed) nodes += fmt::format(" → {} more", count - kMostNamed);
    loading_.source.wrong(
        fmt::format("these nodes feed each other in a circle, so none can run first: {} → {}",
                    nodes, describe_node(graph_, start)));
  }

  const Loading& loading_;
  const Graph& graph_;
  std::vector<std::size_t> starts_;
  std::vector<NodeId> before_;
  std::vector<State> state_;
  std::vector<Step> path_;
  std::vector<NodeId> order_;
};

}  // namespace

void put_in_order(const Loading& loading, Graph& graph) {
  if (is_ordered(graph, loading.model.graphs.size() > 1)) return;
  const std::vector<NodeId> order = Sorter(loading, graph).order();
  NodeList nodes;
  nodes.reserve(order.size());
  std::vector<NodeId> place(order.size());
  for (const NodeId id : order) {
    place[id] = static_cast<NodeId>(nodes.size());
    nodes.push_back(graph.nodes[id]);
  }
  graph.nodes = std::move(nodes);
  for (Tensor& tensor : graph.tensors)
    if (tensor.producer != kNone) tensor.producer = place[tensor.producer];
}

}  // namespace strata::onnx
