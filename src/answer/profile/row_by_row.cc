#include "profile/row_by_row.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/poly.h"
#include "profile/gather.h"
#include "profile/table.h"

namespace strata {

namespace {

// A profile that holds its rows reads shapes from their texts. These two say that it can, whatever
// the shape: names are of letters that separate nothing, and formulas are not too deep to be read.
bool is_read_back(std::string_view symbol) {
  return symbol != "scalar" && symbol.find_first_of(",()?\xc3") == symbol.npos;
}
bool is_read_back(const Expr& size) {
  constexpr std::uint32_t kDeep = 16;
  return !size.is_overflow() && (!size.is_formula() || detail::Access::poly(size).depth <= kDeep);
}

bool is_read_back(const Graph& graph) {
  return std::all_of(graph.tensors.begin(), graph.tensors.end(), [](const Tensor& tensor) {
    return std::all_of(tensor.type->dims.begin(), tensor.type->dims.end(),
                       [](const Expr& size) { return is_read_back(size); });
  });
}

// Equals Row::dtype.
std::string_view dtype_of(const Graph& graph, std::span<const TensorId> outputs) {
  if (outputs.empty() || outputs.front() == kNone) return "";
  return name_of(graph.tensors[outputs.front()].type->dtype);
}

void set_shapes(const Graph& graph, std::span<const TensorId> ids, Cell& cell) {
  Cells shapes;
  shapes.reserve(ids.size());
  for (const TensorId id : ids) {
    if (id == kNone) continue;
    const TypeInfo& type = graph.tensors[id].type;
    shapes.emplace_back(type.ranked ? Shape(type.dims) : Shape());
  }
  cell = std::move(shapes);
}

class RowMaker {
 public:
  RowMaker(const Analysis& analysis, RowNumbers numbers, std::span<const ChosenColumn> columns)
      : a_(analysis),
        of_nodes_(numbers.rows.options.report == ReportKind::Node),
        listed_(std::move(numbers.listed)),
        columns_(columns.begin(), columns.end()) {
    ProfileRow totals;
    set_cells(numbers.rows.totals, columns_, {}, totals);
    totals_ = std::move(totals.cells);
    if (of_nodes_) layers_ = layers_by_main_node(a_);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].rule->name == "input") inputs_.push_back(i);
      if (columns_[i].rule->name == "output") outputs_.push_back(i);
    }
  }

  std::size_t count() const { return listed_.size(); }
  const std::vector<Cell>& totals() const { return totals_; }
  // Columns of shapes.
  const std::vector<std::size_t>& inputs() const { return inputs_; }
  const std::vector<std::size_t>& outputs() const { return outputs_; }

  void make(std::size_t number, TableRow& out) const {
    const std::uint32_t index = listed_[number];
    Row row =
        of_nodes_ ? node_row(a_, index, layers_[index], false) : layer_row(a_, {&index, 1}, false);
    row.index = static_cast<std::uint32_t>(number);
    set_cells(row, columns_, totals_, out);
    const Executed& executed = a_.costs.nodes[of_nodes_ ? index : a_.layers.list[index].main];
    for (const std::size_t column : inputs_) {
      if (of_nodes_)
        set_shapes(*executed.graph, inputs_of(executed), out.cells[column]);
      else
        set_shapes(*executed.graph, a_.edges.inputs(index), out.cells[column]);
    }
    for (const std::size_t column : outputs_)
      set_shapes(*executed.graph, of_nodes_ ? executed.get().outputs : a_.edges.outputs(index),
                 out.cells[column]);
  }

 private:
  const Analysis& a_;
  bool of_nodes_;
  std::vector<std::uint32_t> listed_;
  std::vector<std::uint32_t> layers_;  // by main node
  std::vector<ChosenColumn> columns_;
  std::vector<Cell> totals_;
  std::vector<std::size_t> inputs_, outputs_;
};

}  // namespace

bool can_go_row_by_row(const Analysis& a, const ProfileView& view) {
  const RowOptions& rows = view.rows;
  const Attached& attached = a.attached;
  return view.row_by_row && view.layout.empty() && view.sort.empty() &&
         (rows.report == ReportKind::Tape || rows.report == ReportKind::Node) && !rows.fuse &&
         rows.only == RowChoice::All && !attached.timing && !attached.taken && !attached.roofline &&
         attached.timed_beside.empty() && attached.traced_beside.empty() &&
         std::all_of(a.symbols.begin(), a.symbols.end(),
                     [](const auto& symbol) { return is_read_back(symbol.name); }) &&
         std::all_of(a.model->graphs.begin(), a.model->graphs.end(),
                     [](const Graph& graph) { return is_read_back(graph); });
}

RowNumbers number_rows(const Analysis& a, const RowOptions& options) {
  RowNumbers numbers;
  numbers.rows.options = options;
  numbers.listed = options.report == ReportKind::Node
                       ? listed_nodes(a, options.all, numbers.rows.hidden)
                       : listed_layers(a, options.all, numbers.rows.hidden);
  add_totals(a, numbers.rows);
  std::optional<std::string_view> common;
  for (const std::uint32_t index : numbers.listed) {
    const bool of_node = options.report == ReportKind::Node;
    const Executed& executed = a.costs.nodes[of_node ? index : a.layers.list[index].main];
    const std::string_view own =
        dtype_of(*executed.graph, of_node ? executed.get().outputs : a.edges.outputs(index));
    if (common.value_or(own) != own) return numbers;
    common = own;
  }
  if (common) numbers.rows.totals.dtype = *common;
  return numbers;
}

std::uint64_t most_name_bytes(const Analysis& a, const RowNumbers& numbers) {
  const bool of_nodes = numbers.rows.options.report == ReportKind::Node;
  std::uint64_t bytes = 0;
  for (const std::uint32_t index : numbers.listed) {
    const Executed& executed = a.costs.nodes[of_nodes ? index : a.layers.list[index].main];
    const Node& node = executed.get();
    bytes += a.model->scopes[executed.scope].path.size() + 1 + node.name.size();
    if (!of_nodes) bytes += a.model->scopes[a.layers.list[index].scope].path.size();
    for (const TensorId id : node.outputs)
      if (node.name.empty() && id != kNone) bytes += executed.graph->tensors[id].name.size();
  }
  return bytes;
}

Profile make_row_by_row(const Analysis& a, RowNumbers numbers,
                        std::span<const ChosenColumn> columns) {
  Profile profile = profile_without_rows(a, numbers.rows, columns);
  const Row totals = numbers.rows.totals;
  const auto maker = std::make_shared<const RowMaker>(a, std::move(numbers), columns);
  set_cells(totals, columns, maker->totals(), profile.totals);
  for (const auto* shapes : {&maker->inputs(), &maker->outputs()})
    for (const std::size_t column : *shapes) profile.columns[column].type = ColumnType::Shapes;
  profile.source = {maker->count(),
                    [maker](std::size_t number, TableRow& row) { maker->make(number, row); }};
  return profile;
}

}  // namespace strata
