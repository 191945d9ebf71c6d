// Maximum flow and the corresponding minimum cut, by pushing what is left over towards the other
// end (push-relabel, highest label first, with gaps and exact labels from time to time). The layers
// of a network are a long chain with shortcuts, on which this takes nearly linear time.
#pragma once

#include <cstdint>
#include <vector>

namespace strata {

class MinCut {
 public:
  // Larger than any finite sum of capacities may be.
  static constexpr std::int64_t kInfinite = std::int64_t{1} << 61;

  explicit MinCut(std::uint32_t vertices) : first_(vertices, kNoArc) {}
  // Edges that lead to the sink must be finite.
  void add(std::uint32_t from, std::uint32_t to, std::int64_t capacity);
  // Returns the flow. Afterwards, is_on_source_side describes the cut with the fewest vertices on
  // that side.
  std::int64_t run(std::uint32_t source, std::uint32_t sink);
  bool is_on_source_side(std::uint32_t vertex) const { return label_[vertex] < dead(); }

 private:
  static constexpr std::uint32_t kNoArc = 0xffffffff;
  struct Arc {
    std::uint32_t to, next;
    std::int64_t left;  // remaining capacity
  };
  // The label of vertices that cannot be reached from the source any more.
  std::uint32_t dead() const { return static_cast<std::uint32_t>(first_.size()); }

  void find_labels();
  void list(std::uint32_t vertex);
  void unlist(std::uint32_t vertex);
  void wake(std::uint32_t vertex);
  void push(std::uint32_t from, std::uint32_t arc);
  void raise(std::uint32_t vertex);
  void discharge(std::uint32_t vertex);

  std::vector<Arc> arcs_;  // arcs i and i ^ 1 are each other's reverse
  std::vector<std::uint32_t> first_;
  std::uint32_t source_ = 0, sink_ = 0;
  // One entry per vertex. Flow is pushed from the sink back to the source, along arcs from a label
  // to the next lower one; a label is at most the distance from the source.
  std::vector<std::uint32_t> label_, current_;
  std::vector<std::int64_t> excess_;
  // One entry per label: the vertices that have it as a linked list, and those of them that have an
  // excess.
  std::vector<std::uint32_t> head_, next_, before_;
  std::vector<std::vector<std::uint32_t>> waiting_;
  std::uint32_t highest_waiting_ = 0;
  std::uint64_t work_ = 0;  // since labels were last computed
  std::vector<std::uint32_t> queue_;
};

}  // namespace strata
