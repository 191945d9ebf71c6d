#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "document/chart/axis.h"
#include "document/chart/charts.h"
#include "document/chart/squarified.h"
#include "document/chart/stages.h"

namespace strata {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ChartAxis, TicksAreRoundAndReachTheMost) {
  EXPECT_THAT(linear_ticks(97, Unit::Count, 5), ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(linear_ticks(5 << 20, Unit::Bytes, 3), ElementsAre(0, 2 << 20, 4 << 20, 6 << 20));
  EXPECT_THAT(linear_ticks(0, Unit::Count, 5), ElementsAre(0));
  EXPECT_THAT(log_ticks(0.5, 30), ElementsAre(DoubleNear(0.1, 1e-12), 1, 10, 100));
}

TEST(ChartAxis, TextOfTicksHasNoZerosAtItsEnd) {
  EXPECT_EQ(tick_text(0, Unit::Bytes), "0");
  EXPECT_EQ(tick_text(1.5e6, Unit::Count), "1.5 M");
  EXPECT_EQ(tick_text(2e6, Unit::Count), "2 M");
  EXPECT_EQ(tick_text(200, Unit::Count), "200");
  EXPECT_EQ(tick_text(4 << 20, Unit::Bytes), "4 MiB");
  EXPECT_EQ(tick_text(0.02, Unit::Seconds), "20 ms");
}

TEST(ChartAxis, ScalesMapTheirEnds) {
  const Scale linear{0, 10, 100, 0};
  EXPECT_EQ(linear(0), 100);
  EXPECT_EQ(linear(5), 50);
  const Scale powers{1, 100, 0, 200, true};
  EXPECT_DOUBLE_EQ(powers(10), 100);
}

TEST(ChartAxis, NamesAreCutInFront) {
  EXPECT_EQ(name_within("conv", 100), "conv");
  EXPECT_EQ(name_within("features.3.conv", 6 * kLetterWidth), "….conv");
  EXPECT_EQ(name_within("features", 2 * kLetterWidth), "");
}

TEST(ChartStages, AreThePartsOfSeveralLayers) {
  const std::vector<std::string> paths = {"stem",       "layer1.0.a", "layer1.0.b", "layer2.0.a",
                                          "layer2.0.b", "layer3.0.a", "layer3.0.b", "fc"};
  std::vector<std::string> names;
  for (const PathRun& run : stages_of(paths)) names.push_back(run.name);
  EXPECT_THAT(names, ElementsAre("stem", "layer1", "layer2", "layer3", "fc"));
  EXPECT_EQ(last_words("features.3.conv.0"), "conv.0");
  EXPECT_EQ(last_words("features.3.conv"), "conv");
  EXPECT_EQ(last_words("stem"), "stem");
}

// The areas of rectangles are the shares of the sizes, none lies over another, and the example of
// the paper (6, 6, 4, 3, 2, 2, 1 in 6 by 4) begins with two of 3 by 2.
TEST(ChartSquarified, AreasAreShares) {
  const std::vector<double> sizes = {6, 6, 4, 3, 2, 2, 1};
  const std::vector<Area> places = squarified(sizes, {0, 0, 6, 4});
  ASSERT_EQ(places.size(), sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_NEAR(places[i].width * places[i].height, sizes[i], 1e-9);
    EXPECT_GE(places[i].x, -1e-9);
    EXPECT_LE(places[i].x + places[i].width, 6 + 1e-9);
    EXPECT_LE(places[i].y + places[i].height, 4 + 1e-9);
    for (std::size_t j = 0; j < i; ++j) {
      const double wide = std::min(places[i].x + places[i].width, places[j].x + places[j].width) -
                          std::max(places[i].x, places[j].x);
      const double high = std::min(places[i].y + places[i].height, places[j].y + places[j].height) -
                          std::max(places[i].y, places[j].y);
      EXPECT_FALSE(wide > 1e-9 && high > 1e-9) << i << " over " << j;
    }
  }
  EXPECT_NEAR(places[0].width, 3, 1e-9);
  EXPECT_NEAR(places[0].height, 2, 1e-9);
}

Document bench() {
  Document document = new_document("bench");
  Table table{.name = "variants",
              .columns = {{"backend", "Backend"},
                          {"threads", "Threads", Unit::Count},
                          {"median_s", "Median", Unit::Seconds, false, 0, ColumnType::Estimate},
                          {"speed_up", "Speedup", Unit::Number, false, 0, ColumnType::Estimate}}};
  table.rows.push_back({.cells = {"ort", 1, Estimate{0.02, 0.019, 0.021}, Cell()}});
  table.rows.push_back({.cells = {"ort", 2, Estimate{0.01, 0.009, 0.011}, Estimate{2, 1.9, 2.1}}});
  document.tables.push_back(std::move(table));
  return document;
}

TEST(Charts, AreFoundByNameOrTheFirstIsTaken) {
  const auto first = chart_of(bench(), "");
  ASSERT_TRUE(first);
  EXPECT_THAT(first->title, HasSubstr("Latency"));
  const auto second = chart_of(bench(), "speed-up");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->dots.size(), 1u);
  const auto other = chart_of(bench(), "treemap");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "there is no chart \"treemap\" of this; charts are: latency, speed-up");
  const auto none = chart_of(new_document("bench"), "");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "there is nothing in it that a chart could show");
}

// Half the time is half the way, from the axis on; variants differ in their threads only.
TEST(Charts, PlacesAreProportional) {
  const auto scene = chart_of(bench(), "latency");
  ASSERT_TRUE(scene);
  ASSERT_EQ(scene->dots.size(), 2u);
  const double zero = 2 * scene->dots[1].x - scene->dots[0].x;
  const std::string svg = scene_to_svg(*scene);
  EXPECT_THAT(svg, HasSubstr(">ort 1 thread</text>"));
  EXPECT_THAT(svg, HasSubstr(">20.00 ms [19.00 ms, 21.00 ms]</text>"));
  // The line of the tick at 0 is the first one.
  EXPECT_NEAR(scene->lines.front().x1, zero, 1e-9);
}

// 1 ms, 10 ms and 100 ms are as far from each other.
TEST(Charts, LatenciesFarApartAreShownByPowersOfTen) {
  Document document = bench();
  std::vector<TableRow>& rows = document.tables[0].rows;
  rows.resize(1);
  for (const double seconds : {0.001, 0.01, 0.1})
    rows.push_back({.cells = {"x", rows.size(), seconds, Cell()}});
  rows.erase(rows.begin());
  const auto scene = chart_of(document, "latency");
  ASSERT_TRUE(scene);
  ASSERT_EQ(scene->dots.size(), 3u);
  EXPECT_NEAR(scene->dots[1].x - scene->dots[0].x, scene->dots[2].x - scene->dots[1].x, 1e-9);
  EXPECT_THAT(scene_to_svg(*scene), HasSubstr("powers of ten"));
}

// Single runs stand above their line; one of more than twice the median is left out.
TEST(Charts, RunsAreDrawn) {
  Document document = bench();
  Table& table = document.tables[0];
  table.columns.push_back({"spread_s", "spread_s", Unit::Seconds, false, 0, ColumnType::List});
  table.rows[0].cells.emplace_back(Cells{0.019, 0.02, 0.021, 0.3});
  table.rows[1].cells.emplace_back();
  const auto with = chart_of(document, "latency"), without = chart_of(bench(), "latency");
  ASSERT_TRUE(with && without);
  EXPECT_EQ(with->lines.size(), without->lines.size() + 3);
}

TEST(Charts, TextOfAPictureIsText) {
  PlotScene scene;
  scene.width = 10;
  scene.height = 10;
  scene.texts.push_back({1, 2, "<a & \"b\">\x1b\xff", {}, PlotAnchor::End});
  const std::string svg = scene_to_svg(scene);
  EXPECT_THAT(svg, HasSubstr(">&lt;a &amp; &quot;b&quot;&gt;\\x1b\\xff</text>"));
  EXPECT_THAT(svg, HasSubstr("font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\""));
}

// Letters of a font have many grey pixels; the picture of a text differs from that of another one.
TEST(Charts, PngHasLetters) {
  PlotScene scene;
  scene.width = 60;
  scene.height = 20;
  const auto blank = scene_to_png(scene);
  ASSERT_TRUE(blank) << blank.error().message;
  scene.texts.push_back({5, 14, "conv"});
  const auto text = scene_to_png(scene);
  scene.texts.back().text = "pool";
  const auto other = scene_to_png(scene);
  scene.texts.back().text = "\xff";  // no UTF-8, and no reason to fail
  EXPECT_TRUE(scene_to_png(scene));
  EXPECT_GT(text->size(), blank->size() + 100);
  EXPECT_NE(*text, *other);
}

}  // namespace
}  // namespace strata
