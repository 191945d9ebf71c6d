// Eugene Myers, "An O(ND) difference algorithm and its variations" (1986): for each number of
// edits, the furthest point that can be reached on each diagonal. What each number of edits reached
// is kept, to find the way back; the limit on edits keeps that small.
#include "compare/align.h"

#include <algorithm>

namespace strata::compare {

namespace {

using Keys = std::span<const std::uint32_t>;

constexpr int kUnreached = -1;

class Round {
 public:
  Round(Keys before, Keys after)
      : before_(before),
        after_(after),
        n_(static_cast<int>(before.size())),
        m_(static_cast<int>(after.size())) {}

  // Runs the comparison and returns how far it came on both sides.
  Pair run(int most_edits, std::vector<Pair>& pairs) {
    for (int edits = 0; edits <= most_edits; ++edits) {
      reached_.emplace_back(static_cast<std::size_t>(2 * edits + 1), kUnreached);
      for (int k = -edits; k <= edits; k += 2) {
        int x = start(edits, k).x;
        if (x == kUnreached) continue;
        while (x < n_ && x - k < m_ && before_[at(x)] == after_[at(x - k)]) ++x;
        place(edits, k) = x;
        if (x == n_ && x - k == m_) return back(edits, k, pairs);
      }
    }
    int furthest = 0, best = -1;
    for (int k = -most_edits; k <= most_edits; k += 2)
      if (const int x = place(most_edits, k); x != kUnreached && 2 * x - k > best) {
        best = 2 * x - k;
        furthest = k;
      }
    return back(most_edits, furthest, pairs);
  }

 private:
  struct Start {
    int x = kUnreached;
    int from = 0;  // the diagonal it comes from
  };

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  int& place(int edits, int k) { return reached_[at(edits)][at(k + edits)]; }
  int reached(int edits, int k) { return k < -edits || k > edits ? kUnreached : place(edits, k); }

  // Where diagonal k is entered with this many edits.
  Start start(int edits, int k) {
    if (edits == 0) return {0, 0};
    const int removed = reached(edits - 1, k - 1), inserted = reached(edits - 1, k + 1);
    Start best;
    if (removed != kUnreached && removed < n_) best = {removed + 1, k - 1};
    if (inserted != kUnreached && inserted - k <= m_ && inserted > best.x) best = {inserted, k + 1};
    return best;
  }

  Pair back(int edits, int k, std::vector<Pair>& pairs) {
    const int end = place(edits, k);
    const Pair furthest{static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(end - k)};
    const std::size_t first = pairs.size();
    for (; edits >= 0; --edits) {
      const Start entered = start(edits, k);
      for (int x = place(edits, k); x > entered.x; --x)
        pairs.push_back({static_cast<std::uint32_t>(x - 1), static_cast<std::uint32_t>(x - 1 - k)});
      k = entered.from;
    }
    std::reverse(pairs.begin() + static_cast<std::ptrdiff_t>(first), pairs.end());
    return furthest;
  }

  Keys before_, after_;
  int n_, m_;
  std::vector<std::vector<int>> reached_;  // by edits and diagonal: how far in `before`
};

}  // namespace

std::vector<Pair> align(Keys before, Keys after, int most_edits) {
  std::vector<Pair> pairs;
  Pair done{0, 0};
  while (done.before < before.size() || done.after < after.size()) {
    const std::size_t first = pairs.size();
    const Pair came =
        Round(before.subspan(done.before), after.subspan(done.after)).run(most_edits, pairs);
    for (std::size_t i = first; i < pairs.size(); ++i) {
      pairs[i].before += done.before;
      pairs[i].after += done.after;
    }
    done = {done.before + came.before, done.after + came.after};
  }
  return pairs;
}

std::vector<Pair> ascending(std::span<const Pair> pairs) {
  std::vector<std::size_t> ends;  // of the best list of each length: the index of its last pair
  std::vector<std::size_t> earlier(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto place = std::lower_bound(
        ends.begin(), ends.end(), pairs[i].after,
        [&](std::size_t end, std::uint32_t after) { return pairs[end].after < after; });
    earlier[i] = place == ends.begin() ? pairs.size() : *(place - 1);
    if (place == ends.end())
      ends.push_back(i);
    else
      *place = i;
  }
  std::vector<Pair> out;
  for (std::size_t i = ends.empty() ? pairs.size() : ends.back(); i < pairs.size(); i = earlier[i])
    out.push_back(pairs[i]);
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace strata::compare
