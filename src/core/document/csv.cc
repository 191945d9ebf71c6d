#include <algorithm>

#include <fmt/format.h>

#include "base/visible.h"
#include "document/cell_text.h"
#include "document/column_names.h"
#include "document/other_tools.h"
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

// Differences between a file for programs and one for a spreadsheet.
struct Dialect {
  std::string_view start, line_end, yes, no;
  bool titles;  // write titles with units, not the names for programs
};
constexpr Dialect kPlain = {"", "\n", "1", "0", false};
// Without the mark at its start Excel takes UTF-8 for the machine's old encoding. A line `sep=,`
// would say what is between cells, but then Excel no longer sees the mark.
constexpr Dialect kExcel = {"\xef\xbb\xbf", "\r\n", "TRUE", "FALSE", true};

// Plain digits; a formula as text; nothing for unknown; `>=` before a lower bound.
std::string csv_cell(const Cell& cell, const Dialect& dialect) {
  if (cell.is_unknown() || cell.certainty == Certainty::Unknown) return "";
  const std::string_view bound = cell.certainty == Certainty::LowerBound ? ">=" : "";
  if (const auto* expr = std::get_if<Expr>(&cell.value)) {
    if (expr->is_unknown()) return "";
    if (expr->is_number()) return fmt::format("{}{}", bound, expr->value());
    return csv_words(fmt::format("{}{}", bound, expr->text()));
  }
  if (const auto* real = std::get_if<double>(&cell.value)) return fmt::format("{}{}", bound, *real);
  if (const auto* truth = std::get_if<bool>(&cell.value))
    return fmt::format("{}{}", bound, *truth ? dialect.yes : dialect.no);
  return csv_words(cell_text(cell, Unit::Text, true));
}

// The number and the two ends of its interval.
std::string csv_estimate(const Cell& cell, const Dialect& dialect) {
  const auto* estimate = std::get_if<Estimate>(&cell.value);
  if (estimate == nullptr) return csv_cell(cell, dialect) + ",,";
  return fmt::format("{},{},{}", estimate->value, estimate->low, estimate->high);
}

std::string_view unit_text(Unit unit) {
  if (unit == Unit::Bytes) return "B";
  if (unit == Unit::Megabytes) return "MiB";
  if (unit == Unit::Seconds) return "s";
  if (unit == Unit::Picojoules) return "pJ";
  if (unit == Unit::BytesPerSecond) return "B/s";
  return unit == Unit::Decibels ? "dB" : "";
}

// `Time low (s)`; columns with a title that others have, too, keep their names: `macs%`.
std::string title_of(const Column& column, std::string_view word) {
  std::string title = column.share || column.title.empty() ? column.name : column.title;
  if (!word.empty()) title += fmt::format(" {}", word);
  const std::string_view unit = unit_text(column.unit);
  return unit.empty() || title.ends_with(')') ? title : fmt::format("{} ({})", title, unit);
}

std::string header_of(const Column& column, const Dialect& dialect) {
  const auto heading = [&](std::string_view word) {
    if (dialect.titles) return csv_words(title_of(column, word));
    return csv_words(word.empty() ? column.name : with_word(column.name, word));
  };
  if (column.type != ColumnType::Estimate) return heading("");
  return fmt::format("{},{},{}", heading(""), heading("low"), heading("high"));
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
  return out;
}

// Writes the first table, then the rows of tables with the same columns.
Status write_delimited(const Document& document, const TableStyle& style, const Dialect& dialect,
                       Sink& sink) {
  if (document.tables.empty()) return {};
  const Table& first = document.tables.front();
  const std::string header =
      line_of(first, [&](std::size_t i) { return header_of(first.columns[i], dialect); });
  if (Status status = sink.write(fmt::format("{}{}{}", dialect.start, header, dialect.line_end));
      !status)
    return status;
  for (const Table& table : document.tables) {
    if (!same_columns(table, first)) continue;
    Status status;
    for_each_row(table, [&](const TableRow& row) {
      const std::string line = line_of(table, [&](std::size_t i) {
        const Cell cell = without_folders(row.cells[i], style);
        return table.columns[i].type == ColumnType::Estimate ? csv_estimate(cell, dialect)
                                                             : csv_cell(cell, dialect);
      });
      status = sink.write(fmt::format("{}{}", line, dialect.line_end));
      return status.has_value();
    });
    if (!status) return status;
  }
  return {};
}

}  // namespace

Status write_csv(const Document& document, const TableStyle& style, Sink& sink) {
  return write_delimited(document, style, kPlain, sink);
}

Status write_excel(const Document& document, const TableStyle& style, Sink& sink) {
  return write_delimited(document, style, kExcel, sink);
}

}  // namespace strata
