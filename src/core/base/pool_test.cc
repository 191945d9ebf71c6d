#include "base/pool.h"

#include <string>

#include <gtest/gtest.h>

namespace strata {

struct PooledWord {
  std::string text;
  std::size_t hash = 0;
};
std::size_t hash_of(const PooledWord& word) { return word.hash; }
bool is_same(const PooledWord& a, const PooledWord& b) { return a.text == b.text; }

namespace {

TEST(Pool, KeepsWhatIsTheSameOnce) {
  Pool<PooledWord> pool;
  const auto first = pool.share({"conv", 7}), again = pool.share({"conv", 7});
  EXPECT_TRUE(is_same(first, again));
  EXPECT_EQ(pool.size(), 1u);
}

TEST(Pool, TellsValuesOfOneHashApart) {
  Pool<PooledWord> pool;
  const auto conv = pool.share({"conv", 7}), linear = pool.share({"linear", 7});
  EXPECT_EQ(conv->text, "conv");
  EXPECT_EQ(linear->text, "linear");
  EXPECT_EQ(pool.size(), 2u);
}

TEST(Pool, FindsThemAfterItHasGrown) {
  Pool<PooledWord> pool;
  std::vector<Shared<PooledWord>> kept;
  for (std::size_t i = 0; i < 1000; ++i)
    kept.push_back(pool.share({std::to_string(i), i % 300}));  // a hash of 0 among them
  EXPECT_EQ(pool.size(), 1000u);
  for (std::size_t i = 0; i < 1000; ++i)
    EXPECT_TRUE(is_same(kept[i], pool.share({std::to_string(i), i % 300}))) << i;
  EXPECT_EQ(pool.size(), 1000u);
}

TEST(WordHash, DependsOnTheOrderOfWords) {
  WordHash a, b;
  a.add(1), a.add(2);
  b.add(2), b.add(1);
  EXPECT_NE(a.value(), b.value());
}

}  // namespace

}  // namespace strata
