#include "profile/gather.h"

#include <algorithm>
#include <unordered_map>

#include "cost/work_terms.h"
#include "profile/figures.h"

namespace strata {

namespace {

std::string shapes_text(const Graph& graph, std::span<const TensorId> ids) {
  std::string text;
  for (TensorId id : ids) {
    if (id == kNone) continue;
    const TypeInfo& type = graph.tensors[id].type;
    if (!text.empty()) text += ", ";
    text += type.ranked ? strata::text(type.dims) : "?";
  }
  return text;
}

void set_edges(Row& row, const Graph& graph, std::span<const TensorId> inputs,
               std::span<const TensorId> outputs, bool with_shapes) {
  if (with_shapes) {
    row.input = shapes_text(graph, inputs);
    row.output = shapes_text(graph, outputs);
  }
  if (!outputs.empty() && outputs[0] != kNone)
    row.dtype = name_of(graph.tensors[outputs[0]].type->dtype);
}

// Constants, shape arithmetic and, between modules, views.
bool costs_nothing(const Analysis& a, std::uint32_t layer) {
  const Layer& facts = a.layers.list[layer];
  if (!a.by_layer[layer]->params.is(0)) return false;
  for (std::uint32_t index : a.layers.nodes_of(facts)) {
    const NodeCost& cost = a.costs.nodes[index].cost;
    const bool free = cost.folded || (cost.view && (facts.functional || facts.scope == 0));
    if (!free) return false;
  }
  return true;
}

RowList node_rows(const Analysis& a, bool all, std::size_t& hidden) {
  RowList rows;
  const std::vector<std::uint32_t> layers = layers_by_main_node(a);
  for (const std::uint32_t node : listed_nodes(a, all, hidden))
    rows.push_back(node_row(a, node, layers[node]));
  return rows;
}

// Rows with the same key become one.
template <class Key>
RowList merged(RowList rows, Key key) {
  RowList out;
  std::unordered_map<std::string, std::size_t> seen;
  for (Row& row : rows) {
    auto [known, is_new] = seen.try_emplace(key(row), out.size());
    if (is_new) {
      out.push_back(std::move(row));
      continue;
    }
    Row& first = out[known->second];
    add_to(first.figures, row.figures);
    first.calls += row.calls;
    first.device.reset();
    first.alive = std::max(first.alive, row.alive);
    if (first.input != row.input) first.input.clear();
    if (first.output != row.output) first.output.clear();
    if (first.formula != row.formula) first.formula.clear();
  }
  return out;
}

// From the entry of the first to the exit of the last.
std::optional<CallMemory> group_memory(const Analysis& a, std::span<const std::uint32_t> group) {
  if (!a.device) return std::nullopt;
  const auto &first = a.device->layers[group.front()], &last = a.device->layers[group.back()];
  if (!first || !last) return std::nullopt;
  return CallMemory{first->net, last->at_exit - first->net, last->at_exit};
}

}  // namespace

std::vector<std::uint32_t> listed_layers(const Analysis& a, bool all, std::size_t& hidden) {
  std::vector<std::uint32_t> listed;
  for (std::uint32_t i = 0; i < a.layers.list.size(); ++i)
    if (all || !costs_nothing(a, i)) listed.push_back(i);
  hidden = a.layers.list.size() - listed.size();
  return listed;
}

std::vector<std::uint32_t> listed_nodes(const Analysis& a, bool all, std::size_t& hidden) {
  std::vector<std::uint32_t> listed;
  for (std::uint32_t i = 0; i < a.costs.nodes.size(); ++i) {
    const NodeCost& cost = a.costs.nodes[i].cost;
    const bool free = (cost.folded || cost.view) && cost.params.is(0);
    if (all || !free) listed.push_back(i);
  }
  hidden = a.costs.nodes.size() - listed.size();
  return listed;
}

// What a layer gives to others stands at the node that makes it what it is.
std::vector<std::uint32_t> layers_by_main_node(const Analysis& a) {
  std::vector<std::uint32_t> layers(a.costs.nodes.size(), kNone);
  for (std::uint32_t i = 0; i < a.layers.list.size(); ++i) layers[a.layers.list[i].main] = i;
  return layers;
}

std::vector<TensorId> inputs_of(const Executed& executed) {
  std::vector<TensorId> inputs;
  for (TensorId id : executed.get().inputs)
    if (id != kNone && executed.graph->tensors[id].role != Role::Initializer) inputs.push_back(id);
  return inputs;
}

Row node_row(const Analysis& a, std::uint32_t index, std::uint32_t layer, bool with_shapes) {
  const Executed& executed = a.costs.nodes[index];
  const Node& node = executed.get();
  Row row;
  row.layer = std::string(node.name);
  if (row.layer.empty() && !node.outputs.empty() && node.outputs[0] != kNone)
    row.layer = std::string(executed.graph->tensors[node.outputs[0]].name);
  row.type = std::string(node.op);
  set_edges(row, *executed.graph, inputs_of(executed), node.outputs, with_shapes);
  row.figures = a.figures_of(index);
  if (layer != kNone) row.figures.activation_bytes = a.by_layer[layer]->activation_bytes;
  if (!a.alive.empty()) row.alive = a.alive[index].number();
  return row;
}

Row layer_row(const Analysis& a, std::span<const std::uint32_t> group, bool with_shapes) {
  const Layer& first = a.layers.list[group.front()];
  const Graph& graph = *a.costs.nodes[first.main].graph;
  Row row;
  row.layer = layer_path(*a.model, a.costs, first);
  row.call = first.call;
  row.functional = first.functional;
  row.kind = first.kind;
  if (!a.blocks.empty()) row.block = a.blocks[group.front()];
  if (!a.attached.instead.empty()) row.instead = a.attached.instead[group.front()];
  for (std::uint32_t index : group) {
    if (!row.type.empty()) row.type += "+";
    row.type += layer_type(*a.model, a.costs, a.layers.list[index]);
    add_to(row.figures, a.by_layer[index]);
    if (a.has.has(Need::Formulas)) {
      const std::string formula = formula_text(a.costs, a.layers, a.layers.list[index]);
      row.formula += (row.formula.empty() || formula.empty() ? "" : "; ") + formula;
    }
    row.alive = std::max(row.alive, a.alive_at(a.layers.list[index]));
  }
  row.device = group_memory(a, group);
  set_edges(row, graph, a.edges.inputs(group.front()), a.edges.outputs(group.back()), with_shapes);
  // What passes inside the group is neither written nor read again.
  for (std::size_t i = 0; i + 1 < group.size(); ++i) {
    const Expr& passed = a.by_layer[group[i]]->activation_bytes;
    row.figures.write_bytes = row.figures.write_bytes - passed;
    row.figures.read_bytes = row.figures.read_bytes - passed;
    row.figures.activation_bytes -= passed;
  }
  for (ScopeId scope = first.scope; scope != kNone && scope != 0;
       scope = a.model->scopes[scope].parent)
    ++row.depth;
  return row;
}

RowList gather_rows(const Analysis& a, const RowOptions& options, std::size_t& hidden) {
  hidden = 0;
  if (options.report == ReportKind::None) return {};
  if (options.report == ReportKind::Node) return node_rows(a, options.all, hidden);
  if (options.report == ReportKind::Tree || options.report == ReportKind::Root)
    return tree_rows(a, options.report == ReportKind::Root ? 0 : options.depth);

  RowList rows;
  const auto add = [&](std::span<const std::uint32_t> group) {
    if (group.size() == 1 && !options.all && costs_nothing(a, group.front()))
      ++hidden;
    else
      rows.push_back(layer_row(a, group));
  };
  if (options.fuse) {
    for (const auto& group : fused_groups(a)) add(group);
  } else {
    for (const std::uint32_t layer : listed_layers(a, options.all, hidden))
      rows.push_back(layer_row(a, {&layer, 1}));
  }
  if (options.report == ReportKind::Leaves)
    return merged(std::move(rows), [](const Row& row) { return row.layer; });
  if (options.report == ReportKind::Type) {
    for (Row& row : rows) row.layer.clear(), row.device.reset(), row.depth = 0;
    return merged(std::move(rows), [](const Row& row) { return row.type; });
  }
  return rows;
}

}  // namespace strata
