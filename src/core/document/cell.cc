#include "strata/document/cell.h"

#include <cmath>

namespace strata {

Cell::Cell() = default;
Cell::Cell(const Cell& other) = default;
Cell::Cell(Cell&& other) noexcept = default;
Cell& Cell::operator=(const Cell& other) = default;
Cell& Cell::operator=(Cell&& other) noexcept = default;
Cell::~Cell() = default;

Cell::Cell(Value given, Certainty how) : value(std::move(given)), certainty(how) {}
Cell::Cell(std::string text, Certainty how) : value(std::move(text)), certainty(how) {}
Cell::Cell(std::string_view text, Certainty how) : value(std::string(text)), certainty(how) {}
Cell::Cell(const char* text, Certainty how) : value(std::string(text)), certainty(how) {}
Cell::Cell(Expr number, Certainty how) : value(std::move(number)), certainty(how) {}
Cell::Cell(double number, Certainty how) : certainty(how) {
  if (!std::isnan(number)) value = number;
}
Cell::Cell(Shape shape) : value(std::move(shape)) {}
Cell::Cell(FilePath path) : value(std::move(path)) {}
Cell::Cell(const Interval& interval) : value(Cells{interval.low, interval.high}) {}
Cell::Cell(Estimate estimate) : value(estimate) {}
Cell::Cell(Cells list) : value(std::move(list)) {}
Cell::Cell(Members members) : value(std::move(members)) {}

const Cell* find_member(const Members& members, std::string_view name) {
  for (const Member& member : members)
    if (member.name == name) return &member.cell;
  return nullptr;
}

const Cell* find_member(const Cell& cell, std::string_view name) {
  const auto* members = std::get_if<Members>(&cell.value);
  return members == nullptr ? nullptr : find_member(*members, name);
}

}  // namespace strata
