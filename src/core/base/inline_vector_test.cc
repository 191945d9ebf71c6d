#include "strata/base/inline_vector.h"

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace strata {
namespace {

using Words = InlineVector<std::string, 2>;

// Long enough to be on the heap, so that sanitizers notice one that is leaked or freed twice.
std::string word(int i) { return "a string past the small buffer, number " + std::to_string(i); }

Words words(int count) {
  Words out;
  for (int i = 0; i < count; ++i) out.push_back(word(i));
  return out;
}

TEST(InlineVector, ConstructsFromListSpanAndCount) {
  const InlineVector<int, 2> list{1, 2, 3};
  const std::vector<int> items{1, 2, 3};
  const InlineVector<int, 2> span{std::span<const int>(items)};
  EXPECT_EQ(list, span);
  EXPECT_EQ(std::accumulate(list.begin(), list.end(), 0), 6);
  EXPECT_EQ((InlineVector<int, 2>(3, 7)), (InlineVector<int, 2>{7, 7, 7}));
  EXPECT_TRUE((InlineVector<int, 2>()).empty());
  EXPECT_NE(list, (InlineVector<int, 2>{1, 2}));
  EXPECT_NE(list, (InlineVector<int, 2>{1, 2, 4}));
}

TEST(InlineVector, CopiesAreIndependent) {
  for (int count = 0; count < 6; ++count) {
    Words original = words(count);
    Words copy = original;
    copy.push_back("more");
    EXPECT_EQ(original, words(count));
    for (int other = 0; other < 6; ++other) {
      Words target = words(other);
      target = original;
      EXPECT_EQ(target, original);
    }
    const Words& same = original;
    original = same;
    EXPECT_EQ(original, words(count));
  }
}

TEST(InlineVector, AMovedFromVectorIsEmptyAndUsable) {
  for (int count = 0; count < 6; ++count) {
    for (int other = 0; other < 6; ++other) {
      Words source = words(count);
      Words target = words(other);
      target = std::move(source);
      EXPECT_EQ(target, words(count));
      EXPECT_TRUE(source.empty());  // NOLINT(bugprone-use-after-move): the promise tested
      for (int i = 0; i < 5; ++i) source.push_back(word(i));
      EXPECT_EQ(source, words(5));
      const Words constructed = std::move(target);
      EXPECT_EQ(constructed, words(count));
    }
  }
}

TEST(InlineVector, TakesItsOwnElements) {
  Words vector = words(2);
  vector.push_back(vector[0]);
  vector.insert(0, vector[1]);
  vector.resize(9, vector[0]);
  EXPECT_EQ(vector[0], word(1));
  EXPECT_EQ(vector[3], word(0));
  EXPECT_EQ(vector[8], word(1));
}

TEST(InlineVector, GrownElementsAreFresh) {
  InlineVector<int, 4> vector{1, 2, 3};
  vector.resize(1);
  vector.resize(3);
  EXPECT_EQ(vector, (InlineVector<int, 4>{1, 0, 0}));
}

RC_GTEST_PROP(InlineVectorLaws, BehavesLikeVector, (const std::vector<std::uint16_t>& steps)) {
  InlineVector<std::string, 3> ours;
  std::vector<std::string> theirs;
  for (const std::uint16_t step : steps) {
    const std::string item = word(step);
    const std::size_t at = step / 8 % (theirs.size() + 1);
    const auto offset = static_cast<std::ptrdiff_t>(at);
    switch (step % 8) {
      case 0:
        ours.clear();
        theirs.clear();
        break;
      case 1:
        ours.resize(at + 2, item);
        theirs.resize(at + 2, item);
        break;
      case 2:
        ours.insert(at, item);
        theirs.insert(theirs.begin() + offset, item);
        break;
      case 3:
        if (at == theirs.size()) break;
        ours.erase(at);
        theirs.erase(theirs.begin() + offset);
        break;
      case 4:
        if (theirs.empty()) break;
        ours.pop_back();
        theirs.pop_back();
        break;
      case 5: {
        const std::vector<std::string> more(at % 5, item);
        ours.append(more.begin(), more.end());
        theirs.insert(theirs.end(), more.begin(), more.end());
        break;
      }
      case 6:
        ours.reserve(at + 3);
        RC_ASSERT(ours.emplace_back(3, 'x') == theirs.emplace_back(3, 'x'));
        break;
      default:
        ours.push_back(item);
        theirs.push_back(item);
    }
    RC_ASSERT(ours.size() == theirs.size());
    RC_ASSERT(std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
    if (!theirs.empty()) RC_ASSERT(ours.back() == theirs.back());
  }
}

}  // namespace
}  // namespace strata
