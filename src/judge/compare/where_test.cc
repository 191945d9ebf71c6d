#include "compare/where.h"

#include <gtest/gtest.h>

namespace strata::compare {
namespace {

SideRow row(std::string name, std::int64_t params, std::int64_t macs) {
  SideRow out{.name = std::move(name), .type = "Conv2d", .output = "1×8"};
  at(out.figures, Measure::Params) = count_figure(params);
  at(out.figures, Measure::Macs) = count_figure(macs);
  return out;
}

Side side(std::vector<SideRow> rows) {
  Side out{.rows = std::move(rows)};
  std::int64_t params = 0, macs = 0;
  for (const SideRow& one : out.rows) {
    params += one.figures[0].count.value();
    macs += at(one.figures, Measure::Macs).count.value();
  }
  at(out.totals, Measure::Params) = count_figure(params);
  at(out.totals, Measure::Macs) = count_figure(macs);
  return out;
}

std::string where(const Side& before, const Side& after) {
  return where_text(before, after, diff_of(before, after));
}

TEST(Where, AllInOneModule) {
  const Side before = side({row("stem", 5, 5), row("layer3.0.conv", 10, 0), row("head", 7, 1)});
  const Side after = side({row("stem", 5, 5), row("layer3.0.conv", 40, 0), row("head", 7, 1)});
  EXPECT_EQ(where(before, after), "Where: Params all in layer3.0.conv, +30.\n");
}

// A layer that is new counts in whole, one that is gone counts less.
TEST(Where, TheLargestFirst) {
  const Side before = side({row("a.x", 1, 100), row("b.x", 1, 1000), row("c.x", 1, 7)});
  const Side after = side({row("a.x", 1, 300), row("b.x", 1, 400), row("d.x", 1, 207)});
  // +200, -600, and -7 and +207, unless c.x is found again as d.x: then +200.
  const std::string text = where(before, after);
  EXPECT_EQ(text.substr(0, text.find(',')), "Where: MACs -600 in b (60 %)") << text;
}

TEST(Where, NothingIsSaidOfWhatDidNotChange) {
  const Side one = side({row("a", 1, 2)});
  EXPECT_EQ(where(one, one), "");
}

}  // namespace
}  // namespace strata::compare
