#include "document/page_data.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/shortened.h"
#include "base/visible.h"
#include "document/cell_text.h"
#include "document/json_values.h"
#include "document/paths.h"
#include "document/people.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostExact = std::int64_t{1} << 53;  // of a number in JavaScript
constexpr std::size_t kMaxNumbers = 100;                    // of a list in the facts

Json with_visible_text(const Json& json) {
  if (json.is_string()) return visible(json.get_ref<const std::string&>());
  if (!json.is_structured()) return json;
  Json out = json.is_array() ? Json::array() : Json::object();
  for (const auto& [key, value] : json.items()) {
    if (json.is_array())
      out.push_back(with_visible_text(value));
    else
      out[visible(key)] = with_visible_text(value);
  }
  return out;
}

// Counts the numbers in a list, also in lists in it; nullopt if it holds anything else.
std::optional<std::size_t> numbers_in(const Json& json) {
  if (json.is_number() || json.is_null()) return 1;
  if (!json.is_array()) return std::nullopt;
  std::size_t sum = 0;
  for (const Json& item : json) {
    const auto inner = numbers_in(item);
    if (!inner) return std::nullopt;
    sum += *inner;
  }
  return sum;
}

// Facts for people: of samples, of which a benchmark has a million, they see how many there are.
// JSON has them.
Json without_samples(const Json& json) {
  if (json.is_array())
    if (const auto count = numbers_in(json); count && *count > kMaxNumbers)
      return fmt::format("{} numbers", *count);
  if (!json.is_structured()) return json;
  Json out = json.is_array() ? Json::array() : Json::object();
  for (const auto& [key, value] : json.items()) {
    if (json.is_array())
      out.push_back(without_samples(value));
    else
      out[key] = without_samples(value);
  }
  return out;
}

// Returns a cell's number, if it has one that JavaScript can hold.
Json number_of(const Cell& cell) {
  if (const auto* expr = std::get_if<Expr>(&cell.value))
    return expr->is_number() ? Json(static_cast<double>(expr->value())) : Json(nullptr);
  if (const auto* real = std::get_if<double>(&cell.value))
    return std::isfinite(*real) ? Json(*real) : Json(nullptr);
  return nullptr;
}

bool is_plain_number(const Cell& cell) {
  if (cell.certainty != Certainty::Exact) return false;
  if (const auto* expr = std::get_if<Expr>(&cell.value))
    return expr->is_number() && std::abs(expr->value()) <= kMostExact;
  const auto* real = std::get_if<double>(&cell.value);
  return real != nullptr && std::isfinite(*real);
}

// True for formulas, and lists of shapes, that are the same in memory.
bool are_same_formulas(const Cell& a, const Cell& b) {
  if (a.certainty != b.certainty || a.value.index() != b.value.index()) return false;
  if (const auto* expr = std::get_if<Expr>(&a.value))
    return expr->is_formula() && is_same(*expr, std::get<Expr>(b.value));
  const auto* list = std::get_if<Cells>(&a.value);
  if (list == nullptr || list->empty()) return false;
  const Cells& other = std::get<Cells>(b.value);
  return std::equal(
      list->begin(), list->end(), other.begin(), other.end(), [](const Cell& x, const Cell& y) {
        const auto* left = std::get_if<Shape>(&x.value);
        const auto* right = std::get_if<Shape>(&y.value);
        return left != nullptr && right != nullptr && *left && *right &&
               std::equal((*left)->begin(), (*left)->end(), (*right)->begin(), (*right)->end(),
                          [](const Expr& s, const Expr& t) { return is_same(s, t); });
      });
}

Json lines_json(const std::string& text) {
  Json out = Json::array();
  for (std::string_view left = text; !left.empty();) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    out.push_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return out;
}

}  // namespace

std::string page_json(const Json& json) {
  std::string out;
  // Outside of texts, JSON has none of these.
  for (const char c : json_text(with_visible_text(json), -1)) {
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else
      out += c;
  }
  return out;
}

Json page_cell(const Cell& given, Unit unit, const TableStyle& style) {
  if (given.is_unknown() &&
      (given.meaning == Meaning::Elsewhere || given.meaning == Meaning::Nowhere))
    return {{"v", nullptr}, {"t", cell_text(given, unit, false)}};
  if (given.is_unknown() || given.certainty == Certainty::Unknown) return nullptr;
  const Cell cell = without_folders(given, style);
  if (const auto* truth = std::get_if<bool>(&cell.value)) return *truth;
  if (is_plain_number(cell)) {
    const auto* expr = std::get_if<Expr>(&cell.value);
    return expr != nullptr ? Json(expr->value()) : Json(std::get<double>(cell.value));
  }
  const std::string text = shortened(cell_text(cell, unit, false));
  if (const auto* estimate = std::get_if<Estimate>(&cell.value))
    return {{"v", estimate->value}, {"l", estimate->low}, {"h", estimate->high}, {"t", text}};
  if (!std::holds_alternative<Expr>(cell.value) && !std::holds_alternative<double>(cell.value))
    return text;
  return {{"v", number_of(cell)}, {"t", text}, {"x", shortened(cell_text(cell, unit, true))}};
}

PageTable::PageTable(const Table& table, const TableStyle& style) : style_(style) {
  const auto add = [this](const std::vector<Column>& columns, bool shown, bool usual) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].type != ColumnType::List)
        places_.push_back({&columns[i], i, shown, usual && columns[i].usual});
  };
  add(table.shown_columns, true, true);
  add(table.columns, false, table.shown_columns.empty());
  worded_.resize(places_.size());
}

Json PageTable::columns() const {
  Json out = Json::array();
  for (const Place& place : places_)
    out.push_back({{"name", place.column->name},
                   {"title", place.column->title},
                   {"unit", name_of(place.column->unit)},
                   {"additive", place.column->additive},
                   {"usual", place.usual}});
  return out;
}

Json PageTable::row(const TableRow& row) const {
  Json out = Json::array();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const std::vector<Cell>& cells = place.shown ? row.shown : row.cells;
    if (place.index >= cells.size()) {
      out.push_back(nullptr);
      continue;
    }
    const Cell& cell = cells[place.index];
    Worded& last = worded_[i];
    if (last.json == nullptr || !are_same_formulas(last.cell, cell)) {
      Json made = page_cell(cell, place.column->unit, style_);
      if (!are_same_formulas(cell, cell)) {
        out.push_back(std::move(made));
        continue;
      }
      last = {cell, std::make_shared<const Json>(std::move(made))};
    }
    out.push_back(*last.json);
  }
  return out;
}

Json PageTable::lists(const Table& table) {
  Json out = Json::object();
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].type != ColumnType::List) continue;
    Json& lists = out[table.columns[c].name] = Json::array();
    for (const TableRow& row : table.rows) {
      Json numbers = Json::array();
      if (const auto* cells = std::get_if<Cells>(&row.cells[c].value))
        for (const Cell& cell : *cells) numbers.push_back(number_of(cell));
      const bool is_whole =
          !numbers.empty() && std::none_of(numbers.begin(), numbers.end(),
                                           [](const Json& one) { return one.is_null(); });
      lists.push_back(is_whole ? std::move(numbers) : Json(nullptr));
    }
  }
  return out;
}

Json page_edges(const RowEdges& edges) {
  Json reads = Json::array();
  for (std::size_t row = 0; row < edges.reads.size(); ++row) {
    Json own = Json::array();
    for (const std::int32_t from : edges.reads[row])
      own.push_back(from == RowEdges::kInput ? 0 : static_cast<std::int64_t>(row) - from);
    if (own.size() == 1)
      reads.push_back(own[0]);
    else
      reads.push_back(own.empty() ? Json(nullptr) : std::move(own));
  }
  return {{"reads", std::move(reads)}, {"returned", edges.returned}};
}

Json page_head(const Document& document, const TableStyle& style) {
  const JsonValues values(style);
  Json sections = Json::array();
  for (const Section& section : sections_of(document)) {
    if (section.picture) continue;
    if (const Table* table = document.table(section.table)) {
      const std::string foot = foot_of(*table, style, true);
      sections.push_back({{"table", table->name},
                          {"lines", lines_json(foot + left_out_text(*table, style.phrase))}});
    } else if (const std::string lines = lines_of(section, style, true); !lines.empty()) {
      sections.push_back({{"lines", lines_json(lines)},
                          {"verbatim", section.verbatim},
                          {"paragraph", section.paragraph},
                          {"answer", section.answer}});
    }
  }
  return {{"kind", document.kind},
          {"tool", document.tool + " " + document.version},
          {"exact", style.exact},
          {"options", values.options(document.options)},
          {"machine", values.pairs(document.machine)},
          {"facts", without_samples(values.members(document.facts))},
          {"sections", std::move(sections)}};
}

}  // namespace strata
