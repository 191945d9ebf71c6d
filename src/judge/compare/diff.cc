#include "strata/compare/diff.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "compare/match.h"
#include "compare/notes.h"
#include "compare/row_costs.h"

namespace strata::compare {

namespace {

Figure sum_of_rows(const Side& side, const std::vector<std::uint32_t>& rows, Measure measure) {
  if (rows.empty()) return {};
  // Qualities do not add up.
  if (rows.size() > 1 && measure == Measure::Quality) return {};
  Figure sum = at(side.rows[rows[0]].figures, measure);
  for (std::size_t i = 1; i < rows.size(); ++i)
    sum = sum_of(sum, at(side.rows[rows[i]].figures, measure));
  return sum;
}

bool has_changed(const Change& change) {
  if (change.verdict == Verdict::Unknown) return !are_equal(change.before, change.after);
  return change.is_known_change();
}

RowChange kind_of(const Side& before, const Side& after, const RowDiff& row, const Group& group,
                  bool moved) {
  if (group.folded) return row.before.size() > 1 ? RowChange::Folded : RowChange::Unfolded;
  if (row.before.empty()) return RowChange::Inserted;
  if (row.after.empty()) return RowChange::Removed;
  if (row.before.size() > 1 && row.after.size() > 1) return RowChange::Regrouped;
  if (row.before.size() > 1) return RowChange::Fused;
  if (row.after.size() > 1) return RowChange::Split;
  const SideRow &left = before.rows[row.before[0]], &right = after.rows[row.after[0]];
  if (moved) return RowChange::Moved;
  if (left.name != right.name) return RowChange::Renamed;
  const bool same = are_same_type(left.type, right.type) && has_same_costs(before, after, row);
  return same ? RowChange::Same : RowChange::Changed;
}

template <class Text>
std::string joined(const std::vector<std::uint32_t>& rows, std::string_view between,
                   const Text& text) {
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) out += between;
    out += text(rows[i]);
  }
  return out;
}

}  // namespace

bool are_equal(const Figure& before, const Figure& after) {
  return before.certainty == after.certainty && before.real == after.real &&
         (before.real || before.count == after.count);
}

bool has_same_costs(const Side& before, const Side& after, const RowDiff& row) {
  const SideRow &left = before.rows[row.before[0]], &right = after.rows[row.after[0]];
  return left.output == right.output &&
         std::none_of(measures().begin(), measures().end(), [&](const MeasureFacts& facts) {
           return facts.of_rows &&
                  !are_equal(at(left.figures, facts.measure), at(right.figures, facts.measure)) &&
                  has_changed(change_of_row(before, after, row, facts.measure));
         });
}

std::string_view name_of(RowChange change) {
  switch (change) {
    case RowChange::Same:
      return "same";
    case RowChange::Changed:
      return "changed";
    case RowChange::Renamed:
      return "renamed";
    case RowChange::Moved:
      return "moved";
    case RowChange::Inserted:
      return "inserted";
    case RowChange::Removed:
      return "removed";
    case RowChange::Fused:
      return "fused";
    case RowChange::Split:
      return "split";
    case RowChange::Regrouped:
      return "regrouped";
    case RowChange::Folded:
      return "folded";
    case RowChange::Unfolded:
      break;
  }
  return "unfolded";
}

std::size_t Diff::count(RowChange change) const {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [&](const RowDiff& r) { return r.change == change; }));
}

std::string names_of(const Side& side, const std::vector<std::uint32_t>& rows) {
  return joined(rows, ", ", [&](std::uint32_t row) { return side.rows[row].name; });
}

std::string types_of(const Side& side, const std::vector<std::uint32_t>& rows) {
  return joined(rows, " | ", [&](std::uint32_t row) { return side.rows[row].type; });
}

Change change_of_row(const Side& before, const Side& after, const RowDiff& row, Measure measure) {
  Figure old = sum_of_rows(before, row.before, measure);
  Figure now = sum_of_rows(after, row.after, measure);
  // Rows that are on one side only have nothing that changed: they are there, or they are not.
  if (row.before.empty() || row.after.empty())
    return {.before = std::move(old), .after = std::move(now)};
  return change_of(old, now, measure);
}

Diff diff_of(const Side& before, const Side& after) {
  Diff diff;
  for (const MeasureFacts& facts : measures())
    diff.totals[static_cast<std::size_t>(facts.measure)] =
        change_of(at(before.totals, facts.measure), at(after.totals, facts.measure), facts.measure);
  diff.notes = notes_of(before, after);
  std::vector<Group> groups = match_rows(before.rows, after.rows);
  const bool has_places = before.in_running_order && after.in_running_order;
  diff.rows.reserve(groups.size());
  for (Group& group : groups) {
    RowDiff& row = diff.rows.emplace_back();
    row.before = std::move(group.before);
    row.after = std::move(group.after);
    row.change = kind_of(before, after, row, group, has_places && group.moved);
  }
  return diff;
}

}  // namespace strata::compare
