#include <algorithm>

#include <fmt/format.h>

#include "base/visible.h"
#include "document/cell_text.h"
#include "document/column_names.h"
#include "document/paths.h"
#include "strata/document/render.h"

namespace strata {

namespace {

// RFC 4180: quoted if it holds a comma or a quote.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"") == text.npos) return text;
  std::string out = "\"";
  for (const char ch : text) {
    if (ch == '"') out += '"';
    out += ch;
  }
  return out + "\"";
}

// Words on one line. A spreadsheet would compute a cell that begins like a formula; with an
// apostrophe before it, it is text.
std::string csv_words(const std::string& given) {
  const std::string text = visible(given);
  const bool runs = text.find_first_of("=+-@") == 0;
  return quoted(runs ? "'" + text : text);
}

// Plain digits; a formula as text; nothing for unknown; `>=` before a lower bound.
std::string csv_cell(const Cell& cell) {
  if (cell.is_unknown() || cell.certainty == Certainty::Unknown) return "";
  const std::string_view bound = cell.certainty == Certainty::LowerBound ? ">=" : "";
  if (const auto* expr = std::get_if<Expr>(&cell.value)) {
    if (expr->is_unknown()) return "";
    if (expr->is_number()) return fmt::format("{}{}", bound, expr->value());
    return csv_words(fmt::format("{}{}", bound, expr->text()));
  }
  if (const auto* real = std::get_if<double>(&cell.value)) return fmt::format("{}{}", bound, *real);
  if (const auto* truth = std::get_if<bool>(&cell.value))
    return fmt::format("{}{}", bound, *truth ? '1' : '0');
  return csv_words(cell_text(cell, Unit::Text, true));
}

// The number and the two ends of its interval.
std::string csv_estimate(const Cell& cell) {
  const auto* estimate = std::get_if<Estimate>(&cell.value);
  if (estimate == nullptr) return csv_cell(cell) + ",,";
  return fmt::format("{},{},{}", estimate->value, estimate->low, estimate->high);
}

std::string header_of(const Column& column) {
  if (column.type != ColumnType::Estimate) return csv_words(column.name);
  return fmt::format("{},{},{}", csv_words(column.name), csv_words(with_word(column.name, "low")),
                     csv_words(with_word(column.name, "high")));
}

bool same_columns(const Table& a, const Table& b) {
  return std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                    [](const Column& x, const Column& y) { return x.name == y.name; });
}

template <class TextOf>
std::string line_of(const Table& table, const TextOf& text_of) {
  std::string out;
  std::string_view comma = "";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].type == ColumnType::List) continue;
    out += comma;
    out += text_of(i);
    comma = ",";
  }
  return out + "\n";
}

}  // namespace

// The first table, and behind it the rows of those that have the very same columns.
Status write_csv(const Document& document, const TableStyle& style, Sink& sink) {
  if (document.tables.empty()) return {};
  const Table& first = document.tables.front();
  if (Status status =
          sink.write(line_of(first, [&](std::size_t i) { return header_of(first.columns[i]); }));
      !status)
    return status;
  for (const Table& table : document.tables) {
    if (!same_columns(table, first)) continue;
    for (const TableRow& row : table.rows) {
      const std::string line = line_of(table, [&](std::size_t i) {
        const Cell cell = without_folders(row.cells[i], style);
        return table.columns[i].type == ColumnType::Estimate ? csv_estimate(cell) : csv_cell(cell);
      });
      if (Status status = sink.write(line); !status) return status;
    }
  }
  return {};
}

}  // namespace strata
