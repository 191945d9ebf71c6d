#include "profile/min_cut.h"

#include <algorithm>

namespace strata {

void MinCut::add(std::uint32_t from, std::uint32_t to, std::int64_t capacity) {
  if (capacity <= 0) return;
  arcs_.push_back({to, first_[from], capacity});
  first_[from] = static_cast<std::uint32_t>(arcs_.size() - 1);
  arcs_.push_back({from, first_[to], 0});
  first_[to] = static_cast<std::uint32_t>(arcs_.size() - 1);
}

// Computes distances from the source over arcs that have capacity left.
bool MinCut::find_levels(std::uint32_t source, std::uint32_t sink) {
  level_.assign(first_.size(), kNoArc);
  queue_.assign(1, source);
  level_[source] = 0;
  for (std::size_t at = 0; at < queue_.size(); ++at)
    for (std::uint32_t a = first_[queue_[at]]; a != kNoArc; a = arcs_[a].next) {
      if (arcs_[a].left == 0 || level_[arcs_[a].to] != kNoArc) continue;
      level_[arcs_[a].to] = level_[queue_[at]] + 1;
      queue_.push_back(arcs_[a].to);
    }
  return level_[sink] != kNoArc;
}

// Walks down the levels and never returns to a dead end. Networks are deep, so the path is a vector
// instead of recursion.
std::int64_t MinCut::push_one_path(std::uint32_t source, std::uint32_t sink) {
  path_.clear();
  std::uint32_t at = source;
  while (at != sink) {
    std::uint32_t& a = current_[at];
    while (a != kNoArc && (arcs_[a].left == 0 || level_[arcs_[a].to] != level_[at] + 1))
      a = arcs_[a].next;
    if (a != kNoArc) {
      path_.push_back(a);
      at = arcs_[a].to;
      continue;
    }
    if (path_.empty()) return 0;
    at = arcs_[path_.back() ^ 1].to;
    path_.pop_back();
    current_[at] = arcs_[current_[at]].next;
  }
  std::int64_t amount = kInfinite;
  for (std::uint32_t a : path_) amount = std::min(amount, arcs_[a].left);
  for (std::uint32_t a : path_) {
    arcs_[a].left -= amount;
    arcs_[a ^ 1].left += amount;
  }
  return amount;
}

std::int64_t MinCut::run(std::uint32_t source, std::uint32_t sink) {
  std::int64_t flow = 0;
  while (find_levels(source, sink)) {
    current_ = first_;
    while (const std::int64_t pushed = push_one_path(source, sink)) flow += pushed;
  }
  return flow;
}

}  // namespace strata
