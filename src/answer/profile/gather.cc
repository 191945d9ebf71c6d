#include "profile/gather.h"

#include <algorithm>

#include "base/shortened.h"
#include "cost/work_terms.h"
#include "profile/figures.h"
#include "strata/base/text_map.h"

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

// The texts of a row are copies: one long formula may be the size of thousands of tensors.
std::uint64_t text_bytes(const Row& row) {
  return row.layer.size() + row.type.size() + row.input.size() + row.output.size() +
         row.formula.size() + row.instead.size();
}

// False once there is too much text.
bool add_row(Rows& rows, Row row) {
  rows.text_bytes += text_bytes(row);
  rows.list.push_back(std::move(row));
  return rows.options.most_text_bytes == 0 || rows.text_bytes <= rows.options.most_text_bytes;
}

void add_node_rows(const Analysis& a, Rows& rows) {
  const std::vector<std::uint32_t> layers = layers_by_main_node(a);
  for (const std::uint32_t node : listed_nodes(a, rows.options.all, rows.hidden))
    if (!add_row(rows, node_row(a, node, layers[node]))) return;
}

// Rows with the same key become one, as they are made: of a million, few may differ.
class Merging {
 public:
  explicit Merging(Rows& rows) : rows_(rows) {}

  // False once there is too much text.
  bool add(const std::string& key, Row row) {
    const auto [known, is_new] = seen_.try_emplace(key, rows_.list.size());
    if (is_new) return add_row(rows_, std::move(row));
    Row& first = rows_.list[known->second];
    add_to(first.figures, row.figures);
    first.calls += row.calls;
    first.device.reset();
    first.alive = std::max(first.alive, row.alive);
    if (first.input != row.input) first.input.clear();
    if (first.output != row.output) first.output.clear();
    if (first.formula != row.formula) first.formula.clear();
    return true;
  }

 private:
  Rows& rows_;
  TextMap<std::string, std::size_t> seen_;
};

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

// The outputs of a layer stand at its main node.
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
  row.node = index;
  row.layer = shortened(node.name);
  if (row.layer.empty() && !node.outputs.empty() && node.outputs[0] != kNone)
    row.layer = shortened(executed.graph->tensors[node.outputs[0]].name);
  row.type = shortened(node.op);
  set_edges(row, *executed.graph, inputs_of(executed), node.outputs, with_shapes);
  row.figures = a.figures_of(index);
  if (!a.attached.counts_at.empty() && !row.figures.seconds) {
    const std::uint32_t home = a.attached.counts_at[index];
    row.fused = home != kNone && home != index;
    if (row.fused) row.instead = shortened(a.costs.nodes[home].get().name);
  }
  if (layer != kNone) row.figures.activation_bytes = a.by_layer[layer]->activation_bytes;
  if (!a.alive.empty()) row.alive = a.alive[index].number();
  return row;
}

Row layer_row(const Analysis& a, std::span<const std::uint32_t> group, bool with_shapes) {
  const Layer& first = a.layers.list[group.front()];
  const Graph& graph = *a.costs.nodes[first.main].graph;
  Row row;
  row.layer = layer_path(*a.model, a.costs, first);
  row.node = first.main;
  row.call = first.call;
  row.functional = first.functional;
  row.kind = first.kind;
  if (!a.blocks.empty()) row.block = a.blocks[group.front()];
  if (!a.attached.instead.empty()) {
    row.instead = a.attached.instead[group.front()];
    row.fused = a.attached.fused[group.front()];
  }
  for (std::uint32_t index : group) {
    if (!row.type.empty()) row.type += "+";
    row.type += layer_type(*a.model, a.costs, a.layers.list[index]);
    add_to(row.figures, a.by_layer[index]);
    if (a.has.has(Need::Formulas)) {
      const std::string formula = shortened(formula_text(a.costs, a.layers, a.layers.list[index]));
      row.formula += (row.formula.empty() || formula.empty() ? "" : "; ") + formula;
    }
    row.alive = std::max(row.alive, a.alive_at(a.layers.list[index]));
  }
  row.device = group_memory(a, group);
  set_edges(row, graph, a.edges.inputs(group.front()), a.edges.outputs(group.back()), with_shapes);
  // Tensors that pass inside the group are neither written nor read again.
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

void gather_rows(const Analysis& a, Rows& rows) {
  const RowOptions& options = rows.options;
  rows.hidden = 0;
  if (options.report == ReportKind::None) return;
  if (options.report == ReportKind::Node) return add_node_rows(a, rows);
  if (options.report == ReportKind::Tree || options.report == ReportKind::Root) {
    for (Row& row : tree_rows(a, options.report == ReportKind::Root ? 0 : options.depth))
      if (!add_row(rows, std::move(row))) return;
    return;
  }

  Merging merging(rows);
  const auto add = [&](std::span<const std::uint32_t> group) {
    Row row = layer_row(a, group);
    if (options.report == ReportKind::Leaves) {
      const std::string key = row.layer;
      return merging.add(key, std::move(row));
    }
    if (options.report != ReportKind::Type) return add_row(rows, std::move(row));
    row.layer.clear(), row.device.reset(), row.depth = 0;
    const std::string key = row.type;
    return merging.add(key, std::move(row));
  };
  if (options.fuse) {
    for (const auto& group : fused_groups(a)) {
      if (group.size() == 1 && !options.all && costs_nothing(a, group.front()))
        ++rows.hidden;
      else if (!add(group))
        return;
    }
    return;
  }
  for (const std::uint32_t layer : listed_layers(a, options.all, rows.hidden))
    if (!add({&layer, 1})) return;
}

}  // namespace strata
