#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/chart/charts.h"

namespace strata {
namespace {

using ::testing::HasSubstr;

Document payload(const std::vector<std::pair<std::string, Cell>>& places) {
  Document document = new_document("payload");
  Table table{.name = "cuts", .columns = {{"after", "Cut after"}, {"raw", "Raw", Unit::Bytes}}};
  for (const auto& [after, raw] : places) table.rows.push_back({.cells = {after, raw}});
  document.tables.push_back(std::move(table));
  return document;
}

std::string drawn(const Document& document) {
  const auto scene = cuts_chart(document);
  return scene ? scene_to_svg(*scene) : "nothing";
}

// The last place is one to cut at: behind it, nothing would cross, and it would not be listed.
TEST(CutsChart, TheLeastMayBeTheLastPlace) {
  EXPECT_THAT(drawn(payload({{"", 602112}, {"layer4.0", 401408}, {"avgpool", 8192}})),
              HasSubstr(">least: 8.000 KiB after avgpool</text>"));
}

TEST(CutsChart, TheLeastMayBeTheInput) {
  EXPECT_THAT(drawn(payload({{"", 1024}, {"a", 4096}, {"b", 2048}})),
              HasSubstr(">least: 1.000 KiB before the first layer</text>"));
}

TEST(CutsChart, SizesThatAreNotKnownAreNotTheLeast) {
  const Cell open{Expr::symbol("N"), Certainty::Exact}, bound{Expr(16), Certainty::LowerBound};
  EXPECT_THAT(drawn(payload({{"", 4096}, {"a", Cell()}, {"b", open}, {"c", bound}, {"d", 2048}})),
              HasSubstr(">least: 2.000 KiB after d</text>"));
}

}  // namespace
}  // namespace strata
