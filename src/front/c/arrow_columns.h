// The cells of a table, column by column, as Arrow keeps them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "strata/document/table.h"

namespace strata::c {

// A column, or the items of a list.
struct ArrowColumn {
  std::string format;  // Arrow's: `l` int64, `g` float64, `u` utf8, `b` bool, `+l` list
  std::string name;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::int64_t length = 0, nulls = 0;
  std::vector<std::uint8_t> valid;    // bits
  std::vector<std::uint8_t> truths;   // bits
  std::vector<std::int64_t> wholes;   // `l`
  std::vector<double> reals;          // `g`
  std::vector<std::int32_t> offsets;  // `u` and `+l`
  std::string letters;                // `u`
  std::vector<ArrowColumn> items;     // `+l`: one
};

// Throws std::length_error for a column with more than 2 GB of text.
std::vector<ArrowColumn> arrow_columns(const Table& table);

}  // namespace strata::c
