#include "strata/compare/diff.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "compare/match.h"
#include "compare/notes.h"

namespace strata::compare {

namespace {

FigureSet sum_of_rows(const Side& side, const std::vector<std::uint32_t>& rows) {
  FigureSet sum = {};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const FigureSet& figures = side.rows[rows[i]].figures;
    for (std::size_t m = 0; m < kMeasures; ++m)
      sum[m] = i == 0 ? figures[m] : sum_of(sum[m], figures[m]);
  }
  // Qualities do not add up.
  if (rows.size() > 1) at(sum, Measure::Quality) = {};
  return sum;
}

// Rows that are on one side only have nothing that changed: they are there, or they are not.
ChangeSet changes_between(const FigureSet& before, const FigureSet& after, const RowDiff& row) {
  ChangeSet out = {};
  for (const MeasureFacts& facts : measures()) {
    const auto m = static_cast<std::size_t>(facts.measure);
    if (!facts.of_rows) continue;
    if (row.before.empty() || row.after.empty()) {
      out[m].before = before[m];
      out[m].after = after[m];
    } else {
      out[m] = change_of(before[m], after[m], facts.measure);
    }
  }
  return out;
}

bool are_equal(const Figure& before, const Figure& after) {
  return before.certainty == after.certainty && before.real == after.real &&
         (before.real || before.count == after.count);
}

bool has_changed(const Change& change) {
  if (change.verdict == Verdict::Unknown) return !are_equal(change.before, change.after);
  return change.is_known_change();
}

RowChange kind_of(const Side& before, const Side& after, const RowDiff& row, bool moved) {
  if (row.before.empty()) return RowChange::Inserted;
  if (row.after.empty()) return RowChange::Removed;
  if (row.before.size() > 1 && row.after.size() > 1) return RowChange::Regrouped;
  if (row.before.size() > 1) return RowChange::Fused;
  if (row.after.size() > 1) return RowChange::Split;
  const SideRow &left = before.rows[row.before[0]], &right = after.rows[row.after[0]];
  if (moved) return RowChange::Moved;
  if (left.name != right.name) return RowChange::Renamed;
  if (left.type != right.type || left.output != right.output) return RowChange::Changed;
  const ChangeSet changes = changes_of(before, after, row);
  return std::any_of(changes.begin(), changes.end(), has_changed) ? RowChange::Changed
                                                                  : RowChange::Same;
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
      break;
  }
  return "regrouped";
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

ChangeSet changes_of(const Side& before, const Side& after, const RowDiff& row) {
  return changes_between(sum_of_rows(before, row.before), sum_of_rows(after, row.after), row);
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
    row.change = kind_of(before, after, row, has_places && group.moved);
  }
  return diff;
}

}  // namespace strata::compare
