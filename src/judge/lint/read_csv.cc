// CSV with headings in its first line.
#include <algorithm>

#include "lint/delimited.h"
#include "lint/grid.h"
#include "lint/readers.h"

namespace strata::lint {

bool looks_like_csv(std::string_view text) {
  const std::string_view start = text.substr(0, 4096);
  const bool is_text = std::none_of(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
  return is_text && delimiter_of(text) != 0;
}

Result<Claims> read_csv(std::string_view text) {
  auto rows = delimited_rows(text, delimiter_of(text));
  if (rows.empty()) return failure("there is no table in it");
  Grid grid;
  grid.headings = std::move(rows.front());
  rows.erase(rows.begin());
  grid.rows = std::move(rows);
  auto table = claims_of_grid(grid);
  if (!table) return failure(table);
  Claims claims;
  claims.tables.push_back(std::move(*table));
  return claims;
}

}  // namespace strata::lint
