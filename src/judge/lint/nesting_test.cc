#include "lint/nesting.h"

#include <gtest/gtest.h>

namespace strata::lint {
namespace {

TEST(LintNesting, TheLongestNameIsTheParent) {
  ClaimTable table;
  for (const char* name : {"heads", "heads_box", "heads_box_fc6", "headset", "x_y", "heads_z"})
    table.rows.push_back({.name = name});
  nest_by_names(table, "_.");
  EXPECT_FALSE(table.rows[0].parent);
  EXPECT_EQ(table.rows[1].parent, 0u);
  EXPECT_EQ(table.rows[2].parent, 1u);
  EXPECT_FALSE(table.rows[3].parent);
  EXPECT_FALSE(table.rows[4].parent);
  EXPECT_EQ(table.rows[5].parent, 0u);
  EXPECT_EQ(table.children()[0].size(), 2u);
}

}  // namespace
}  // namespace strata::lint
