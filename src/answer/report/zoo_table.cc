#include <fmt/format.h>

#include "report/zoo.h"

namespace strata {

namespace {

// `3.5M`, `327.14M`: two decimals at most.
std::string published_form(double number) {
  constexpr std::pair<double, const char*> kPrefixes[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "K"}};
  const char* prefix = "";
  for (const auto& [size, letter] : kPrefixes)
    if (number >= size) {
      number /= size;
      prefix = letter;
      break;
    }
  std::string text = fmt::format("{:.2f}", number);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text + prefix;
}

}  // namespace

void to_published_form(Table& table) {
  constexpr std::size_t kPublished = 4;  // the rest was measured here
  table.shown_columns = table.columns;
  for (std::size_t c = 1; c < kPublished; ++c) {
    if (table.columns[c].unit == Unit::Picojoules) table.shown_columns[c].title += " (pJ)";
    table.shown_columns[c].unit = Unit::Text;
  }
  for (TableRow& row : table.rows) {
    row.shown = row.cells;
    for (std::size_t c = 1; c < kPublished; ++c) {
      const Cell& cell = row.cells[c];
      if (const auto* exact = std::get_if<Expr>(&cell.value);
          exact != nullptr && exact->is_number())
        row.shown[c] = published_form(static_cast<double>(exact->value()));
      else if (const auto* real = std::get_if<double>(&cell.value))
        row.shown[c] = published_form(*real);
    }
  }
}

}  // namespace strata
