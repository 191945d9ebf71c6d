#include "compare/align.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace strata::compare {
namespace {

using Keys = std::vector<std::uint32_t>;
using ::testing::ElementsAre;

// The textbook's table, for lists that are short enough.
std::size_t longest_common(const Keys& a, const Keys& b) {
  std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j)
      best[i][j] =
          a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
  return best[a.size()][b.size()];
}

void expect_ascending_and_equal(const std::vector<Pair>& pairs, const Keys& a, const Keys& b) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    ASSERT_LT(pairs[i].before, a.size());
    ASSERT_LT(pairs[i].after, b.size());
    EXPECT_EQ(a[pairs[i].before], b[pairs[i].after]);
    if (i == 0) continue;
    EXPECT_LT(pairs[i - 1].before, pairs[i].before);
    EXPECT_LT(pairs[i - 1].after, pairs[i].after);
  }
}

Keys random_keys(std::mt19937& random, std::size_t most, std::uint32_t letters) {
  Keys out(random() % (most + 1));
  for (std::uint32_t& key : out) key = static_cast<std::uint32_t>(random() % letters);
  return out;
}

TEST(Align, OneInsertionShiftsNothing) {
  EXPECT_THAT(align(Keys{1, 2, 3}, Keys{1, 9, 2, 3}),
              ElementsAre(Pair{0, 0}, Pair{1, 2}, Pair{2, 3}));
  EXPECT_TRUE(align(Keys{}, Keys{1}).empty());
  EXPECT_TRUE(align(Keys{1}, Keys{2}).empty());
}

TEST(Align, PairsAreAsManyAsTheTableFinds) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const Keys a = random_keys(random, 24, 1 + i % 7), b = random_keys(random, 24, 1 + i % 7);
    const std::vector<Pair> pairs = align(a, b);
    expect_ascending_and_equal(pairs, a, b);
    EXPECT_EQ(pairs.size(), longest_common(a, b));
  }
}

TEST(Align, WithFewEditsAllowedItGoesOnPieceByPiece) {
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    const Keys a = random_keys(random, 60, 4), b = random_keys(random, 60, 4);
    const std::vector<Pair> pairs = align(a, b, 1 + i % 5);
    expect_ascending_and_equal(pairs, a, b);
    if (a == b) {
      EXPECT_EQ(pairs.size(), a.size());
    }
  }
}

TEST(Align, ListsWithNothingInCommonTakeNoQuadraticTime) {
  Keys a(100'000), b(100'000);
  for (std::uint32_t i = 0; i < a.size(); ++i) a[i] = 2 * i, b[i] = 2 * i + 1;
  EXPECT_TRUE(align(a, b, 16).empty());
}

TEST(Ascending, KeepsAsManyAsAnySubsetCould) {
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    std::vector<Pair> pairs(random() % 11);
    std::vector<std::uint32_t> order(pairs.size());
    for (std::uint32_t p = 0; p < pairs.size(); ++p) order[p] = p;
    std::shuffle(order.begin(), order.end(), random);
    for (std::uint32_t p = 0; p < pairs.size(); ++p) pairs[p] = {p, order[p]};
    std::size_t most = 0;
    for (std::uint32_t subset = 0; subset < (1U << pairs.size()); ++subset) {
      std::size_t count = 0;
      std::int64_t last = -1;
      for (std::uint32_t p = 0; p < pairs.size(); ++p) {
        if ((subset >> p & 1) == 0) continue;
        if (pairs[p].after < last) count = 0;
        if (pairs[p].after < last) break;
        last = pairs[p].after;
        ++count;
      }
      most = std::max(most, count);
    }
    const std::vector<Pair> kept = ascending(pairs);
    EXPECT_EQ(kept.size(), most);
    for (std::size_t k = 1; k < kept.size(); ++k) EXPECT_LT(kept[k - 1].after, kept[k].after);
  }
}

}  // namespace
}  // namespace strata::compare
