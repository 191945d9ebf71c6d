#include "profile/row_edges.h"

#include <algorithm>
#include <unordered_map>

#include "base/shortened.h"
#include "profile/gather.h"
#include "strata/base/text_map.h"

namespace strata {

namespace {

constexpr std::int32_t kInput = RowEdges::kInput;

class EdgeFinder {
 public:
  explicit EdgeFinder(const Analysis& a) : a_(a) {
    for (const Graph& graph : a.model->graphs) {
      bases_.emplace(&graph, sources_.size());
      sources_.resize(sources_.size() + graph.tensors.size());
    }
  }

  RowEdges find(const Rows& rows) { return set_rows(rows) ? find(rows.list.size()) : RowEdges(); }

  RowEdges find(ReportKind report, std::span<const std::uint32_t> listed) {
    row_of_node_.assign(a_.costs.nodes.size(), kNone);
    if (a_.model->graphs.empty()) return {};
    if (report == ReportKind::Node) {
      for (std::uint32_t r = 0; r < listed.size(); ++r) row_of_node_[listed[r]] = r;
    } else {
      std::vector<std::uint32_t> row_of_layer(a_.layers.list.size(), kNone);
      for (std::uint32_t r = 0; r < listed.size(); ++r) row_of_layer[listed[r]] = r;
      take_layers(row_of_layer);
    }
    return find(listed.size());
  }

 private:
  // Once the row of each node is known.
  RowEdges find(std::size_t rows) {
    RowEdges out;
    out.reads.resize(rows);
    // A value that passes through views is listed again for each of them.
    std::size_t left = 8 * (a_.costs.nodes.size() + sources_.size()) + 100'000;
    for (std::size_t n = 0; n < a_.costs.nodes.size(); ++n) {
      const NodeCost& cost = a_.costs.nodes[n].cost;
      if (cost.folded) continue;
      std::vector<std::int32_t> from = sources_of(a_.costs.nodes[n]);
      if (from.size() > left) return {};
      left -= from.size();
      const std::uint32_t row = row_of_node_[n];
      if (row != kNone) {
        add(out.reads[row], from, static_cast<std::int32_t>(row));
        from = {static_cast<std::int32_t>(row)};
      }
      const Executed& executed = a_.costs.nodes[n];
      for (const TensorId id : executed.get().outputs)
        if (id != kNone) sources_[bases_.at(executed.graph) + id] = from;
    }
    const Graph& main = a_.model->graphs.front();
    for (const TensorId id : main.outputs)
      if (id != kNone) add(out.returned, sources_[bases_.at(&main) + id], kInput);
    return out;
  }

  // The row of each node; false: the rows are of another kind.
  bool set_rows(const Rows& rows) {
    row_of_node_.assign(a_.costs.nodes.size(), kNone);
    if (a_.model->graphs.empty()) return false;
    switch (rows.options.report) {
      case ReportKind::Node:
        set_nodes(rows);
        return true;
      case ReportKind::Tape:
        set_calls(rows);
        return true;
      case ReportKind::Leaves:
        set_leaves(rows);
        return true;
      default:
        return false;
    }
  }

  // A kernel that no layer asked for has the node that runs next, but not its name.
  void set_nodes(const Rows& rows) {
    for (std::uint32_t r = 0; r < rows.list.size(); ++r) {
      const Row& row = rows.list[r];
      if (row.node == kNone) continue;
      const Node node = a_.costs.nodes[row.node].get();
      if (node.name.empty() || row.layer == shortened(node.name)) row_of_node_[row.node] = r;
    }
  }

  void set_calls(const Rows& rows) {
    std::vector<std::uint32_t> row_of_layer(a_.layers.list.size(), kNone);
    const std::vector<std::uint32_t> layers = layers_by_main_node(a_);
    for (std::uint32_t r = 0; r < rows.list.size(); ++r) {
      const Row& row = rows.list[r];
      const std::uint32_t layer = row.node == kNone ? kNone : layers[row.node];
      if (layer != kNone && row.layer == layer_path(*a_.model, a_.costs, a_.layers.list[layer]))
        row_of_layer[layer] = r;
    }
    if (rows.options.fuse)
      for (const auto& group : fused_groups(a_))
        for (const std::uint32_t layer : group) row_of_layer[layer] = row_of_layer[group.front()];
    take_layers(row_of_layer);
  }

  void set_leaves(const Rows& rows) {
    TextMap<std::string, std::uint32_t> by_name;
    for (std::uint32_t r = 0; r < rows.list.size(); ++r) by_name.try_emplace(rows.list[r].layer, r);
    std::vector<std::uint32_t> row_of_layer(a_.layers.list.size(), kNone);
    for (std::size_t l = 0; l < row_of_layer.size(); ++l) {
      const auto found = by_name.find(layer_path(*a_.model, a_.costs, a_.layers.list[l]));
      if (found != by_name.end()) row_of_layer[l] = found->second;
    }
    take_layers(row_of_layer);
  }

  void take_layers(const std::vector<std::uint32_t>& row_of_layer) {
    for (std::size_t l = 0; l < row_of_layer.size(); ++l)
      for (const std::uint32_t node : a_.layers.nodes_of(a_.layers.list[l]))
        row_of_node_[node] = row_of_layer[l];
  }

  std::vector<std::int32_t> sources_of(const Executed& executed) const {
    std::vector<std::int32_t> from;
    for (TensorId id : executed.get().inputs) {
      const Graph* graph = executed.graph;
      while (id != kNone && graph != nullptr && graph->tensors[id].role == Role::Captured) {
        id = graph->tensors[id].outer;
        graph = graph->parent;
      }
      if (id == kNone || graph == nullptr || graph->tensors[id].role == Role::Initializer) continue;
      if (graph->tensors[id].role == Role::Input && graph->parent == nullptr)
        add(from, {kInput}, kInput - 1);
      else
        add(from, sources_[bases_.at(graph) + id], kInput - 1);
    }
    return from;
  }

  // Each once, and not `without`.
  static void add(std::vector<std::int32_t>& to, const std::vector<std::int32_t>& from,
                  std::int32_t without) {
    const std::size_t middle = to.size();
    for (const std::int32_t one : from)
      if (one != without) to.push_back(one);
    if (middle == to.size()) return;
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
  }

  const Analysis& a_;
  std::unordered_map<const Graph*, std::size_t> bases_;
  std::vector<std::vector<std::int32_t>> sources_;  // rows, by tensor of all graphs
  std::vector<std::uint32_t> row_of_node_;
};

}  // namespace

RowEdges row_edges(const Analysis& analysis, const Rows& rows) {
  return EdgeFinder(analysis).find(rows);
}

RowEdges row_edges(const Analysis& analysis, ReportKind report,
                   std::span<const std::uint32_t> listed) {
  return EdgeFinder(analysis).find(report, listed);
}

}  // namespace strata
