// A longest common subsequence of two lists of keys.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace strata::compare {

struct Pair {
  std::uint32_t before, after;  // indices
  bool operator==(const Pair&) const = default;
};

// Pairs of equal keys, ascending on both sides, and as many as there can be where the lists differ
// in at most `most_edits` places; where they differ in more, they are aligned piece by piece, so
// that the work is at most proportional to the keys times `most_edits`.
inline constexpr int kMaxEdits = 512;
std::vector<Pair> align(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after,
                        int most_edits = kMaxEdits);

// Chooses, among pairs that ascend in `before`, the most that ascend in `after` as well, in their
// order.
std::vector<Pair> ascending(std::span<const Pair> pairs);

}  // namespace strata::compare
