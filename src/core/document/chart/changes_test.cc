#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/chart/axis.h"
#include "document/chart/charts.h"

namespace strata {
namespace {

// A document like those of src/judge/compare: 10 MACs become 30, 20 are removed, 5 inserted, one is
// unknown.
Document comparison() {
  Document document = new_document("diff");
  document.facts = {{"sides", Cells{Members{{"file", FilePath{"old/a.onnx"}}},
                                    Members{{"file", FilePath{"new/b.onnx"}}}}}};
  Table table{.name = "layers",
              .columns = {{"file", "File"},
                          {"change", "Change"},
                          {"layer", "Layer before"},
                          {"layer_after", "Layer after"},
                          {"macs_before", "MACs before", Unit::Macs},
                          {"macs_after", "MACs after", Unit::Macs}}};
  const Cell b = FilePath{"b.onnx"}, c = FilePath{"c.onnx"};
  table.rows = {{.cells = {b, "changed", "x", "x", 10, 30}},
                {.cells = {b, "removed", "y", "", 20, Cell()}},
                {.cells = {b, "inserted", "", "z", Cell(), 5}},
                {.cells = {b, "same", "w", "w", Cell(), 7}},
                {.cells = {c, "changed", "x", "x", 10, 1000}}};
  document.tables.push_back(std::move(table));
  return document;
}

TEST(ChangesChart, MoreIsAboveTheLineAndLessBelowIt) {
  const auto scene = changes_chart(comparison());
  ASSERT_TRUE(scene);
  ASSERT_EQ(scene->boxes.size(), 3u);  // of the first file
  const PlotBox &more = scene->boxes[0], &less = scene->boxes[1], &few = scene->boxes[2];
  // +20, -20 and +5, from one line on.
  EXPECT_NEAR(more.height, less.height, 1e-9);
  EXPECT_NEAR(more.y + more.height, less.y, 1e-9);
  EXPECT_NEAR(few.height, more.height / 4, 1e-9);
  EXPECT_NEAR(few.y + few.height, less.y, 1e-9);
  EXPECT_EQ(more.color.red, kMark.red);
  EXPECT_EQ(less.color.red, kBar.red);
  // A row in four places, in order.
  EXPECT_NEAR(less.x - more.x, (kChartRight - kChartLeft) / 4, 1e-9);
  const std::string svg = scene_to_svg(*scene);
  EXPECT_THAT(svg, testing::HasSubstr(">+20</text>"));
  EXPECT_THAT(svg, testing::HasSubstr(">-20</text>"));
  EXPECT_THAT(svg, testing::HasSubstr(">What changed: a.onnx → b.onnx</text>"));
}

TEST(ChangesChart, NothingChangedIsNoChart) {
  Document document = comparison();
  for (TableRow& row : document.tables[0].rows) row.cells[4] = row.cells[5] = 3;
  for (TableRow& row : document.tables[0].rows) row.cells[1] = "same";
  EXPECT_FALSE(changes_chart(document));
  EXPECT_FALSE(changes_chart(new_document("diff")));
  EXPECT_FALSE(changes_chart(new_document("profile")));
}

}  // namespace
}  // namespace strata
