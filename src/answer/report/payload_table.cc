#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/shortened.h"
#include "base/visible.h"
#include "report/payload_text.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

Cell words(std::string text) { return {std::move(text), Certainty::Exact}; }

// A size for people: text, so that `≤` can stand before it. For programs the formula, and its bound
// in a column of its own.
void add_bytes(TableRow& row, const Expr& bytes, bool lower_bound, bool exact) {
  row.shown.push_back(words((lower_bound ? "≥" : "") + shortened(bounded_bytes(bytes, exact))));
  if (bytes.is_unknown())
    row.cells.emplace_back();
  else
    row.cells.push_back({bytes, lower_bound ? Certainty::LowerBound : Certainty::Exact});
}

Shape shape_of(const TypeInfo& type) { return type.ranked ? Shape(type.dims) : Shape(); }

// Notes on the symbols that are open in the shown rows, and on ≤ for an upper bound.
class OpenSizeNotes {
 public:
  void see(const Expr& size) {
    if (!size.is_formula()) return;
    if (upper_bound(size)) {
      has_bounds_ = true;
      return;
    }
    for (std::string& name : size.symbols()) open_.insert(std::move(name));
  }
  void add_to(std::vector<std::string>& notes, const Inference& inference,
              const Phrase& phrase) const {
    if (has_bounds_) notes.emplace_back("≤ is the upper bound of a size that depends on the data");
    std::size_t more = 0, shown = 0;
    for (const auto& symbol : inference.symbols) {
      if (!open_.contains(symbol.name)) continue;
      if (++shown > kShown) {
        ++more;
        continue;
      }
      notes.push_back(phrased(
          phrase,
          make_error(symbol.needs_data ? Code::AssumedSize : Code::OpenSize, {.name = symbol.name},
                     fmt::format("{} is open: {}", symbol.name, symbol.origin))));
    }
    if (more > 0) notes.push_back(fmt::format("{} more sizes are open", more));
  }

 private:
  static constexpr std::size_t kShown = 4;
  bool has_bounds_ = false;
  std::set<std::string> open_;
};

std::string shapes_text(const PayloadSource& source, const Cuts& cuts,
                        const std::vector<std::uint32_t>& tensors, bool machine) {
  constexpr std::size_t kShown = 3;
  std::string out;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!machine && i == kShown && tensors.size() > kShown + 1)
      return out + fmt::format(" + {} more", tensors.size() - i);
    const Tensor& tensor = source.model.graph().tensors[cuts.tensors[tensors[i]].tensor];
    if (i > 0) out += machine ? "; " : " + ";
    if (machine)
      out += fmt::format("{} {}", shortened(tensor.name),
                         tensor.type->ranked ? shortened(text(tensor.type->dims)) : "?");
    else
      out += shortened(bounded_shape(tensor.type));
  }
  return out;
}

// The lines below a table.
std::function<std::string(const TableStyle&)> foot_of(std::vector<std::string> notes,
                                                      std::size_t hidden_rows) {
  return [notes = std::move(notes), hidden_rows](const TableStyle& style) {
    std::string out;
    for (const std::string& note : notes) out += fmt::format("Note: {}\n", visible(note));
    if (hidden_rows > 0)
      out +=
          phrased(style.phrase, make_error(Code::RowsHidden, {},
                                           fmt::format("{} row{} of constants and views not shown",
                                                       hidden_rows, hidden_rows == 1 ? "" : "s"))) +
          "\n";
    return out;
  };
}

class BoundaryRows {
 public:
  BoundaryRows(const PayloadSource& source, const Boundaries& boundaries,
               const PayloadOptions& options)
      : source_(source), boundaries_(boundaries), options_(options) {}

  Table make() {
    const char* title = options_.exact ? "Bytes" : "Size";
    table_.shown_columns = {
        {"layer", "Layer", Unit::Text, false, 0},         {"call", "Call", Unit::Count, false, 5},
        {"direction", "Direction", Unit::Text, false, 0}, {"index", "#", Unit::Count, false, 3},
        {"shape", "Shape", Unit::Text, false, 0},         {"dtype", "Dtype", Unit::Text, false, 4},
        {"bytes", title, Unit::Bytes, false, 0}};
    table_.columns = {{"layer", "Layer"},
                      {"kind", "Kind"},
                      {"call", "Call", Unit::Count},
                      {"direction", "Direction"},
                      {"index", "#", Unit::Count},
                      {"tensor", "Tensor"},
                      {"shape", "Shape", Unit::Text, false, 0, ColumnType::Shapes},
                      {"dtype", "Dtype"},
                      {"bytes", "Bytes", Unit::Bytes},
                      {"at_most", "At most", Unit::Bytes},
                      {"type", "Type"},
                      {"depth", "Depth", Unit::Count}};
    for (const Boundary& boundary : boundaries_.list) {
      if (!is_shown(boundary, options_)) {
        const bool is_view = boundary.depth <= options_.depth && !options_.modules;
        if (is_view) ++hidden_;
        continue;
      }
      add(boundary, true);
      add(boundary, false);
    }
    std::vector<std::string> notes;
    notes_.add_to(notes, source_.inference, options_.phrase);
    table_.foot = foot_of(std::move(notes), hidden_);
    return std::move(table_);
  }

 private:
  void add(const Boundary& boundary, bool is_input) {
    const auto tensors =
        is_input ? boundaries_.inputs_of(boundary) : boundaries_.outputs_of(boundary);
    for (std::size_t i = 0; i < tensors.size(); ++i)
      add_row(boundary, is_input, i, &tensors[i], tensors[i].bytes());
    if (tensors.size() > 1) add_row(boundary, is_input, "sum", nullptr, bytes_of(tensors));
  }

  // Without a tensor: the sum of several.
  void add_row(const Boundary& boundary, bool is_input, const Cell& index,
               const BoundaryTensor* held, const Expr& bytes) {
    const Scope& scope = source_.model.scopes[boundary.scope];
    const char* direction = is_input ? "in" : "out";
    const Tensor* tensor = held == nullptr ? nullptr : &held->get();
    const std::string_view dtype = held == nullptr ? "" : name_of(held->dtype);
    const std::string layer = boundary_name(source_, boundary);
    TableRow& row = table_.rows.emplace_back();
    row.depth = boundary.depth;
    row.shown = {layer,
                 scope.call + 1,
                 direction,
                 index,
                 tensor == nullptr ? "" : shortened(bounded_shape(tensor->type)),
                 dtype};
    row.cells = {layer,
                 kind_name(boundary),
                 scope.call + 1,
                 direction,
                 index,
                 tensor == nullptr ? Cell() : Cell(shortened(tensor->name)),
                 tensor == nullptr ? Cell() : Cell(shape_of(tensor->type)),
                 tensor == nullptr ? Cell() : Cell(dtype)};
    if (tensor != nullptr) notes_.see(bytes);
    add_bytes(row, bytes, false, options_.exact);
    row.cells.emplace_back(upper_bound(bytes));
    row.cells.emplace_back(
        boundary.layer == kNone
            ? shortened(scope.cls)
            : layer_type(source_.model, source_.costs, source_.layers.list[boundary.layer]));
    row.cells.emplace_back(boundary.depth);
  }

  const PayloadSource& source_;
  const Boundaries& boundaries_;
  const PayloadOptions& options_;
  Table table_{.name = "boundaries"};
  OpenSizeNotes notes_;
  std::size_t hidden_ = 0;
};

// Every tensor that is shipped at a place.
Cell shipped_cell(const PayloadSource& source, const Cuts& cuts,
                  const std::vector<std::uint32_t>& tensors) {
  Cells out;
  for (const std::uint32_t t : tensors) {
    const auto& cut = cuts.tensors[t];
    out.emplace_back(shipped_members(source, cut.tensor, cut.layer, all_bytes(cut.bytes)));
  }
  return out;
}

}  // namespace

Members layer_members(const PayloadSource& source, std::uint32_t layer) {
  if (layer == kNone) return {{"layer", Cell()}, {"call", Cell()}};
  const Layer& facts = source.layers.list[layer];
  return {{"layer", layer_path(source.model, source.costs, facts)}, {"call", facts.call + 1}};
}

Cell all_bytes(const ShippedBytes& bytes) {
  Members out;
  for (std::size_t p = 0; p < kPrecisions; ++p)
    out.push_back({std::string(name_of(static_cast<Precision>(p))), bytes[p]});
  return out;
}

Members shipped_members(const PayloadSource& source, TensorId id, std::uint32_t layer, Cell bytes) {
  const Tensor& tensor = source.model.graph().tensors[id];
  Members out = layer_members(source, layer);
  out.push_back({"tensor", shortened(tensor.name)});
  out.push_back({"dtype", name_of(source.costs.quantized.type_of(source.model.graph(), id))});
  out.push_back({"shape", shape_of(tensor.type)});
  out.push_back({"bytes", std::move(bytes)});
  return out;
}

Table boundary_table(const PayloadSource& source, const Boundaries& boundaries,
                     const PayloadOptions& options) {
  return BoundaryRows(source, boundaries, options).make();
}

Table cut_table(const PayloadSource& source, const Cuts& cuts, const PayloadOptions& options) {
  Table table{.name = "cuts",
              .columns = {{"after", "Cut after"},
                          {"call", "Call", Unit::Count},
                          {"tensors", "Tensors", Unit::Count},
                          {"raw", "Raw", Unit::Bytes},
                          {"fp16", "fp16", Unit::Bytes},
                          {"int8", "int8", Unit::Bytes},
                          {"raw_at_most", "At most", Unit::Bytes},
                          {"least_so_far", "Least so far", Unit::Text, false, 0, ColumnType::Truth},
                          {"ships", "Ships"},
                          {"minimum", "Minimum", Unit::Text, false, 0, ColumnType::Truth},
                          {"shipped", "Shipped", Unit::Text, false, 0, ColumnType::List}},
              .shown_columns = {{"after", "Cut after", Unit::Text, false, 0},
                                {"tensors", "Tensors", Unit::Count, false, 3},
                                {"raw", "Raw", Unit::Bytes, false, 0},
                                {"fp16", "fp16", Unit::Bytes, false, 1},
                                {"int8", "int8", Unit::Bytes, false, 1},
                                {"mark", "", Unit::Text, false, 0},
                                {"ships", "Ships", Unit::Text, false, 4}}};
  OpenSizeNotes open;
  const std::vector<std::uint32_t> places = shown_places(cuts, options.all);
  const auto sets = crossing(cuts, places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const CutPlace& place = cuts.places[places[i]];
    const bool is_start = place.layer == kNone;
    TableRow& row = table.rows.emplace_back();
    row.shown = {layer_name(source, place.layer), place.tensors};
    row.cells = {is_start ? std::string()
                          : layer_path(source.model, source.costs, source.layers.list[place.layer]),
                 is_start ? Cell() : Cell(source.layers.list[place.layer].call + 1), place.tensors};
    for (const Expr& bytes : place.bytes) add_bytes(row, bytes, place.unknown > 0, options.exact);
    open.see(place.bytes[0]);
    row.shown.emplace_back(place.is_least_so_far ? "*" : "");
    row.shown.emplace_back(shapes_text(source, cuts, sets[i], false));
    row.cells.emplace_back(place.unknown > 0 ? std::nullopt : upper_bound(place.bytes[0]));
    row.cells.emplace_back(place.is_least_so_far);
    row.cells.emplace_back(shapes_text(source, cuts, sets[i], true));
    row.cells.emplace_back(place.is_minimum);
    row.cells.push_back(shipped_cell(source, cuts, sets[i]));
  }
  std::vector<std::string> notes = {"* ships less than every earlier place"};
  if (places.size() < cuts.places.size())
    notes.push_back(phrased(
        options.phrase,
        make_error(Code::PlacesHidden, {},
                   fmt::format("{} of {} places, those that ship less than their neighbours",
                               places.size(), cuts.places.size()))));
  open.add_to(notes, source.inference, options.phrase);
  table.foot = foot_of(std::move(notes), 0);
  return table;
}

}  // namespace strata
