#include "strata/compare/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::compare {
namespace {

SideRow row(std::string name, std::int64_t macs) {
  SideRow out{.name = std::move(name), .type = "Conv2d", .output = "1×8"};
  at(out.figures, Measure::Macs) = count_figure(macs);
  return out;
}

std::vector<std::string> changes(const Side& before, const Side& after) {
  std::vector<std::string> out;
  for (const RowDiff& one : diff_of(before, after).rows)
    out.push_back(names_of(after, one.after) + " " + std::string(name_of(one.change)));
  return out;
}

using ::testing::ElementsAre;

TEST(Diff, ALayerThatRunsElsewhereHasMoved) {
  const Side before{.rows = {row("a", 1), row("b", 2), row("c", 3), row("d", 4)}};
  const Side after{.rows = {row("a", 1), row("d", 4), row("b", 2), row("c", 9)}};
  EXPECT_THAT(changes(before, after), ElementsAre("a same", "d moved", "b same", "c changed"));
}

TEST(Diff, AMovedLayerMayHaveChangedToo) {
  const Side before{.rows = {row("a", 1), row("b", 2), row("c", 3)}};
  const Side after{.rows = {row("c", 9), row("a", 1), row("b", 2)}};
  EXPECT_THAT(changes(before, after), ElementsAre("c moved", "a same", "b same"));
  const RowDiff moved = diff_of(before, after).rows.front();
  EXPECT_EQ(change_of_row(before, after, moved, Measure::Macs).verdict, Verdict::More);
}

TEST(Diff, RowsThatWereSortedHaveNoPlace) {
  const Side before{.rows = {row("a", 1), row("b", 2)}};
  const Side after{.rows = {row("b", 2), row("a", 1)}, .in_running_order = false};
  EXPECT_THAT(changes(before, after), ElementsAre("b same", "a same"));
}

TEST(Diff, WhatIsPutInFrontMovesNothing) {
  const Side before{.rows = {row("a", 1), row("b", 2)}};
  const Side after{.rows = {row("x", 7), row("a", 1), row("b", 2)}};
  EXPECT_THAT(changes(before, after), ElementsAre("x inserted", "a same", "b same"));
}

}  // namespace
}  // namespace strata::compare
