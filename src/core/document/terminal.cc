#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/display_width.h"
#include "base/visible.h"
#include "document/cell_text.h"
#include "document/paint.h"
#include "document/people.h"
#include "document/share_bar.h"
#include "document/shown_texts.h"
#include "document/wrap.h"
#include "strata/base/number_text.h"
#include "strata/document/render.h"

namespace strata {

namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kMinText = 12;                  // a text column is not cut below this
constexpr std::size_t kPiece = std::size_t{1} << 16;  // bytes written at a time

struct TextColumn {
  std::size_t index;  // of its column for people
  const Column* column;
  std::string title;
  ShownTexts texts;
  std::vector<ShownTexts::Id> cells = {};  // one a row, then the total
  std::size_t width = 0;
  std::vector<Paint> paints = {};  // of the cells; empty: none
  bool is_bar = false;             // beside the column before it, whose title is above both

  std::string_view text(std::size_t row) const { return texts.text(cells[row]); }
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

// `shown` columns of a terminal are what the text takes.
void append_padded(std::string& line, std::string_view text, std::size_t shown, std::size_t width,
                   bool right, Paint paint = Paint::None) {
  if (shown > width) {
    const std::string end = end_of_width(text, width);
    return append_padded(line, end, display_width(end), width, right, paint);
  }
  const std::size_t space = width - shown;
  if (right) line.append(space, ' ');
  if (paint == Paint::None)
    line += text;
  else
    line += painted(text, paint);
  if (!right) line.append(space, ' ');
}

// Shares of a column as bars. Rows of a tree hold those below them, so that the largest is a whole.
TextColumn bars_of(const Table& table, std::size_t c, const std::vector<double>& shares) {
  const double most = std::max(0.0, *std::max_element(shares.begin(), shares.end()));
  TextColumn bars{c, &columns_for_people(table)[c], "", ShownTexts(Unit::Text, false, 0)};
  bars.width = kShareCells;
  for (const double share : shares)
    bars.cells.push_back(bars.texts.add_text(share_bar(share, most)));
  if (has_totals(table)) bars.cells.push_back(bars.texts.add_text(""));
  bars.paints.assign(bars.cells.size(), Paint::Cyan);
  bars.is_bar = true;
  return bars;
}

// The columns that may be shown, with the texts of all rows, which are read once. `shares` are
// those of the column `with_bar`.
std::vector<TextColumn> read_rows(const Table& table, const std::vector<bool>& constant,
                                  const TableStyle& style, std::size_t with_bar,
                                  std::vector<double>& shares) {
  std::vector<TextColumn> columns;
  const std::size_t rows = row_count(table);
  for (std::size_t c = 0; c < columns_for_people(table).size(); ++c) {
    const Column& column = columns_for_people(table)[c];
    if (column.type == ColumnType::List || constant[c]) continue;
    TextColumn& out =
        columns.emplace_back(TextColumn{c, &column, visible(title_of(column, style.exact)),
                                        ShownTexts(column.unit, style.exact, rows)});
    out.cells.reserve(rows + 1);
  }
  for_each_row(table, [&](const TableRow& row) {
    const std::vector<Cell>& cells = cells_for_people(table, row);
    for (TextColumn& column : columns) {
      const Cell& cell = cells[column.index];
      if (table.tree && column.column->name == "layer")
        column.cells.push_back(
            column.texts.add_text(std::string(2 * std::min<std::size_t>(row.depth, 12), ' ') +
                                  shown_text(cell, column.column->unit, style.exact)));
      else
        column.cells.push_back(column.texts.add(cell));
      if (style.color) column.paints.push_back(paint_of(cell));
    }
    if (with_bar == kNoShare) return true;
    const auto* share = std::get_if<double>(&cells[with_bar].value);
    shares.push_back(share == nullptr ? 0.0 : *share);
    return true;
  });
  return columns;
}

std::vector<TextColumn> text_columns(const Table& table, const std::vector<bool>& constant,
                                     const TableStyle& style) {
  const std::size_t with_bar = style.bars ? column_with_bar(columns_for_people(table)) : kNoShare;
  std::vector<double> shares;
  std::vector<TextColumn> read = read_rows(table, constant, style, with_bar, shares);
  std::vector<TextColumn> columns;
  bool labelled = false;  // the total's own name has been placed
  for (TextColumn& out : read) {
    const Column& column = *out.column;
    const bool blank = column.unit == Unit::Text && out.texts.are_empty();
    if (blank && (row_count(table) > 0 || labelled)) continue;
    if (!has_totals(table))
      ;  // rows that do not add up
    else if (column.additive)
      out.cells.push_back(out.texts.add(cells_for_people(table, table.totals)[out.index]));
    else
      out.cells.push_back(
          out.texts.add_text(!labelled && column.unit == Unit::Text ? "Total" : ""));
    labelled = labelled || column.unit == Unit::Text;
    out.width = std::max(display_width(out.title), out.texts.widest());
    const std::size_t index = out.index;
    columns.push_back(std::move(out));
    if (index == with_bar && !shares.empty()) columns.push_back(bars_of(table, index, shares));
  }
  if (!style.color)
    for (TextColumn& column : columns) column.paints.clear();
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
    // Between a share and its bar, the bar is dropped first.
    return std::max_element(columns.begin(), columns.end(), [](const auto& a, const auto& b) {
      return std::pair(a.column->priority, a.is_bar) < std::pair(b.column->priority, b.is_bar);
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
    if (!least()->is_bar) dropped.push_back(least()->column->name);
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

void append_line(std::string& out, const std::vector<TextColumn>& columns, std::size_t row) {
  const std::size_t start = out.size();
  for (const TextColumn& column : columns) {
    if (out.size() > start) out += kGap;
    append_padded(out, column.text(row), column.texts.width(column.cells[row]), column.width,
                  is_right_aligned(column.column->unit) && !column.is_bar,
                  row < column.paints.size() ? column.paints[row] : Paint::None);
  }
  while (out.size() > start && out.back() == ' ') out.pop_back();
  out += '\n';
}

std::string header_of(const std::vector<TextColumn>& columns) {
  std::string line;
  for (const TextColumn& column : columns) {
    if (!line.empty()) line += kGap;
    append_padded(line, column.title, display_width(column.title), column.width,
                  is_right_aligned(column.column->unit));
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

// Returns the lines below a table: its own, then the count of what is not shown.
std::string lines_below(const Table& table, const TableStyle& style,
                        const std::vector<std::string>& dropped) {
  std::string out = foot_of(table, style, style.notes);
  out += left_out_text(table, style.phrase);
  if (!dropped.empty())
    out += phrased(style.phrase, make_error(Code::ColumnsDropped, {},
                                            fmt::format("Not shown for lack of width: {}",
                                                        fmt::join(dropped, ", ")))) +
           "\n";
  return wrapped(visible_lines(out), style.width);
}

Status write_rows(const Table& table, const TableStyle& style, Sink& sink) {
  const std::vector<bool> constant = constant_columns(table, style);
  std::vector<TextColumn> columns = text_columns(table, constant, style);
  const std::vector<std::string> dropped = fit(columns, style.width);
  const std::string rule = repeat("─", total_width(columns)) + "\n";
  const std::string header = header_of(columns);
  TableStyle whole = style;
  whole.with_paths = true;  // a terminal shows them everywhere
  std::string text = wrapped(constants_line(table, constant, whole), style.width) +
                     (style.color ? painted(header, Paint::Bold) : header) + "\n" + rule;
  for (std::size_t row = 0; row < row_count(table); ++row) {
    append_line(text, columns, row);
    if (text.size() < kPiece) continue;
    if (Status status = sink.write(text); !status) return status;
    text.clear();
  }
  if (has_totals(table)) {
    if (row_count(table) > 0) text += rule;
    append_line(text, columns, row_count(table));
  }
  return sink.write(text + lines_below(table, style, dropped));
}

std::string lines_text(const Section& section, const TableStyle& style) {
  if (section.picture) return lines_of(section, style, style.notes);  // with colours
  const std::string text = visible_lines(lines_of(section, style, style.notes));
  if (text.empty()) return "";
  const std::size_t width = section.verbatim ? 0 : style.width;
  if (!style.color || section.meaning == Meaning::Plain) return wrapped(text, width);
  const std::size_t end = std::min(text.find('\n') + 1, text.size());
  std::string first = wrapped(text.substr(0, end), width);
  if (first.ends_with('\n')) first.pop_back();
  return painted(first, paint_of(section.meaning)) + "\n" + wrapped(text.substr(end), width);
}

// Counts notes: a line that is set in belongs to the one before it.
std::size_t count_notes(const std::function<std::string(const TableStyle&)>& asides,
                        const TableStyle& style) {
  if (!asides) return 0;
  const std::string text = asides(style);
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size()) + 1)
    if (text[at] != ' ' && text[at] != '\n') ++count;
  return count;
}

// Counts the lines that pass, for the height of the terminal.
class CountedSink : public Sink {
 public:
  explicit CountedSink(Sink& to) : to_(to) {}
  Status write(std::string_view text) override {
    lines += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    return to_.write(text);
  }

  std::size_t lines = 0;

 private:
  Sink& to_;
};

// Says how many notes were not printed, and says the answer again if it has left the screen.
std::string ending(std::size_t folded, std::size_t lines, const std::string& answer,
                   const TableStyle& style) {
  std::string out;
  if (folded > 0)
    out = wrapped(fmt::format("{} note{} not shown{}{}\n", folded, folded == 1 ? " is" : "s are",
                              style.notes_hint.empty() ? "" : "; ", style.notes_hint),
                  style.width);
  const bool has_left = style.height > 0 && lines + (folded > 0 ? 1 : 0) >= style.height;
  return has_left && !answer.empty() ? out + "\n" + answer : out;
}

}  // namespace

Status write_table(const Document& document, const TableStyle& style, Sink& to) {
  CountedSink sink(to);
  std::string answer;
  std::size_t folded = 0;
  bool first = true;
  for (const Section& section : sections_of(document)) {
    const Table* table = document.table(section.table);
    const std::string text = table == nullptr ? lines_text(section, style) : "";
    if (!style.notes) folded += count_notes(table ? table->asides : section.asides, style);
    if (section.answer) answer += text;
    if (table == nullptr && text.empty()) continue;
    const bool gap = !std::exchange(first, false) && section.apart;
    if (Status status = sink.write(gap ? "\n" + text : text); !status) return status;
    if (table == nullptr) continue;
    if (Status status = write_rows(*table, style, sink); !status) return status;
  }
  return sink.write(ending(folded, sink.lines, answer, style));
}

}  // namespace strata
