#include "lint/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::lint {
namespace {

using ::testing::ElementsAre;

TEST(LintGrid, LabelsAreJoinedAndNumbersHaveTheirUnit) {
  const auto table =
      claims_of_grid({.headings = {"Model(traced)", "Backend", "Mean(ms)", "std_dev"},
                      .rows = {{"A", "Torch", "2.50", "0.1"}, {"B", "Ours", "-"}}});
  ASSERT_TRUE(table) << table.error().message;
  ASSERT_EQ(table->rows.size(), 2u);
  EXPECT_EQ(table->rows[0].name, "A / Torch / traced");
  EXPECT_THAT(table->label_titles, ElementsAre("Model(traced)", "Backend"));
  EXPECT_DOUBLE_EQ(table->rows[0].numbers[0]->value, 0.0025);
  EXPECT_DOUBLE_EQ(table->rows[0].numbers[0]->rounding, 0.000005);
  EXPECT_DOUBLE_EQ(table->rows[0].numbers[1]->value, 0.0001);  // in milliseconds, too
  EXPECT_FALSE(table->rows[1].numbers[0]);
  EXPECT_FALSE(table->rows[1].numbers[1]);
}

TEST(LintGrid, TotalsAreApart) {
  const auto table =
      claims_of_grid({.headings = {"name", "type", "in_shape", "params"},
                      .rows = {{"a", "Conv2d", "(1, 3, 8, 8)", "10"}, {"total", "", "", "10"}}});
  ASSERT_TRUE(table) << table.error().message;
  ASSERT_EQ(table->rows.size(), 1u);
  EXPECT_EQ(table->rows[0].type, "Conv2d");
  EXPECT_THAT(table->rows[0].inputs, ElementsAre(ClaimShape{1, 3, 8, 8}));
  ASSERT_EQ(table->totals.size(), 1u);
  EXPECT_EQ(table->totals[0].numbers[0]->value, 10);
}

TEST(LintGrid, TablesWithTheSameColumnsAreOne) {
  const auto tables =
      claims_of_grids({{.headings = {"Model(traced)", "fps"}, .rows = {{"A", "1"}}},
                       {.headings = {"Model(scripted)", "fps"}, .rows = {{"A", "2"}}},
                       {.headings = {"words", "more words"}, .rows = {{"x", "y"}}}});
  ASSERT_TRUE(tables);
  ASSERT_EQ(tables->size(), 1u);
  ASSERT_EQ((*tables)[0].rows.size(), 2u);
  EXPECT_EQ((*tables)[0].rows[0].name, "A / traced");
  EXPECT_EQ((*tables)[0].rows[1].name, "A / scripted");
}

TEST(LintGrid, ATableWithoutMeaningIsRefused) {
  const auto table = claims_of_grid({.headings = {"a", "b"}, .rows = {{"x", "1"}}});
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().message,
            "no column has a heading that is known, such as FLOPs or Latency (ms)");
  EXPECT_FALSE(claims_of_grids({}));
}

}  // namespace
}  // namespace strata::lint
