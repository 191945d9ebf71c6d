#include "strata/base/block_list.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(BlockList, KeepsElementsInOrderAndInPlace) {
  BlockList<std::string> list;
  EXPECT_TRUE(list.empty());
  std::vector<std::string> expected;
  std::vector<const std::string*> places;
  for (std::size_t i = 0; i < 1000; ++i) {
    expected.push_back(std::string(i % 40, 'x') + std::to_string(i));
    places.push_back(&list.emplace_back(expected.back()));
  }
  EXPECT_EQ(list.size(), 1000u);
  EXPECT_TRUE(std::equal(list.begin(), list.end(), expected.begin(), expected.end()));
  EXPECT_EQ(list.front(), expected.front());
  EXPECT_EQ(list.back(), expected.back());
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(&list[i], places[i]);

  const BlockList<std::string> moved = std::move(list);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(&moved[i], places[i]);
}

TEST(BlockList, DestroysEachElementOnce) {
  const auto counted = std::make_shared<int>(1);
  {
    BlockList<std::shared_ptr<int>> list, other;
    for (int i = 0; i < 70; ++i) list.emplace_back(counted);
    for (int i = 0; i < 30; ++i) other.emplace_back(counted);
    EXPECT_EQ(counted.use_count(), 101);
    list = std::move(other);
    EXPECT_EQ(list.size(), 30u);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

}  // namespace
}  // namespace strata
