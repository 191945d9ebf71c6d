#include "strata/base/boxed.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace strata {
namespace {

using Word = Boxed<std::string>;

TEST(Boxed, IsEmptyAtFirstAndTakesTheRoomOfAPointer) {
  const Word word;
  EXPECT_FALSE(word);
  EXPECT_FALSE(word.has_value());
  EXPECT_EQ(sizeof(Boxed<std::array<char, 1000>>), sizeof(void*));
}

TEST(Boxed, CopiesAreIndependent) {
  Word word("one");
  Word copy = word;
  *copy += " more";
  EXPECT_EQ(*word, "one");
  EXPECT_EQ(*copy, "one more");
  word = copy;
  EXPECT_EQ(*word, "one more");
  const Word& same = word;
  word = same;
  EXPECT_EQ(*word, "one more");
  word = Word();
  EXPECT_FALSE(word);
  EXPECT_TRUE(copy);
}

TEST(Boxed, MovesLeaveNothing) {
  Word word("one");
  const Word moved = std::move(word);
  EXPECT_EQ(moved->size(), 3u);
  EXPECT_FALSE(word);  // NOLINT(bugprone-use-after-move): that is what is tested
}

TEST(Boxed, EmplaceStartsAnewAndResetEndsIt) {
  Word word("one");
  EXPECT_EQ(word.emplace(), "");
  EXPECT_TRUE(word);
  word.reset();
  EXPECT_FALSE(word);
}

}  // namespace
}  // namespace strata
