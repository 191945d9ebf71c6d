#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/visible.h"
#include "document/cell_text.h"
#include "document/people.h"
#include "document/wrap.h"
#include "strata/base/number_text.h"
#include "strata/document/render.h"

namespace strata {

namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kMinText = 12;  // a text column is not cut below this

// Texts one after the other: a large table has millions, and most are shorter than a std::string.
class Texts {
 public:
  void reserve(std::size_t count) { ends_.reserve(count); }
  void add(std::string_view text) {
    all_ += text;
    ends_.push_back(all_.size());
  }
  std::string_view operator[](std::size_t i) const {
    const std::size_t start = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(all_).substr(start, ends_[i] - start);
  }
  std::size_t size() const { return ends_.size(); }
  bool are_empty() const { return all_.empty(); }

 private:
  std::string all_;
  std::vector<std::size_t> ends_;
};

struct TextColumn {
  const Column* column;
  std::string title;
  Texts cells;  // one a row, then the total
  std::size_t width = 0;
};

// Exact numbers have no unit of their own, so the title has it.
std::string title_of(const Column& column, bool exact) {
  if (column.title.ends_with(')')) return column.title;  // it has its unit
  if (exact && column.unit == Unit::Bytes) return column.title + " (B)";
  if (exact && column.unit == Unit::Picojoules) return column.title + " (pJ)";
  if (exact && column.unit == Unit::Seconds) return column.title + " (s)";
  return column.title;
}

std::string repeat(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

// Keeps the end, which tells layers apart: `…conv.0.0`.
std::string shortened(std::string_view text, std::size_t width) {
  const std::size_t excess = display_width(text) - width + 1;
  std::size_t at = 0;
  for (std::size_t skipped = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) continue;
    if (skipped++ == excess) break;
  }
  return "…" + std::string(text.substr(at));
}

void append_padded(std::string& line, std::string_view text, std::size_t width, bool right) {
  const std::size_t shown = display_width(text);
  const std::size_t space = width - std::min(shown, width);
  if (right) line.append(space, ' ');
  if (shown > width)
    line += shortened(text, width);
  else
    line += text;
  if (!right) line.append(space, ' ');
}

std::vector<TextColumn> text_columns(const Table& table, const TableStyle& style) {
  std::vector<TextColumn> columns;
  bool labelled = false;  // the total's own name has been placed
  for (std::size_t c = 0; c < columns_for_people(table).size(); ++c) {
    const Column& column = columns_for_people(table)[c];
    if (column.type == ColumnType::List) continue;
    TextColumn out{&column, visible(title_of(column, style.exact)), {}, 0};
    out.width = display_width(out.title);
    const bool indent = table.tree && column.name == "layer";
    out.cells.reserve(table.rows.size() + 1);
    for (const TableRow& row : table.rows) {
      std::string text = shown_text(cells_for_people(table, row)[c], column.unit, style.exact);
      if (indent) text = std::string(2 * std::min<std::size_t>(row.depth, 12), ' ') + text;
      out.cells.add(text);
    }
    const bool blank = column.unit == Unit::Text && out.cells.are_empty();
    if (blank && (!table.rows.empty() || labelled)) continue;
    if (!has_totals(table))
      ;  // rows that do not add up
    else if (column.additive)
      out.cells.add(shown_text(cells_for_people(table, table.totals)[c], column.unit, style.exact));
    else
      out.cells.add(!labelled && column.unit == Unit::Text ? "Total" : "");
    labelled = labelled || column.unit == Unit::Text;
    for (std::size_t i = 0; i < out.cells.size(); ++i)
      out.width = std::max(out.width, display_width(out.cells[i]));
    columns.push_back(std::move(out));
  }
  return columns;
}

std::size_t total_width(const std::vector<TextColumn>& columns) {
  std::size_t width = 0;
  for (const TextColumn& column : columns) width += column.width + kGap.size();
  return width == 0 ? 0 : width - kGap.size();
}

// Drops the least important columns, then cuts long names, until it fits.
std::vector<std::string> fit(std::vector<TextColumn>& columns, std::size_t width) {
  std::vector<std::string> dropped;
  if (width == 0) return dropped;
  const auto least = [&] {
    return std::max_element(columns.begin(), columns.end(), [](const auto& a, const auto& b) {
      return a.column->priority < b.column->priority;
    });
  };
  const auto slack = [&] {  // what cutting texts to a readable width would win
    std::size_t win = 0;
    for (const TextColumn& column : columns)
      if (column.column->unit == Unit::Text && column.width > 2 * kMinText)
        win += column.width - 2 * kMinText;
    return win;
  };
  while (total_width(columns) > width + slack() && columns.size() > 1 &&
         least()->column->priority > 0) {
    dropped.push_back(least()->column->name);
    columns.erase(least());
  }
  while (total_width(columns) > width) {
    const auto longest =
        std::max_element(columns.begin(), columns.end(), [](const auto& a, const auto& b) {
          const auto size = [](const TextColumn& c) {
            return c.column->unit == Unit::Text ? c.width : 0;
          };
          return size(a) < size(b);
        });
    if (longest->column->unit != Unit::Text || longest->width <= kMinText) break;
    --longest->width;
  }
  std::reverse(dropped.begin(), dropped.end());
  return dropped;
}

std::string line_of(const std::vector<TextColumn>& columns, std::size_t row) {
  std::string line;
  for (const TextColumn& column : columns) {
    if (!line.empty()) line += kGap;
    append_padded(line, column.cells[row], column.width, is_right_aligned(column.column->unit));
  }
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

std::string header_of(const std::vector<TextColumn>& columns) {
  std::string line;
  for (const TextColumn& column : columns) {
    if (!line.empty()) line += kGap;
    append_padded(line, column.title, column.width, is_right_aligned(column.column->unit));
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

// What stands below a table: its own lines, then what is not shown of it.
std::string foot_of(const Table& table, const TableStyle& style,
                    const std::vector<std::string>& dropped) {
  std::string out = table.foot ? table.foot(style) : "";
  out += left_out_text(table, style.phrase);
  if (!dropped.empty())
    out += phrased(style.phrase, make_error(Code::ColumnsDropped, {},
                                            fmt::format("Not shown for lack of width: {}",
                                                        fmt::join(dropped, ", ")))) +
           "\n";
  return wrapped(visible_lines(out), style.width);
}

Status write_rows(const Table& table, const TableStyle& style, Sink& sink) {
  std::vector<TextColumn> columns = text_columns(table, style);
  const std::vector<std::string> dropped = fit(columns, style.width);
  const std::string rule = repeat("─", total_width(columns)) + "\n";
  const std::string header = header_of(columns);
  std::string text = (style.color ? "\x1b[1m" + header + "\x1b[0m" : header) + "\n" + rule;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    text += line_of(columns, row);
    if (Status status = sink.write(std::exchange(text, {})); !status) return status;
  }
  if (has_totals(table)) {
    if (!table.rows.empty()) text += rule;
    text += line_of(columns, table.rows.size());
  }
  return sink.write(text + foot_of(table, style, dropped));
}

std::string lines_text(const Section& section, const TableStyle& style) {
  if (!section.lines) return "";
  if (section.picture) return section.lines(style);  // with colours
  return wrapped(visible_lines(section.lines(style)), section.verbatim ? 0 : style.width);
}

}  // namespace

Status write_table(const Document& document, const TableStyle& style, Sink& sink) {
  bool first = true;
  for (const Section& section : sections_of(document)) {
    const Table* table = document.table(section.table);
    const std::string text = table == nullptr ? lines_text(section, style) : "";
    if (table == nullptr && text.empty()) continue;
    const bool gap = !std::exchange(first, false) && section.apart;
    if (Status status = sink.write(gap ? "\n" + text : text); !status) return status;
    if (table == nullptr) continue;
    if (Status status = write_rows(*table, style, sink); !status) return status;
  }
  return {};
}

}  // namespace strata
