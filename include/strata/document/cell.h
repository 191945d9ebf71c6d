// One value of a document, in a table or beside one, and how sure it is.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "strata/base/boxed.h"
#include "strata/base/certainty.h"
#include "strata/base/expr.h"
#include "strata/base/statistics.h"
#include "strata/graph/shape.h"

namespace strata {

struct Cell;
struct Member;

// The sizes of a tensor; empty if not even the number of axes is known. Boxed, because a table has
// many cells and most are not shapes.
using Shape = Boxed<Dims>;

// A number that is known to lie in an interval.
struct Estimate {
  double value = 0;
  double low = 0, high = 0;
};

// Renderers for files leave out the folders of an absolute path unless they are asked for them.
struct FilePath {
  std::string text;
};

// A meaning beside the value, which a terminal shows in colour. An unknown cell that is Elsewhere
// has its number in another row; one that is Nowhere has none, because nothing ran.
enum class Meaning : std::uint8_t { Plain, Better, Worse, Refused, Elsewhere, Nowhere };

using Cells = std::vector<Cell>;      // a list
using Members = std::vector<Member>;  // named values, in order

// Unknown if nothing is in it.
struct Cell {
  using Value = std::variant<std::monostate, std::string, Expr, double, bool, Estimate, Shape,
                             FilePath, Cells, Members>;
  Value value;
  Certainty certainty = Certainty::Exact;
  Meaning meaning = Meaning::Plain;

  // In cell.cc, where a Member is known.
  Cell();
  Cell(const Cell& other);
  Cell(Cell&& other) noexcept;
  Cell& operator=(const Cell& other);
  Cell& operator=(Cell&& other) noexcept;
  ~Cell();

  Cell(Value given, Certainty how = Certainty::Exact);            // NOLINT: values are cells
  Cell(std::string text, Certainty how = Certainty::Exact);       // NOLINT
  Cell(std::string_view text, Certainty how = Certainty::Exact);  // NOLINT
  Cell(const char* text, Certainty how = Certainty::Exact);       // NOLINT
  Cell(Expr number, Certainty how = Certainty::Exact);            // NOLINT
  Cell(double number, Certainty how = Certainty::Exact);          // NOLINT; NaN is unknown
  Cell(Shape shape);                                              // NOLINT
  Cell(FilePath path);                                            // NOLINT
  Cell(const Interval& interval);                                 // NOLINT: a list of its ends
  Cell(Estimate estimate);                                        // NOLINT
  Cell(Cells list);                                               // NOLINT
  Cell(Members members);                                          // NOLINT
  template <std::same_as<bool> Truth>
  Cell(Truth truth);  // NOLINT
  // Whole numbers. Those from 2^62 on, which no Expr holds, are real ones.
  template <std::integral Whole>
  requires(!std::same_as<Whole, bool>)
      Cell(Whole number, Certainty how = Certainty::Exact);  // NOLINT
  template <class T>
  Cell(const std::optional<T>& known);  // NOLINT

  bool is_unknown() const { return std::holds_alternative<std::monostate>(value); }
};

struct Member {
  std::string name;  // with its unit: `median_s`, `file_bytes`
  Cell cell;
};

template <std::same_as<bool> Truth>
Cell::Cell(Truth truth) : value(truth) {}

template <std::integral Whole>
requires(!std::same_as<Whole, bool>) Cell::Cell(Whole number, Certainty how) : certainty(how) {
  if (std::cmp_less_equal(number, Expr::kMaxNumber) &&
      std::cmp_greater_equal(number, Expr::kMinNumber))
    value = Expr(static_cast<std::int64_t>(number));
  else
    value = static_cast<double>(number);
}

template <class T>
Cell::Cell(const std::optional<T>& known) {
  if (known) *this = Cell(*known);
}

inline Cell meaning(Meaning what, Cell cell) {
  cell.meaning = what;
  return cell;
}

// A list of things that can be cells.
template <class List>
Cell list_cell(const List& list) {
  Cells cells;
  cells.reserve(list.size());
  for (const auto& item : list) cells.emplace_back(item);
  return cells;
}

// The member of that name; nullptr if there is none, or if the cell has no members.
const Cell* find_member(const Members& members, std::string_view name);
const Cell* find_member(const Cell& cell, std::string_view name);

}  // namespace strata
