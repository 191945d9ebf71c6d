#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "document/chart/axis.h"
#include "document/chart/charts.h"

namespace strata {
namespace {

// From 1 to 100 MB/s; a division is best up to 10 MB/s, another one from there on.
Document payload(const std::string& name = "all on the edge") {
  const auto point = [](double link, double best, double server) {
    return Members{{"link_bytes_per_second", link},
                   {"best_seconds", best},
                   {"all_edge_seconds", 1.0},
                   {"all_server_seconds", server},
                   {"crossing", link == 10e6}};
  };
  Document document = new_document("payload");
  document.facts = {{"split", Members{{"link_bytes_per_second", 10e6},
                                      {"by_link", Cells{Members{{"from_bytes_per_second", 0.0},
                                                                {"to_bytes_per_second", 10e6},
                                                                {"choice", name}},
                                                        Members{{"from_bytes_per_second", 10e6},
                                                                {"to_bytes_per_second", Cell()},
                                                                {"choice", "all on the server"}}}},
                                      {"curve", Cells{point(1e6, 1, 10), point(10e6, 1, 1),
                                                      point(100e6, 0.1, 0.1)}}}}};
  return document;
}

TEST(LinkChart, BothAxesArePowersOfTen) {
  const auto scene = link_chart(payload());
  ASSERT_TRUE(scene);
  // The band of the first division ends in the middle: 10 is halfway from 1 to 100.
  ASSERT_EQ(scene->areas.size(), 1u);
  EXPECT_NEAR(scene->areas[0].x, kChartLeft, 1e-9);
  EXPECT_NEAR(scene->areas[0].width, (kChartRight - kChartLeft) / 2, 1e-9);
  const std::string svg = scene_to_svg(*scene);
  for (const char* text : {">10 Mbps</text>", ">100 Mbps</text>", ">100 ms</text>", ">1 s</text>",
                           ">all on the server</text>", ">the link, 80 Mbps<"})
    EXPECT_THAT(svg, testing::HasSubstr(text));
}

// 10 MB/s are 80 Mbps, in the middle of the axis.
TEST(LinkChart, NamesWhereAnotherChoiceIsTheBest) {
  const auto scene = link_chart(payload());
  ASSERT_TRUE(scene);
  EXPECT_THAT(scene_to_svg(*scene), testing::HasSubstr(">80.00 Mbps</text>"));
  EXPECT_TRUE(std::any_of(scene->lines.begin(), scene->lines.end(), [](const auto& line) {
    return line.x1 == line.x2 && std::abs(line.x1 - (kChartLeft + kChartRight) / 2) < 1e-9;
  }));
}

TEST(LinkChart, NeedsASplit) {
  EXPECT_FALSE(link_chart(new_document("payload")));
  EXPECT_FALSE(link_chart(new_document("profile")));
  Document document = payload();
  std::get<Members>(document.facts[0].cell.value)[2].cell = Cells{};
  EXPECT_FALSE(link_chart(document));
}

TEST(LinkChart, ANameIsText) {
  const auto scene = link_chart(payload("<b>\x1b&"));
  ASSERT_TRUE(scene);
  EXPECT_THAT(scene_to_svg(*scene), testing::HasSubstr(">&lt;b&gt;\\x1b&amp;</text>"));
}

}  // namespace
}  // namespace strata
