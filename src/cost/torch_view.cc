#include "cost/torch_view.h"

#include <algorithm>

#include "ops/node_view.h"

namespace strata {

namespace {

// A part along `axis` lies in one piece if everything before that axis is one.
bool is_outermost(const Dims& dims, std::int64_t axis) {
  if (axis < 0) axis += static_cast<std::int64_t>(dims.size());
  for (std::int64_t i = 0; i < axis && i < static_cast<std::int64_t>(dims.size()); ++i)
    if (!dims[static_cast<std::size_t>(i)].is(1)) return false;
  return true;
}

// Axes of one element can go anywhere.
bool transpose_keeps_order(const NodeView& view) {
  const auto order = view.integers("perm");
  const std::size_t rank = view.rank(0);
  std::int64_t last = -1;
  for (std::size_t i = 0; i < rank; ++i) {
    const auto axis =
        i < order.size() ? order[i] : static_cast<std::int64_t>(rank) - 1 - static_cast<int>(i);
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return false;
    if (view.dims(0)[static_cast<std::size_t>(axis)].is(1)) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

bool slice_keeps_order(const NodeView& view) {
  const Dims &from = view.dims(0), &to = view.out(0).dims;
  std::size_t changed = from.size(), changes = 0;
  for (std::size_t i = 0; i < from.size() && i < to.size(); ++i)
    if (!(from[i] == to[i])) changed = i, ++changes;
  if (changes == 0) return true;
  if (view.has(4)) {
    const Tensor& steps = view.graph().tensors[view.node().inputs[4]];
    std::optional<Value> stored;
    if (steps.value == nullptr && steps.data != nullptr) stored = decode(*steps.data);
    const Value* value = stored ? &*stored : steps.value;
    if (value == nullptr) return false;
    for (const Scalar& step : value->items)
      if (step.number() != 1) return false;
  }
  return changes == 1 && is_outermost(from, static_cast<std::int64_t>(changed));
}

}  // namespace

TorchView torch_view(const Graph& graph, const Node& node, const NodeCost& cost,
                     bool input_ordered) {
  const NodeView view(graph, node);
  if (!node.domain.empty() || !view.has(0)) return {};
  if (node.op == "Reshape" || node.op == "Flatten") return {input_ordered, true};
  if (cost.view) return {true, input_ordered};
  if (!view.ranked(0)) return {};
  if (node.op == "Transpose") return {true, input_ordered && transpose_keeps_order(view)};
  if (node.op == "Slice") return {true, input_ordered && slice_keeps_order(view)};
  if (node.op == "Split")
    return {true, input_ordered && is_outermost(view.dims(0), view.integer("axis", 0))};
  if (node.op == "Expand") return {true, input_ordered && view.dims(0) == view.out(0).dims};
  // x[i]
  if (node.op == "Gather" && view.ranked(1) && view.rank(1) == 0)
    return {true, input_ordered && is_outermost(view.dims(0), view.integer("axis", 0))};
  return {};
}

}  // namespace strata
