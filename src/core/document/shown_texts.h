// The cells of one column as texts. In a large table most rows have the same few texts, so that
// most cells need be neither worded nor kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strata/document/table.h"

namespace strata {

class ShownTexts {
 public:
  using Id = std::uint32_t;

  // For about this many cells.
  ShownTexts(Unit unit, bool exact, std::size_t cells);

  Id add(const Cell& cell);  // as shown_text() has it
  Id add_text(std::string_view text);

  std::string_view text(Id id) const {
    const std::size_t start = id == 0 ? 0 : ends_[id - 1];
    return std::string_view(all_).substr(start, ends_[id] - start);
  }
  std::size_t width(Id id) const { return widths_[id]; }  // in columns of a terminal
  std::size_t widest() const { return widest_; }
  bool are_empty() const { return all_.empty(); }

 private:
  static constexpr Id kNoText = 0xffffffff;
  // A cell that was worded, in the place that its hash gives it; the next one of this place takes
  // it over.
  struct Worded {
    Cell cell;
    Id id = kNoText;
  };

  Unit unit_;
  bool exact_;
  std::vector<Worded> worded_;  // empty: there are too few cells
  std::vector<Id> by_text_;     // likewise, of texts
  std::string all_;             // one text after the other
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> widths_;
  std::size_t widest_ = 0;
};

}  // namespace strata
