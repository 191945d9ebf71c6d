// Tables that others published: tests/golden/*.csv.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace strata {

using Row = std::vector<std::string>;

// Quoted cells may hold commas.
inline Row cells(const std::string& line) {
  Row row(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      row.emplace_back();
    else if (c != '\r')
      row.back() += c;
  }
  return row;
}

inline std::vector<Row> read_csv(const std::string& name) {
  std::ifstream file(std::string(STRATA_SOURCE_DIR "/tests/golden/") + name);
  EXPECT_TRUE(file) << name;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) rows.push_back(cells(line));
  return rows;
}

inline std::vector<Row> without_header(const std::string& file) {
  auto rows = read_csv(file);
  rows.erase(rows.begin());
  return rows;
}

// Formats a number like rasp, `11.59G`, `61.1M`: two decimals, without trailing zeros.
inline std::string as_printed(double number) {
  const double scale = number >= 1e9 ? 1e9 : 1e6;
  std::string text = fmt::format("{:.2f}", number / scale);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text + (scale == 1e9 ? "G" : "M");
}

}  // namespace strata
