// What the script of a page (assets/page/) reads: a document as compact JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "strata/document/document.h"

namespace strata {

// JSON on one line that may stand in an HTML element <script>: names in it cannot end the element,
// and what is hidden (base/visible.h) is written out in all of them.
std::string page_json(const nlohmann::ordered_json& json);

// A cell. Numbers stay numbers, which the script rounds. What is more than a number is an object:
// `t` as people see it, `x` with every digit, `v` its number, `l` and `h` the ends of an interval.
nlohmann::ordered_json page_cell(const Cell& cell, Unit unit, const TableStyle& style);

// The columns of a table, those for people first, and which of their cells are in a row. Lists of
// numbers stand beside them, for charts.
class PageTable {
 public:
  PageTable(const Table& table, const TableStyle& style);
  nlohmann::ordered_json columns() const;
  nlohmann::ordered_json row(const TableRow& row) const;
  // By the name of their column, one for each row; null where it is empty or holds anything else.
  static nlohmann::ordered_json lists(const Table& table);

 private:
  struct Place {
    const Column* column;
    std::size_t index;
    bool shown;  // of the cells for people
    bool usual;  // seen until the reader chooses others
  };
  const TableStyle& style_;
  std::vector<Place> places_;
};

// Everything but the rows.
nlohmann::ordered_json page_head(const Document& document, const TableStyle& style);

}  // namespace strata
