#include "read/limits.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// docs/limits.md: 100,000 nodes and one for each byte, 400,000 tensors and four, 1,000,000 elements
// and ten.
TEST(ReadLimits, AreInProportionToTheFile) {
  const ReadOptions small = in_proportion({}, 1000);
  EXPECT_EQ(small.max_nodes, 101'000u);
  EXPECT_EQ(small.max_tensors, 404'000u);
  EXPECT_EQ(small.max_list_items, 1'010'000u);
  const ReadOptions large = in_proportion({}, 1'000'000'000);
  EXPECT_EQ(large.max_nodes, 5'000'000u);
  EXPECT_EQ(large.max_tensors, 20'000'000u);
  EXPECT_EQ(large.max_list_items, 100'000'000u);
  EXPECT_EQ(in_proportion({.limit = 10}, 1000).max_nodes, 1'010'000u);
}

}  // namespace
}  // namespace strata
