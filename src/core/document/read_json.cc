// Reads what json.cc writes.
#include "strata/document/read_json.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/json_text.h"
#include "document/column_names.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

std::optional<ColumnType> type_from_name(std::string_view name) {
  for (const ColumnType type : {ColumnType::Plain, ColumnType::Estimate, ColumnType::Shapes,
                                ColumnType::Truth, ColumnType::List})
    if (name_of(type) == name) return type;
  return std::nullopt;
}

double real_from(const Json& value) {
  return JsonFields::real_number(value).value_or(std::numeric_limits<double>::quiet_NaN());
}

// Whatever JSON can say. Depth is bounded by the parser.
Cell cell_from(const Json& value) {
  if (value.is_null()) return Cell(std::monostate{}, Certainty::Unknown);
  if (value.is_boolean()) return Cell(value.get<bool>());
  if (value.is_string()) return Cell(value.get<std::string>());
  if (const auto whole = JsonFields::whole_number(value)) return Cell(*whole);
  if (value.is_number()) return Cell(value.get<double>());
  if (value.is_array()) {
    Cells list;
    for (const Json& item : value) list.push_back(cell_from(item));
    return Cell(std::move(list));
  }
  if (value.size() == 1 && value.contains("at_least")) {
    Cell bound = cell_from(value["at_least"]);
    bound.certainty = Certainty::LowerBound;
    return bound;
  }
  Members members;
  for (const auto& [name, item] : value.items()) members.push_back({name, cell_from(item)});
  return Cell(std::move(members));
}

// A size that is a text is a formula, which no reader of a table computes with.
Cell shape_from(const Json& value) {
  if (!value.is_array()) return Cell(Shape());
  Dims sizes;
  for (const Json& size : value) {
    const auto whole = JsonFields::whole_number(size);
    sizes.push_back(whole ? Expr(*whole)
                    : size.is_string() && !size.get_ref<const std::string&>().empty()
                        ? Expr::symbol(size.get_ref<const std::string&>())
                        : Expr::unknown());
  }
  return Cell(Shape(std::move(sizes)));
}

Cell typed_cell(const Column& column, const Json& row) {
  const auto found = row.find(column.name);
  if (found == row.end() || found->is_null()) return Cell(std::monostate{}, Certainty::Unknown);
  if (column.type == ColumnType::Shapes && found->is_array()) {
    // A column of shapes may have one shape in a cell, or a list of them.
    const bool has_sizes = std::any_of(found->begin(), found->end(), [](const Json& item) {
      return item.is_number() || item.is_string();
    });
    if (has_sizes) return shape_from(*found);
    Cells shapes;
    for (const Json& shape : *found) shapes.push_back(shape_from(shape));
    return Cell(std::move(shapes));
  }
  if (column.type == ColumnType::Estimate && (found->is_number() || found->is_string())) {
    const auto interval = row.find(with_word(column.name, "interval"));
    if (interval == row.end() || !interval->is_array() || interval->size() != 2)
      return Cell(real_from(*found));
    return Cell(Estimate{real_from(*found), real_from((*interval)[0]), real_from((*interval)[1])});
  }
  if (column.unit != Unit::Text && found->is_string()) return Cell(real_from(*found));
  return cell_from(*found);
}

class DocumentReader : public JsonFields {
 public:
  explicit DocumentReader(std::string_view label) : JsonFields("document", label) {}

  Result<Document> read(const Json& json) {
    if (!json.is_object()) return failed("it is not an object");
    Document document;
    document.kind = needed_text(json, "kind");
    document.schema = count(json, "schema");
    const Json& tool = object(json, "tool");
    document.tool = text(tool, "name", "its tool");
    document.version = text(tool, "version", "its tool");
    std::istringstream command(text(tool, "command", "its tool"));
    for (std::string word; command >> word;) document.command.push_back(word);
    pairs(json, "options", document.options);
    pairs(json, "machine", document.machine);
    for (const auto& [name, value] : object(json, "facts").items())
      document.facts.push_back({name, cell_from(value)});
    for (const auto& [name, value] : object(json, "tables").items())
      read_table(document.tables.emplace_back(), name, value);
    if (const Json* notes = at(json, "notes"); notes != nullptr && notes->is_array())
      for (const Json& note : *notes)
        if (note.is_string()) document.notes.push_back(note.get<std::string>());
    if (!good()) return failed();
    return document;
  }

 private:
  void read_table(Table& table, const std::string& name, const Json& json) {
    table.name = name;
    const std::string where = fmt::format("its table \"{}\"", name);
    if (!json.is_object()) return wrong(where, "is not an object");
    const Json* columns = at(json, "columns");
    const Json* rows = at(json, "rows");
    if (columns == nullptr || !columns->is_array()) return wrong(where, "has no list of columns");
    if (rows == nullptr || !rows->is_array()) return wrong(where, "has no list of rows");
    for (const Json& one : *columns) {
      if (!one.is_object()) return wrong(where, "has a column that is not an object");
      Column& column = table.columns.emplace_back();
      column.name = needed_text(one, "name", where);
      column.title = text(one, "title", where);
      const auto unit = unit_from_name(text(one, "unit", where));
      const auto type = type_from_name(text(one, "type", where));
      if (!unit || !type) return wrong(where, "has a column of a unit or type that is not known");
      column.unit = *unit;
      column.type = *type;
      column.additive = flag(one, "additive", where);
    }
    for (const Json& one : *rows) {
      if (!one.is_object()) return wrong(where, "has a row that is not an object");
      TableRow& row = table.rows.emplace_back();
      for (const Column& column : table.columns) row.cells.push_back(typed_cell(column, one));
      if (const auto depth = one.find("depth"); depth != one.end() && depth->is_number_unsigned()) {
        table.tree = true;
        row.depth =
            static_cast<std::uint32_t>(std::min(depth->get<std::uint64_t>(), std::uint64_t{1000}));
      }
    }
    if (const Json* totals = at(json, "totals"); totals != nullptr && totals->is_object())
      for (const Column& column : table.columns)
        table.totals.cells.push_back(typed_cell(column, *totals));
  }
};

}  // namespace

Result<Document> document_from_json(std::string_view json, std::string_view label) {
  constexpr int kDeepest = 64;
  const Json parsed = json_from_text(json, kDeepest);
  if (parsed.is_discarded()) return DocumentReader(label).failed("it is not JSON");
  return DocumentReader(label).read(parsed);
}

}  // namespace strata
