// Maximum flow and the corresponding minimum cut (Dinic's algorithm).
#pragma once

#include <cstdint>
#include <vector>

namespace strata {

class MinCut {
 public:
  // Larger than any finite sum of capacities may be.
  static constexpr std::int64_t kInfinite = std::int64_t{1} << 61;

  explicit MinCut(std::uint32_t vertices) : first_(vertices, kNoArc) {}
  void add(std::uint32_t from, std::uint32_t to, std::int64_t capacity);
  // Returns the flow. Afterwards, is_on_source_side describes the cut with the fewest vertices on
  // that side.
  std::int64_t run(std::uint32_t source, std::uint32_t sink);
  bool is_on_source_side(std::uint32_t vertex) const { return level_[vertex] != kNoArc; }

 private:
  static constexpr std::uint32_t kNoArc = 0xffffffff;
  struct Arc {
    std::uint32_t to, next;
    std::int64_t left;  // remaining capacity
  };
  bool find_levels(std::uint32_t source, std::uint32_t sink);
  std::int64_t push_one_path(std::uint32_t source, std::uint32_t sink);

  std::vector<Arc> arcs_;  // arcs i and i ^ 1 are each other's reverse
  std::vector<std::uint32_t> first_, current_, level_, queue_, path_;
};

}  // namespace strata
