#include "read/pt2/higher_order.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/pt2/graph.h"

namespace strata::pt2 {

namespace {

constexpr int kDeepestGraph = 32;  // graphs in graphs

// The arguments of a node's bodies. Each list is one argument: tensors, or a list of them.
struct Given {
  std::vector<TensorId> before;              // tensors in front of the bodies: a condition
  std::vector<std::string_view> bodies;      // as JSON
  std::vector<std::vector<TensorId>> after;  // what follows them
};

Given given_by(const GraphReader& reader, const NodeText& text) {
  Given given;
  for (const Argument& argument : text.arguments) {
    if (argument.kind == Argument::Kind::Graph) {
      given.bodies.push_back(argument.graph);
    } else if (argument.kind == Argument::Kind::Tensors) {
      auto& list = given.bodies.empty() ? given.before : given.after.emplace_back();
      for (const std::string_view name : text.tensors_of(argument))
        list.push_back(reader.use(name));
    }
  }
  return given;
}

struct Body {
  Graph* graph = nullptr;
  std::vector<TensorId> inputs;
};

Body read_body(GraphReader& reader, const JsonText& json, std::string_view body, ScopeId scope) {
  Graph& graph = reader.loading().model.graphs.emplace_back();
  graph.parent = &reader.graph();
  GraphReader inner(reader.loading(), graph, scope, reader.depth() + 1);
  JsonText text = json.at(body);
  inner.read(text);
  return {&graph, inner.inputs()};
}

// The last inputs of the body are tensors of the graph around it, the same in every run.
void capture(Body& body, std::span<const TensorId> outer) {
  if (outer.size() > body.inputs.size()) return;
  const std::size_t first = body.inputs.size() - outer.size();
  for (std::size_t i = 0; i < outer.size(); ++i) {
    const TensorId id = body.inputs[first + i];
    if (id == kNone || outer[i] == kNone) continue;
    Tensor& tensor = body.graph->tensors[id];
    tensor.role = Role::Captured;
    tensor.outer = outer[i];
    std::erase(body.graph->inputs, id);
  }
}

std::vector<TensorId> joined(std::span<const std::vector<TensorId>> lists) {
  std::vector<TensorId> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// A node whose graph runs once, where it is: the graph's nodes take its place.
void inline_body(GraphReader& reader, const JsonText& json, const NodeText& text,
                 const Given& given, ScopeId scope) {
  GraphReader inner(reader.loading(), reader.graph(), scope, reader.depth() + 1);
  inner.inline_with(joined(given.after), text.name);
  JsonText body = json.at(given.bodies[0]);
  inner.read(body);
  if (inner.outputs().size() != text.outputs.size())
    throw Broken{fmt::format("node {} has {} outputs, and its graph has {}", in_quotes(text.name),
                             text.outputs.size(), inner.outputs().size())};
  for (std::size_t i = 0; i < text.outputs.size(); ++i)
    if (!text.outputs[i].empty() && inner.outputs()[i] != kNone)
      reader.bind(text.outputs[i], inner.outputs()[i]);
}

}  // namespace

void add_higher_order(GraphReader& reader, const JsonText& json, const Operator& op,
                      const NodeText& text) {
  Loading& loading = reader.loading();
  if (reader.depth() >= kDeepestGraph)
    throw Broken{fmt::format("its graphs are nested more than {} deep", kDeepestGraph),
                 Code::OverLimit};
  const Given given = given_by(reader, text);
  const ScopeId scope = text.stack.empty() ? 0 : loading.modules.scope_of(text.stack);
  const bool is_cond = op.op == "cond", is_while = op.op == "while_loop", is_scan = op.op == "scan",
             is_map = op.op == "map_impl" || op.op == "map",
             is_associative = op.op == "associative_scan";
  if (given.bodies.size() == 1 && !is_scan && !is_map && !is_associative) {
    inline_body(reader, json, text, given, scope);
    return;
  }

  std::vector<TensorId> inputs = given.before;
  std::vector<Attribute> attributes;
  // The last list is the same in every run; for a condition, all there is.
  const std::span lists(given.after);
  const bool has_fixed = lists.size() > (is_cond ? 0u : is_scan ? 2u : 1u);
  const std::span fixed =
      has_fixed ? std::span<const TensorId>(lists.back()) : std::span<const TensorId>();
  const auto changing = joined(has_fixed ? lists.first(lists.size() - 1) : lists);
  inputs.insert(inputs.end(), changing.begin(), changing.end());
  Expr trips = Expr::unknown();
  if (is_while) {
    const int number = ++loading.loops;
    trips = Expr::symbol(number == 1 ? "trips" : fmt::format("trips_{}", number));
  }
  constexpr std::string_view kNames[] = {"body", "second_body"};
  for (std::size_t i = 0; i < given.bodies.size() && i < std::size(kNames); ++i) {
    Body body = read_body(reader, json, given.bodies[i], scope);
    capture(body, fixed);
    if (is_while) body.graph->runs = i == 0 ? trips + 1 : trips;
    if (is_associative) body.graph->runs = Expr::unknown();
    // A scan gives its slices after what it carries.
    const std::size_t sliced = is_scan ? 1 : 0;
    if ((is_scan || is_map) && lists.size() > sliced && !lists[sliced].empty() &&
        lists[sliced][0] != kNone)
      reader.runs_along(*body.graph, lists[sliced][0]);
    attributes.push_back({kNames[i], body.graph});
  }
  Node node;
  node.op = op.op;
  node.domain = op.domain;
  reader.add(node, text, inputs, attributes);
}

}  // namespace strata::pt2
