#include "compare/folded_norms.h"

#include <algorithm>

namespace strata::compare {

namespace {

using RowSpan = std::span<const SideRow>;
using GroupRows = std::vector<std::uint32_t> Group::*;

bool is_batch_norm(const SideRow& row) {
  return row.type.find('+') == row.type.npos && (row.type.find("BatchNorm") != row.type.npos ||
                                                 row.type.find("batch_norm") != row.type.npos);
}

bool has_same_work(const SideRow& a, const SideRow& b) {
  const auto left = at(a.figures, Measure::Macs), right = at(b.figures, Measure::Macs);
  return left.is_exact() && right.is_exact() && left.count == right.count && !left.count.is(0);
}

// `layer` and `norm` follow each other on one side, `folded` is on the other. A norm has a scale
// and a shift for each channel, and a mean and a variance where they are counted.
bool is_folded(const SideRow& layer, const SideRow& norm, const SideRow& folded) {
  if (!has_same_work(layer, folded)) return false;
  if (layer.output != folded.output || layer.output != norm.output) return false;
  const auto before = at(layer.figures, Measure::Params).number();
  const auto of_norm = at(norm.figures, Measure::Params).number();
  const auto after = at(folded.figures, Measure::Params).number();
  if (!before || !of_norm || !after) return false;
  const double bias = *after - *before;
  return bias > 0 && (*of_norm == 2 * bias || *of_norm == 4 * bias);
}

// Norms that are on the side `here` only.
void join(std::vector<Group>& groups, RowSpan here, RowSpan there, GroupRows own, GroupRows other) {
  std::vector<Group*> owner(here.size());
  for (Group& group : groups)
    for (const std::uint32_t row : group.*own) owner[row] = &group;
  for (std::size_t row = 1; row < here.size(); ++row) {
    Group &norm = *owner[row], &layer = *owner[row - 1];
    if (!(norm.*other).empty() || !is_batch_norm(here[row])) continue;
    if ((layer.*own).size() != 1 || (layer.*other).size() != 1 || layer.folded) continue;
    if (!is_folded(here[row - 1], here[row], there[(layer.*other).front()])) continue;
    (layer.*own).push_back(static_cast<std::uint32_t>(row));
    layer.folded = true;
    (norm.*own).clear();
  }
}

}  // namespace

void join_folded_norms(std::vector<Group>& groups, RowSpan before, RowSpan after) {
  join(groups, before, after, &Group::before, &Group::after);
  join(groups, after, before, &Group::after, &Group::before);
  std::erase_if(groups,
                [](const Group& group) { return group.before.empty() && group.after.empty(); });
}

}  // namespace strata::compare
