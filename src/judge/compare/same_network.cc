// Tells the same network, written in another way, from another network.
#include <fmt/format.h>

#include "compare/match.h"
#include "compare/row_costs.h"
#include "strata/compare/diff.h"

namespace strata::compare {

namespace {

// True if rows are layers and none is left out: they add up to the total.
bool has_all_layers(const Side& side) {
  if (side.rows.empty() || !side.in_running_order) return false;
  if (!at(side.totals, Measure::Params).is_known()) return false;
  for (const Measure measure : {Measure::Params, Measure::Macs}) {
    Figure sum = at(side.rows.front().figures, measure);
    for (std::size_t i = 1; i < side.rows.size(); ++i)
      sum = sum_of(sum, at(side.rows[i].figures, measure));
    if (!are_equal(sum, at(side.totals, measure))) return false;
  }
  return true;
}

// True for a layer that passes on what it gets, such as a dropout: no cost, and the same shape.
bool does_nothing(const SideRow& row) {
  if (row.input.empty() || row.input != row.output) return false;
  for (const MeasureFacts& facts : measures()) {
    const Figure& figure = at(row.figures, facts.measure);
    if (facts.of_rows && figure.is_known() && figure.number() != 0) return false;
  }
  return at(row.figures, Measure::Flops).is_known();
}

// Rows that differ although the network is the same.
struct Exceptions {
  std::size_t folded = 0, unfolded = 0, other_class = 0, renamed = 0, removed = 0, inserted = 0;

  // False if the row belongs to another network.
  bool add(const Side& before, const Side& after, const RowDiff& row) {
    switch (row.change) {
      case RowChange::Same:
        return true;
      case RowChange::Folded:
        ++folded;
        return true;
      case RowChange::Unfolded:
        ++unfolded;
        return true;
      case RowChange::Removed:
        ++removed;
        return does_nothing(before.rows[row.before.front()]);
      case RowChange::Inserted:
        ++inserted;
        return does_nothing(after.rows[row.after.front()]);
      case RowChange::Changed:
      case RowChange::Renamed:
        break;
      default:
        return false;
    }
    const SideRow &left = before.rows[row.before.front()], &right = after.rows[row.after.front()];
    const bool same_type = are_same_type(left.type, right.type);
    // Without work, another class may be another operator.
    if (!same_type && at(left.figures, Measure::Macs).number() == 0) return false;
    other_class += same_type ? 0 : 1;
    renamed += row.change == RowChange::Renamed ? 1 : 0;
    return has_same_costs(before, after, row);
  }

  std::string text() const {
    std::string out;
    const auto say = [&](std::size_t count, std::string_view one, std::string_view several) {
      if (count == 0) return;
      out += out.empty() ? ", except that " : " and ";
      out += fmt::format("{} {}", count, count == 1 ? one : several);
    };
    say(folded, "norm was folded into the layer before it",
        "norms were folded into the layers before them");
    say(unfolded, "norm was taken out of the layer before it",
        "norms were taken out of the layers before them");
    say(removed, "layer without cost was removed", "layers without cost were removed");
    say(inserted, "layer without cost was inserted", "layers without cost were inserted");
    say(renamed, "layer has another name", "layers have other names");
    say(other_class, "layer has another class of the same cost",
        "layers have other classes of the same cost");
    return out;
  }
};

}  // namespace

std::string same_network(const Side& before, const Side& after, const Diff& diff) {
  if (!has_all_layers(before) || !has_all_layers(after)) return {};
  Exceptions exceptions;
  for (const RowDiff& row : diff.rows)
    if (!exceptions.add(before, after, row)) return {};
  return "the same network" + exceptions.text();
}

}  // namespace strata::compare
