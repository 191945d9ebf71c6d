// A document as JSON. docs/json-schema.md describes it, data/schemas/ has a schema for each kind.
#include <cmath>

#include <nlohmann/json.hpp>

#include "document/column_names.h"
#include "document/json_layout.h"
#include "document/paths.h"
#include "strata/document/render.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity, and what is no number is unknown.
Json real_json(double number) {
  if (std::isnan(number)) return nullptr;
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

// A number where it is one; else the formula, and its upper bound if it has one.
Json expr_json(const Expr& expr) {
  if (expr.is_unknown()) return nullptr;
  if (expr.is_number()) return expr.value();
  Json out{{"formula", expr.text()}};
  if (const auto bound = upper_bound(expr)) out["at_most"] = *bound;
  return out;
}

// A size is a number or the text of its formula.
Json shape_json(const Shape& shape) {
  if (!shape) return nullptr;
  Json out = Json::array();
  for (const Expr& size : *shape) {
    if (size.is_unknown())
      out.push_back(nullptr);
    else
      out.push_back(size.is_number() ? Json(size.value()) : Json(size.text()));
  }
  return out;
}

class Values {
 public:
  explicit Values(const TableStyle& style) : style_(style) {}

  Json value(const Cell& cell) const {
    Json out = std::visit([&](const auto& one) { return of(one); }, cell.value);
    if (cell.certainty == Certainty::LowerBound && !out.is_null()) return {{"at_least", out}};
    return cell.certainty == Certainty::Unknown ? Json(nullptr) : out;
  }

  Json members(const Members& given) const {
    Json out = Json::object();
    for (const Member& member : given) out[member.name] = value(member.cell);
    return out;
  }

  Json pairs(const std::vector<std::pair<std::string, std::string>>& given) const {
    Json out = Json::object();
    for (const auto& [key, text] : given)
      out[key] = style_.with_paths ? text : option_without_folders(text);
    return out;
  }

  Json columns(const Table& table) const {
    Json out = Json::array();
    for (const Column& column : table.columns)
      out.push_back({{"name", column.name},
                     {"title", column.title},
                     {"unit", name_of(column.unit)},
                     {"type", name_of(column.type)},
                     {"additive", column.additive}});
    return out;
  }

  Json row(const Table& table, const TableRow& row) const {
    Json out = Json::object();
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      add_cell(out, table.columns[i], row.cells[i]);
    if (table.tree) out["depth"] = row.depth;
    return out;
  }

  Json totals(const Table& table) const {
    Json out = Json::object();
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].additive) add_cell(out, table.columns[i], table.totals.cells[i]);
    return out;
  }

 private:
  Json of(std::monostate) const { return nullptr; }
  Json of(const std::string& text) const { return text; }
  Json of(const Expr& expr) const { return expr_json(expr); }
  Json of(double number) const { return real_json(number); }
  Json of(bool truth) const { return truth; }
  Json of(const Estimate& estimate) const {
    return {{"value", real_json(estimate.value)}, {"interval", interval(estimate)}};
  }
  Json of(const Shape& shape) const { return shape_json(shape); }
  Json of(const FilePath& path) const {
    return style_.with_paths ? path.text : without_folders(path.text);
  }
  Json of(const Cells& list) const {
    Json out = Json::array();
    for (const Cell& cell : list) out.push_back(value(cell));
    return out;
  }
  Json of(const Members& given) const { return members(given); }

  static Json interval(const Estimate& estimate) {
    return Json::array({real_json(estimate.low), real_json(estimate.high)});
  }

  void add_cell(Json& row, const Column& column, const Cell& cell) const {
    if (column.type != ColumnType::Estimate) {
      row[column.name] = value(cell);
      return;
    }
    const auto* estimate = std::get_if<Estimate>(&cell.value);
    row[column.name] = estimate != nullptr ? real_json(estimate->value) : value(cell);
    row[with_word(column.name, "interval")] =
        estimate != nullptr ? interval(*estimate) : Json(nullptr);
  }

  const TableStyle& style_;
};

// Writes an object member by member, and of a table row by row.
class Writer {
 public:
  Writer(const TableStyle& style, Sink& sink) : values_(style), sink_(sink) {}

  void document(const Document& document) {
    open('{');
    member("kind", document.kind);
    member("schema", document.schema);
    member("tool", {{"name", document.tool}, {"version", document.version}});
    member("options", values_.pairs(document.options));
    if (!document.machine.empty()) member("machine", values_.pairs(document.machine));
    begin_member("facts");
    open('{');
    for (const Member& fact : document.facts) member(fact.name, values_.value(fact.cell));
    close('}');
    begin_member("tables");
    open('{');
    for (const Table& one : document.tables) table(one);
    close('}');
    member("notes", document.notes);
    close('}');
    text_ += '\n';
    flush();
  }
  Status status() const { return status_; }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;

  void table(const Table& table) {
    begin_member(table.name);
    open('{');
    member("columns", values_.columns(table));
    begin_member("rows");
    open('[');
    for (const TableRow& row : table.rows) {
      next_line();
      add_json(text_, values_.row(table, row), level_);
      if (text_.size() >= kPiece) flush();
      if (!status_) return;
    }
    close(']');
    if (!table.totals.cells.empty()) member("totals", values_.totals(table));
    close('}');
  }

  void open(char bracket) {
    text_ += bracket;
    ++level_;
    first_ = true;
  }
  void close(char bracket) {
    --level_;
    if (!first_) text_ += "\n" + std::string(2 * level_, ' ');
    text_ += bracket;
    first_ = false;
  }
  void next_line() {
    if (!std::exchange(first_, false)) text_ += ',';
    text_ += "\n" + std::string(2 * level_, ' ');
  }
  void begin_member(const std::string& name) {
    next_line();
    add_json(text_, Json(name), level_);
    text_ += ": ";
  }
  void member(const std::string& name, const Json& value) {
    begin_member(name);
    add_json(text_, value, level_);
    if (text_.size() >= kPiece) flush();
  }
  void flush() {
    if (status_) status_ = sink_.write(text_);
    text_.clear();
  }

  const Values values_;
  Sink& sink_;
  std::string text_;
  std::size_t level_ = 0;
  bool first_ = true;  // nothing is in the innermost bracket yet
  Status status_;
};

}  // namespace

Status write_json(const Document& document, const TableStyle& style, Sink& sink) {
  Writer writer(style, sink);
  writer.document(document);
  return writer.status();
}

}  // namespace strata
