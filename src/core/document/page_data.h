// The input of a page's script (assets/page/): a document as compact JSON.
#pragma once

#include <memory>
#include <string>
#include <vector>

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
  // Lists by the name of their column, one entry per row; null where it is empty or holds anything
  // else.
  static nlohmann::ordered_json lists(const Table& table);

 private:
  struct Place {
    const Column* column;
    std::size_t index;
    bool shown;  // of the cells for people
    bool usual;  // seen until the reader chooses others
  };
  const TableStyle& style_;
  // The last cell of a place that is made of formulas, which are slow to word: the same ones stand
  // in many rows.
  struct Worded {
    Cell cell = {};
    std::shared_ptr<const nlohmann::ordered_json> json = {};
  };
  std::vector<Place> places_;
  mutable std::vector<Worded> worded_;  // by place
};

// `reads`: for each row, how many rows above it the one is whose output it reads, a list of
// several, or null; 0 stands for an input of the network. `returned`: rows that make its outputs.
nlohmann::ordered_json page_edges(const RowEdges& edges);

// Everything but the rows.
nlohmann::ordered_json page_head(const Document& document, const TableStyle& style);

}  // namespace strata
