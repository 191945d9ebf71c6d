#include "report/weights_rows.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/shortened.h"
#include "strata/base/text_map.h"
#include "strata/graph/dtype.h"

namespace strata {

namespace {

// No module tree is deeper, and a name of a million dots has no use.
constexpr std::size_t kMaxLevels = 64;

using ElementsOfType = std::map<std::string_view, std::uint64_t>;

std::vector<std::string> in_order(const ElementsOfType& types) {
  std::vector<std::pair<std::string_view, std::uint64_t>> sorted(types.begin(), types.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> names;
  names.reserve(sorted.size());
  for (const auto& [name, elements] : sorted) names.emplace_back(name);
  return names;
}

// One row: a tensor, or several added up.
struct Sum {
  std::string name = {};
  std::uint32_t depth = 0;
  WeightTotals totals = {};
  ElementsOfType types = {};
  const StoredWeight* only = nullptr;  // the tensor, if it is one

  void add(const StoredWeight& weight) {
    totals.add(weight);
    types[weight.type] += weight.elements;
  }
};

// The module that holds the tensor: what is before the last dot.
std::string_view module_of(std::string_view tensor) {
  const std::size_t dot = tensor.rfind('.');
  return dot == tensor.npos ? std::string_view() : tensor.substr(0, dot);
}

std::vector<Sum> each_tensor(const Weights& weights) {
  std::vector<Sum> rows;
  rows.reserve(weights.tensors.size());
  for (const StoredWeight& weight : weights.tensors) {
    Sum& row = rows.emplace_back(Sum{.name = shortened(weight.name)});
    row.only = &weight;
    row.add(weight);
  }
  return rows;
}

// In the order in which each word is met first.
template <class WordOf>
std::vector<Sum> by_word(const Weights& weights, const WordOf& word_of) {
  std::vector<Sum> rows;
  TextMap<std::string_view, std::size_t> known;
  for (const StoredWeight& weight : weights.tensors) {
    const std::string_view word = word_of(weight);
    const auto [found, is_new] = known.emplace(word, rows.size());
    if (is_new) rows.push_back({.name = shortened(word)});
    rows[found->second].add(weight);
  }
  return rows;
}

// Modules below their parents, in the order in which they are met first.
class Tree {
 public:
  explicit Tree(const Weights& weights) {
    nodes_.push_back({.sum = {.name = "(all)"}});
    for (const StoredWeight& weight : weights.tensors) add(weight);
  }

  std::vector<Sum> rows(std::uint32_t deepest) const {
    std::vector<Sum> out;
    std::vector<std::size_t> open = {0};
    while (!open.empty()) {
      const Node& node = nodes_[open.back()];
      open.pop_back();
      out.push_back(node.sum);
      if (node.sum.depth < deepest)
        open.insert(open.end(), node.children.rbegin(), node.children.rend());
    }
    return out;
  }

 private:
  struct Node {
    Sum sum = {};
    std::vector<std::size_t> children = {};
  };

  void add(const StoredWeight& weight) {
    nodes_[0].sum.add(weight);
    const std::string_view module = module_of(weight.name);
    std::size_t parent = 0, end = 0;
    for (std::uint32_t depth = 1; depth <= kMaxLevels && end < module.size(); ++depth) {
      end =
          depth == kMaxLevels ? module.size() : std::min(module.find('.', end + 1), module.size());
      const std::string_view path = module.substr(0, end);
      const auto [found, is_new] = known_.emplace(path, nodes_.size());
      if (is_new) {
        nodes_[parent].children.push_back(nodes_.size());
        nodes_.push_back({.sum = {.name = shortened(path), .depth = depth}});
      }
      parent = found->second;
      nodes_[parent].sum.add(weight);
    }
  }

  std::vector<Node> nodes_;
  TextMap<std::string_view, std::size_t> known_;
};

std::vector<Sum> rows_of(const Weights& weights, const WeightsView& view) {
  switch (view.report) {
    case ReportKind::Tape:
    case ReportKind::Node:
      return each_tensor(weights);
    case ReportKind::Leaves:
      return by_word(weights, [](const StoredWeight& w) {
        return module_of(w.name).empty() ? std::string_view("(all)") : module_of(w.name);
      });
    case ReportKind::Type:
      return by_word(weights, [](const StoredWeight& w) { return std::string_view(w.type); });
    case ReportKind::Tree:
      return Tree(weights).rows(view.depth);
    case ReportKind::Root:
      return Tree(weights).rows(0);
    case ReportKind::None:
      break;
  }
  return {};
}

const char* title_of(ReportKind report) {
  switch (report) {
    case ReportKind::Tape:
    case ReportKind::Node:
      return "Tensor";
    case ReportKind::Type:
      return "Type";
    default:
      return "Module";
  }
}

Shape shape_of(const StoredWeight& weight) {
  Dims dims;
  for (const std::int64_t size : weight.dims) dims.push_back(size);
  return Shape(std::move(dims));
}

Cell bits_cell(double bits) { return bits == 0 ? Cell() : Cell(bits); }

}  // namespace

Table weights_table(const Weights& weights, const WeightsView& view) {
  const bool of_tensors = view.report == ReportKind::Tape || view.report == ReportKind::Node;
  const bool has_shared = totals_of(weights).shared > 0;
  Table table{.name = "weights"};
  table.tree = view.report == ReportKind::Tree;
  table.columns = {{"layer", title_of(view.report)}};
  if (view.report != ReportKind::Type) table.columns.push_back({"dtype", "Type"});
  if (of_tensors)
    table.columns.push_back({"shape", "Shape", Unit::Text, false, 1, ColumnType::Shapes});
  else
    table.columns.push_back({"tensors", "Tensors", Unit::Count, true, 2});
  table.columns.push_back({"params", "Params", Unit::Count, true});
  table.columns.push_back({"param_bytes", "Size", Unit::Bytes, true});
  table.columns.push_back({"bits", "Bits", Unit::Number, false, 3});
  if (of_tensors && has_shared)
    table.columns.push_back({"same_as", "Same as", Unit::Text, false, 4});

  for (const Sum& sum : rows_of(weights, view)) {
    TableRow& row = table.rows.emplace_back();
    row.depth = sum.depth;
    row.cells = {sum.name};
    if (view.report != ReportKind::Type)
      row.cells.emplace_back(fmt::format("{}", fmt::join(in_order(sum.types), ", ")));
    if (of_tensors)
      row.cells.emplace_back(shape_of(*sum.only));
    else
      row.cells.emplace_back(sum.totals.tensors);
    row.cells.emplace_back(sum.totals.params);
    row.cells.emplace_back(sum.totals.bytes);
    row.cells.push_back(bits_cell(sum.only != nullptr ? sum.only->bits_per_weight()
                                                      : sum.totals.bits_per_weight()));
    if (of_tensors && has_shared) row.cells.emplace_back(sum.only->same_as);
  }
  const WeightTotals totals = totals_of(weights);
  for (const Column& column : table.columns)
    table.totals.cells.push_back(column.name == "tensors"       ? Cell(totals.tensors)
                                 : column.name == "params"      ? Cell(totals.params)
                                 : column.name == "param_bytes" ? Cell(totals.bytes)
                                                                : Cell());
  return table;
}

std::vector<std::string> types_of(const Weights& weights) {
  ElementsOfType types;
  for (const StoredWeight& weight : weights.tensors) types[weight.type] += weight.elements;
  return in_order(types);
}

std::size_t integer_matrices(const Weights& weights) {
  return static_cast<std::size_t>(
      std::count_if(weights.tensors.begin(), weights.tensors.end(), [](const StoredWeight& weight) {
        const auto type = dtype_from_name(weight.type);
        return type && is_integer(*type) && weight.dims.size() > 1;
      }));
}

}  // namespace strata
