#include "document/json_values.h"

#include <cmath>

#include "document/column_names.h"
#include "document/paths.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity, and what is not a number is unknown.
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

Json interval(const Estimate& estimate) {
  return Json::array({real_json(estimate.low), real_json(estimate.high)});
}

}  // namespace

Json JsonValues::value(const Cell& cell) const {
  Json out = std::visit([&](const auto& one) { return of(one); }, cell.value);
  if (cell.certainty == Certainty::LowerBound && !out.is_null()) return {{"at_least", out}};
  return cell.certainty == Certainty::Unknown ? Json(nullptr) : out;
}

Json JsonValues::members(const Members& given) const {
  Json out = Json::object();
  for (const Member& member : given) out[member.name] = value(member.cell);
  return out;
}

Json JsonValues::pairs(const std::vector<std::pair<std::string, std::string>>& given) const {
  Json out = Json::object();
  for (const auto& [key, text] : given) out[key] = word(text);
  return out;
}

Json JsonValues::options(const std::vector<std::pair<std::string, std::string>>& given) const {
  Json out = Json::object();
  for (const auto& [key, text] : given) {
    const auto known = out.find(key);
    if (known == out.end())
      out[key] = word(text);
    else if (known->is_array())
      known->push_back(word(text));
    else
      *known = Json::array({*known, word(text)});
  }
  return out;
}

std::string JsonValues::word(const std::string& text) const {
  return style_.with_paths ? text : option_without_folders(text);
}

Json JsonValues::columns(const Table& table) const {
  Json out = Json::array();
  for (const Column& column : table.columns)
    out.push_back({{"name", column.name},
                   {"title", column.title},
                   {"unit", name_of(column.unit)},
                   {"type", name_of(column.type)},
                   {"additive", column.additive}});
  return out;
}

Json JsonValues::row(const Table& table, const TableRow& row) const {
  Json out = Json::object();
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    add_cell(out, table.columns[i], row.cells[i]);
  if (table.tree) out["depth"] = row.depth;
  return out;
}

Json JsonValues::totals(const Table& table) const {
  Json out = Json::object();
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].additive) add_cell(out, table.columns[i], table.totals.cells[i]);
  return out;
}

Json JsonValues::of(const Expr& expr) const { return expr_json(expr); }

Json JsonValues::of(double number) const { return real_json(number); }

Json JsonValues::of(const Estimate& estimate) const {
  return {{"value", real_json(estimate.value)}, {"interval", interval(estimate)}};
}

Json JsonValues::of(const Shape& shape) const { return shape_json(shape); }

Json JsonValues::of(const FilePath& path) const {
  return style_.with_paths ? path.text : without_folders(path.text);
}

Json JsonValues::of(const Cells& list) const {
  Json out = Json::array();
  for (const Cell& cell : list) out.push_back(value(cell));
  return out;
}

void JsonValues::add_cell(Json& row, const Column& column, const Cell& cell) const {
  if (column.type != ColumnType::Estimate) {
    row[column.name] = value(cell);
    return;
  }
  const auto* estimate = std::get_if<Estimate>(&cell.value);
  row[column.name] = estimate != nullptr ? real_json(estimate->value) : value(cell);
  row[with_word(column.name, "interval")] =
      estimate != nullptr ? interval(*estimate) : Json(nullptr);
}

}  // namespace strata
