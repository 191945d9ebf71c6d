#include "task/zoo_latency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ProfileRow counted_row() {
  ProfileRow row;
  row.cells.resize(3);
  row.cells[0].value = std::string("net");
  row.cells[2].value = 8e6;  // FLOPs
  return row;
}

double number(const ProfileRow& row, std::size_t at) {
  return std::get<double>(row.cells.at(at).value);
}

TEST(ZooLatency, HasAnIntervalAroundTheMedian) {
  Timing timing;
  timing.runs = {3e-3, 4e-3, 9e-3};
  timing.center.interval = Interval{3.5e-3, 5e-3};
  ProfileRow row = counted_row();
  std::vector<std::string> notes;
  add_latency_cells(timing, "net", row, notes);
  ASSERT_EQ(row.cells.size(), 3 + latency_columns().size());
  EXPECT_DOUBLE_EQ(number(row, 3), 4e-3);
  EXPECT_DOUBLE_EQ(number(row, 4), 3.5e-3);
  EXPECT_DOUBLE_EQ(number(row, 5), 5e-3);
  EXPECT_DOUBLE_EQ(number(row, 6), 2e9);
  EXPECT_THAT(notes, IsEmpty());
  // The center of sessions is not the median of runs; the interval is shown around the latter.
  timing.center.interval = Interval{4.5e-3, 5e-3};
  row = counted_row();
  add_latency_cells(timing, "net", row, notes);
  EXPECT_DOUBLE_EQ(number(row, 4), 4e-3);
}

TEST(ZooLatency, WhatIsWithheldIsUnknownAndSaidWhy) {
  Timing timing;
  timing.runs = {4e-3};
  timing.center.withheld = "fewer than six runs were measured";
  ProfileRow row = counted_row();
  std::vector<std::string> notes;
  add_latency_cells(timing, "net", row, notes);
  EXPECT_DOUBLE_EQ(number(row, 3), 4e-3);
  EXPECT_TRUE(row.cells.at(4).is_unknown());
  EXPECT_TRUE(row.cells.at(5).is_unknown());
  EXPECT_THAT(notes, ElementsAre("net: no interval: fewer than six runs were measured"));
}

TEST(ZooLatency, ColumnsAreCalledAsTheCells) {
  std::vector<std::string> names;
  for (const Column& column : latency_columns()) names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("latency", "latency_low", "latency_high", "flops_per_s"));
}

}  // namespace
}  // namespace strata
