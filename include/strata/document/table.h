// A table with typed columns, and what can be done with any table: choose columns, sort, filter.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/error.h"
#include "strata/base/result.h"
#include "strata/document/cell.h"

namespace strata {

// Megabytes are 2^20 bytes, as the layouts that use them mean it.
enum class Unit : std::uint8_t {
  Text,
  Count,
  Macs,
  Flops,
  Bytes,
  Megabytes,
  Picojoules,
  Seconds,
  FlopsPerSecond,
  BytesPerSecond,
  FlopsPerByte,
  Number,  // of no unit, such as an element of a tensor
  Decibels,
  Percent
};
std::string_view name_of(Unit unit);  // the word in JSON: `bytes`, `macs`, …
std::optional<Unit> unit_from_name(std::string_view name);

// The type of a column's cells.
enum class ColumnType : std::uint8_t {
  Plain,     // text if the unit is Text, else a number or a formula
  Estimate,  // a number with an interval: two members in JSON, three columns in CSV
  Shapes,    // the shapes of several tensors
  Truth,     // true or false
  List,      // several values; only JSON has such a column
};
std::string_view name_of(ColumnType type);  // the word in JSON

struct Column {
  std::string name;   // in options, CSV and JSON
  std::string title;  // in tables
  Unit unit = Unit::Text;
  bool additive = false;  // the total is the sum of the rows
  int priority = 0;       // tables too wide for the screen drop the highest first
  ColumnType type = ColumnType::Plain;
  bool usual = true;   // in the first view of a page, where readers choose columns themselves
  bool share = false;  // percent of a whole: may have a bar beside it
  bool asked = false;  // by its name: stays in the table even if all its cells are equal
};

struct TableRow {
  std::vector<Cell> cells = {};  // as many as columns
  std::uint32_t depth = 0;       // in the module tree
  std::vector<Cell> shown = {};  // as many as shown columns
};
using ProfileRow = TableRow;

// Rows that are made when they are read, one after the other: there may be a million of them.
struct RowSource {
  std::size_t count = 0;
  // Sets `row`, which may be another row of this source, to the row of that number, from 0.
  std::function<void(std::size_t number, TableRow& row)> make = {};
};

// Options for showing a document.
struct TableStyle {
  std::size_t width = 100;  // columns of the terminal; 0: no limit
  bool exact = false;       // every digit instead of human units
  bool color = false;
  bool bars = false;        // bars beside shares
  std::string chart = {};   // which chart a picture shows; empty: the first that the document has
  Phrase phrase = {};       // of what is left out, so that the caller can say how to see it
  bool with_paths = false;  // files also have the folders of absolute paths
  bool rows = true;         // off: JSON has the columns and totals of tables, and no rows
  bool notes = true;        // off: a terminal counts the notes that do not change the answer
  std::string notes_hint = {};  // how to read them: `--notes prints all`
  std::size_t height = 0;       // lines of the terminal; 0: not known, or no terminal
};

// Which rows read the outputs of which others, for a picture of them. Only a page has it.
struct RowEdges {
  static constexpr std::int32_t kInput = -1;          // an input of the network
  std::vector<std::vector<std::int32_t>> reads = {};  // by row, ascending; empty: not known
  std::vector<std::int32_t> returned = {};            // rows that make outputs of the network
};

struct Table {
  std::string name;  // in JSON
  std::vector<Column> columns = {};
  std::vector<TableRow> rows = {};
  RowSource source = {};  // in place of `rows`, if there are too many to keep; see hold_rows()
  TableRow totals = {};   // no cells: rows that do not add up
  // The columns that people see in place of `columns`, where they differ: `1.41× [1.39, 1.43]` for
  // three numbers. Empty: the same columns.
  std::vector<Column> shown_columns = {};
  bool tree = false;         // rows are set in by their depth
  RowEdges edges = {};       // lost once rows are sorted or left out
  std::size_t left_out = 0;  // rows that keep_top() took away
  std::size_t filtered = 0;  // rows that filter_rows() took away
  // Lines that belong to the table and stand below it, for people; may be empty.
  std::function<std::string(const TableStyle&)> foot = {};
  // Below these, notes that do not change the answer, as Section::asides.
  std::function<std::string(const TableStyle&)> asides = {};
};

// Counts rows, whether they are kept or made when they are read.
std::size_t row_count(const Table& table);
// One after the other, until `use` returns false.
void for_each_row(const Table& table, const std::function<bool(const TableRow&)>& use);
// Makes all rows of a source and keeps them in `rows`, where all are needed at once.
void hold_rows(Table& table);

// A user's choice of columns and rows for any table.
struct TableChoice {
  // `layer,macs` lists columns; `+energy,-flops` changes those there are. Empty: all of them.
  std::string columns = {};
  // A column: numbers in descending order, text in ascending order, unknown values last. A `-`
  // before the name reverses the order.
  std::string sort = {};
  std::size_t top = 0;      // number of rows to keep; 0: all
  std::string filter = {};  // keep rows with a text that this pattern with * and ? matches
};

// Usage errors name the columns that there are. Totals stay what they were: of all rows.
Status select_columns(Table& table, std::string_view columns);
Status sort_rows(Table& table, std::string_view by);
void keep_top(Table& table, std::size_t rows);
void filter_rows(Table& table, std::string_view pattern);
Status choose(Table& table, const TableChoice& choice);

}  // namespace strata
