// The differences between two sides: totals, and rows that were matched by name and by structure.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "strata/compare/side.h"
#include "strata/document/document.h"

namespace strata::compare {

enum class Verdict : std::uint8_t {
  Same,
  More,
  Less,
  Differs,   // two formulas, neither of which is larger for all sizes
  NotShown,  // measured: the interval of the ratio includes 1, or there is none
  Unknown,   // one of the two, or both
  Absent,    // neither side has it
};
std::string_view name_of(Verdict verdict);

// One measure, before and after.
struct Change {
  Figure before = {}, after = {};
  Verdict verdict = Verdict::Absent;
  Figure difference = {};  // after less before
  std::optional<double> ratio =
      {};  // after over before; set also if one formula is a multiple of the other
  std::optional<Interval> ratio_interval = {};  // 95 %, for measured figures

  bool is_known_change() const {
    return verdict == Verdict::More || verdict == Verdict::Less || verdict == Verdict::Differs;
  }
};
Change change_of(const Figure& before, const Figure& after, Measure measure);
using ChangeSet = std::array<Change, kMeasures>;
inline const Change& at(const ChangeSet& set, Measure m) {
  return set[static_cast<std::size_t>(m)];
}

enum class RowChange : std::uint8_t {
  Same,
  Changed,
  Renamed,  // its costs may have changed, too
  Moved,    // runs before or after other layers than it did; its costs may have changed, too
  Inserted,
  Removed,
  Fused,      // several rows became one
  Split,      // one became several
  Regrouped,  // several became several others
  Folded,     // a layer and the batch norm behind it became one layer with a bias
  Unfolded,   // the reverse
};
std::string_view name_of(RowChange change);

struct RowDiff {
  std::vector<std::uint32_t> before, after;  // rows of the sides
  RowChange change = RowChange::Same;
  bool is_unchanged() const { return change == RowChange::Same; }
};

struct Diff {
  std::size_t before = 0, after = 1;  // of the list of sides
  ChangeSet totals = {};
  std::vector<RowDiff> rows = {};  // along the network
  std::vector<std::string> notes =
      {};  // reasons why the sides are hard to compare, the most serious first
  // Says that both are one network whose weights have other types; empty: they are not, or it is
  // for same_network() to say.
  std::string same = {};

  std::size_t count(RowChange change) const;
};

Diff diff_of(const Side& before, const Side& after);
// Says that both sides are the same network, and what differs nevertheless: `the same network,
// except that 20 norms were folded into the layers before them`. Layers, shapes and costs are
// compared, values of weights are not. Empty if the networks differ, or it is not known.
std::string same_network(const Side& before, const Side& after, const Diff& diff);
// The change of one measure of a row. Made on demand, because there may be many rows and most have
// not changed. Only for measures that rows have.
Change change_of_row(const Side& before, const Side& after, const RowDiff& row, Measure measure);

// The names of a row, `conv1, bn1` where there are several; empty if there is none.
std::string names_of(const Side& side, const std::vector<std::uint32_t>& rows);
std::string types_of(const Side& side, const std::vector<std::uint32_t>& rows);

}  // namespace strata::compare
