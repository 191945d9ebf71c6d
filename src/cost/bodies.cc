#include "cost/bodies.h"

namespace strata {

namespace {

const Tensor* tensor_at(const Graph& graph, std::span<const TensorId> ids, std::size_t i) {
  return i < ids.size() && ids[i] != kNone ? &graph.tensors[ids[i]] : nullptr;
}

std::optional<Expr> known_scalar(const Tensor* tensor) {
  if (tensor == nullptr) return std::nullopt;
  if (tensor->value != nullptr && tensor->value->size() == 1)
    return tensor->value->items[0].whole();
  if (tensor->data != nullptr)
    if (auto value = decode(*tensor->data); value && value->size() == 1)
      return value->items[0].whole();
  return std::nullopt;
}

// A stated count; else the length of what the iterations leave behind.
Expr loop_trips(const Graph& graph, const Node& node) {
  if (auto trips = known_scalar(tensor_at(graph, node.inputs, 0)); trips && !trips->is_unknown())
    return *trips;
  const std::size_t carried = node.inputs.size() >= 2 ? node.inputs.size() - 2 : 0;
  for (std::size_t i = carried; i < node.outputs.size(); ++i) {
    const Tensor* scanned = tensor_at(graph, node.outputs, i);
    if (scanned != nullptr && scanned->type.ranked && !scanned->type.dims.empty())
      return scanned->type.dims[0];
  }
  return Expr::unknown();
}

Expr scan_trips(const Graph& graph, const Node& node) {
  NodeView view(graph, node);
  const auto scans =
      static_cast<std::size_t>(std::max<std::int64_t>(0, view.integer("num_scan_inputs", 0)));
  if (scans == 0 || scans > node.inputs.size()) return Expr::unknown();
  const Tensor* scanned = tensor_at(graph, node.inputs, node.inputs.size() - scans);
  if (scanned == nullptr || !scanned->type.ranked) return Expr::unknown();
  const auto axes = view.integers("scan_input_axes");
  std::int64_t axis = axes.empty() ? (node.opset < 9 ? 1 : 0) : axes[0];
  const auto rank = static_cast<std::int64_t>(scanned->type.dims.size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return Expr::unknown();
  return scanned->type.dims[static_cast<std::size_t>(axis)];
}

Expr map_trips(const Graph& graph, const Node& node) {
  const Tensor* sequence = tensor_at(graph, node.inputs, 0);
  if (sequence == nullptr || !sequence->type.items) return Expr::unknown();
  return static_cast<std::int64_t>(sequence->type.items->size());
}

double at_one(const Expr& expr) {
  return expr.evaluate([](std::string_view) { return std::optional(1.0); }).value_or(0);
}

}  // namespace

std::vector<BodyRun> body_runs(const Graph& graph, const Node& node) {
  std::vector<BodyRun> runs;
  for (const Attribute& attribute : node.attributes) {
    const auto* body = std::get_if<Graph*>(&attribute.value);
    if (body == nullptr || *body == nullptr) continue;
    if (node.op == "If") {
      const auto condition = known_scalar(tensor_at(graph, node.inputs, 0));
      const bool decided = condition && condition->is_number();
      const bool then = attribute.name == "then_branch";
      if (decided && then != (condition->value() != 0)) continue;
      runs.push_back({*body, 1, !decided});
    } else if (node.op == "Loop") {
      runs.push_back({*body, loop_trips(graph, node), false});
    } else if (node.op == "Scan") {
      runs.push_back({*body, scan_trips(graph, node), false});
    } else if (node.op == "SequenceMap") {
      runs.push_back({*body, map_trips(graph, node), false});
    } else {
      runs.push_back({*body, Expr::unknown(), false});
    }
  }
  return runs;
}

bool is_larger(const NodeCost& a, const NodeCost& b) {
  const double flops_a = at_one(a.flops()), flops_b = at_one(b.flops());
  if (flops_a != flops_b) return flops_a > flops_b;
  return at_one(a.read_bytes + a.write_bytes) > at_one(b.read_bytes + b.write_bytes);
}

}  // namespace strata
