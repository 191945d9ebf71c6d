#include "lint/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::lint {
namespace {

Row layer(const char* path, const char* type, const char* output, std::int64_t flops) {
  Row row;
  row.layer = path;
  row.type = type;
  row.output = output;
  row.figures.flops = flops;
  row.figures.read_bytes = 2 * flops;
  row.figures.write_bytes = flops;
  return row;
}

TEST(LintJoin, NamesNeedNotBeTheSame) {
  const RowList layers = {
      layer("backbone.body.layer3.0.conv1", "Conv2d", "1×256×50×50", 1),
      layer("backbone.fpn.inner_blocks.3.0", "Conv2d", "1×256×25×25", 2),
      layer("backbone.fpn.layer_blocks.3.0", "Conv2d", "1×256×25×25", 3),
      layer("roi_heads.box_head.fc6", "Linear", "1000×1024", 4),
      layer("conv1", "Conv2d", "1×8", 5),
  };
  Claims claims;
  ClaimTable& table = claims.tables.emplace_back();
  table.columns = {{.title = "Time", .meaning = Meaning::Seconds}};
  for (const char* name : {"backbonefpn_fpn_inner_3", "backbonefpn_fpn_layer_3", "nowhere",
                           "roi_heads_box_head_fc6", "conv1", "fpn_3"})
    table.rows.push_back({.name = name, .numbers = {ClaimNumber{1, 0}}});
  table.rows[1].outputs = {{1, 256, 25, 25}};
  join_costs(claims, layers);
  const auto flops = [&](std::size_t r) {
    return table.at(table.rows[r], table.find_typical(Meaning::Flops));
  };
  ASSERT_TRUE(flops(0));
  EXPECT_EQ(flops(0)->value, 2);
  EXPECT_EQ(table.rows[0].type, "Conv2d");
  EXPECT_EQ(table.at(table.rows[0], table.find_typical(Meaning::MovedBytes))->value, 6);
  EXPECT_EQ(flops(1)->value, 3);
  EXPECT_FALSE(flops(2));
  EXPECT_EQ(flops(3)->value, 4);
  EXPECT_EQ(flops(4)->value, 5);  // the whole name, not `layer3.0.conv1`
  EXPECT_FALSE(flops(5));         // two layers fit
  EXPECT_THAT(claims.notes, testing::ElementsAre(testing::HasSubstr("costs of 4 of 6 rows")));
}

TEST(LintJoin, ATableWithCostsIsLeftAlone) {
  Claims claims;
  ClaimTable& table = claims.tables.emplace_back();
  table.columns = {{.title = "Time", .meaning = Meaning::Seconds},
                   {.title = "FLOPs", .meaning = Meaning::Flops}};
  join_costs(claims, {});
  EXPECT_EQ(table.columns.size(), 2u);
}

}  // namespace
}  // namespace strata::lint
