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

void MinCut::list(std::uint32_t vertex) {
  std::uint32_t& head = head_[label_[vertex]];
  next_[vertex] = head;
  before_[vertex] = kNoArc;
  if (head != kNoArc) before_[head] = vertex;
  head = vertex;
}

void MinCut::unlist(std::uint32_t vertex) {
  if (next_[vertex] != kNoArc) before_[next_[vertex]] = before_[vertex];
  (before_[vertex] != kNoArc ? next_[before_[vertex]] : head_[label_[vertex]]) = next_[vertex];
}

void MinCut::wake(std::uint32_t vertex) {
  if (vertex == source_ || vertex == sink_ || label_[vertex] >= dead()) return;
  waiting_[label_[vertex]].push_back(vertex);
  highest_waiting_ = std::max(highest_waiting_, label_[vertex]);
}

// Labels become the exact distances from the source over arcs that have capacity left.
void MinCut::find_labels() {
  work_ = 0;
  highest_waiting_ = 0;
  label_.assign(first_.size(), dead());
  head_.assign(first_.size() + 1, kNoArc);
  for (auto& vertices : waiting_) vertices.clear();
  current_ = first_;
  queue_.assign(1, source_);
  label_[source_] = 0;
  for (std::size_t at = 0; at < queue_.size(); ++at) {
    const std::uint32_t vertex = queue_[at];
    list(vertex);
    if (excess_[vertex] > 0) wake(vertex);
    for (std::uint32_t a = first_[vertex]; a != kNoArc; a = arcs_[a].next) {
      const std::uint32_t to = arcs_[a].to;
      if (arcs_[a].left == 0 || label_[to] != dead() || to == sink_) continue;
      label_[to] = label_[vertex] + 1;
      queue_.push_back(to);
    }
  }
}

// Flow from the sink to the source goes against the arcs: what passes from a vertex to `to` is
// taken off the arc that leads from `to` to the vertex.
void MinCut::push(std::uint32_t from, std::uint32_t arc) {
  const std::uint32_t to = arcs_[arc].to;
  const std::int64_t amount = std::min(excess_[from], arcs_[arc ^ 1].left);
  arcs_[arc ^ 1].left -= amount;
  arcs_[arc].left += amount;
  excess_[from] -= amount;
  if (excess_[to] == 0) wake(to);
  excess_[to] += amount;
}

// To one more than the lowest neighbour that can take something.
void MinCut::raise(std::uint32_t vertex) {
  std::uint32_t lowest = dead();
  for (std::uint32_t a = first_[vertex]; a != kNoArc; a = arcs_[a].next, ++work_)
    if (arcs_[a ^ 1].left > 0) lowest = std::min(lowest, label_[arcs_[a].to]);
  const std::uint32_t before = label_[vertex];
  unlist(vertex);
  label_[vertex] = std::min(lowest + 1, dead());
  current_[vertex] = first_[vertex];
  if (label_[vertex] < dead()) list(vertex);
  if (head_[before] != kNoArc) return;
  // Nothing above the gap can reach the source.
  for (std::uint32_t label = before + 1; label < dead() && head_[label] != kNoArc; ++label) {
    for (std::uint32_t v = head_[label]; v != kNoArc; v = next_[v]) label_[v] = dead();
    head_[label] = kNoArc;
    waiting_[label].clear();
  }
  if (label_[vertex] < dead()) {  // beyond a second gap
    unlist(vertex);
    label_[vertex] = dead();
  }
}

void MinCut::discharge(std::uint32_t vertex) {
  while (excess_[vertex] > 0 && label_[vertex] < dead()) {
    std::uint32_t& arc = current_[vertex];
    for (; arc != kNoArc && excess_[vertex] > 0; arc = arcs_[arc].next, ++work_) {
      if (arcs_[arc ^ 1].left > 0 && label_[vertex] == label_[arcs_[arc].to] + 1) push(vertex, arc);
      if (excess_[vertex] == 0) return;
    }
    raise(vertex);
  }
}

std::int64_t MinCut::run(std::uint32_t source, std::uint32_t sink) {
  source_ = source;
  sink_ = sink;
  const std::size_t vertices = first_.size();
  excess_.assign(vertices, 0);
  next_.assign(vertices, kNoArc);
  before_.assign(vertices, kNoArc);
  waiting_.assign(vertices + 1, {});
  label_.assign(vertices, dead());
  for (std::uint32_t a = first_[sink]; a != kNoArc; a = arcs_[a].next) {
    excess_[sink] = arcs_[a ^ 1].left;
    push(sink, a);
  }
  find_labels();
  while (true) {
    while (highest_waiting_ > 0 && waiting_[highest_waiting_].empty()) --highest_waiting_;
    if (highest_waiting_ == 0) break;
    const std::uint32_t vertex = waiting_[highest_waiting_].back();
    waiting_[highest_waiting_].pop_back();
    if (label_[vertex] == highest_waiting_) discharge(vertex);
    if (work_ > 4 * (vertices + arcs_.size())) find_labels();
  }
  find_labels();
  return excess_[source];
}

}  // namespace strata
