#include "cost/call_tree.h"

#include <algorithm>

namespace strata {

CallTree::CallTree(const Model& model, const Costs& costs) {
  const std::size_t count = model.scopes.size();
  parent_.resize(count, kNone);
  depth_.resize(count, 0);
  last_.resize(count, kNone);
  container_.resize(count, false);
  runs_.resize(costs.nodes.size(), false);
  container_[0] = true;
  for (ScopeId scope = 1; scope < count; ++scope) {
    parent_[scope] = model.scopes[scope].parent;
    depth_[scope] = depth_[parent_[scope]] + 1;
    container_[parent_[scope]] = true;
  }
  for (std::uint32_t step = 0; step < costs.nodes.size(); ++step) {
    const Executed& executed = costs.nodes[step];
    runs_[step] = executed.graph == &model.graph() && !executed.cost->folded;
    if (runs_[step]) last_[executed.scope] = step;
  }
  for (std::size_t scope = count; scope-- > 1;) {
    if (last_[scope] == kNone) continue;
    std::uint32_t& around = last_[parent_[scope]];
    around = around == kNone ? last_[scope] : std::max(around, last_[scope]);
  }
}

CallTree::Use CallTree::use_of(ScopeId maker, ScopeId reader, std::uint32_t step) const {
  ScopeId taker = kNone, giver = kNone;  // the modules directly below the common one
  while (depth_[reader] > depth_[maker]) reader = parent_[taker = reader];
  while (depth_[maker] > depth_[reader]) maker = parent_[giver = maker];
  while (reader != maker) {
    reader = parent_[taker = reader];
    maker = parent_[giver = maker];
  }
  return {maker, giver, taker == kNone ? end_of(reader, step) : exit_of(taker)};
}

}  // namespace strata
