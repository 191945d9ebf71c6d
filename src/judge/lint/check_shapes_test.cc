#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

Claims layers(std::vector<ClaimRow> rows) {
  ClaimTable table;
  table.rows = std::move(rows);
  return test_claims(table);
}

TEST(CheckShapes, ALayerThatKeepsItsShape) {
  const auto findings = found_by(
      check_shapes,
      layers({{.name = "relu", .type = "ReLU6", .inputs = {{1, 8}}, .outputs = {{1, 4}}}}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].evidence, "a ReLU6 gives 1×4 for 1×8");
}

TEST(CheckShapes, NeighboursInASequence) {
  std::vector<ClaimRow> rows = {
      {.name = "features.0", .type = "Conv2d", .inputs = {{1, 3, 8, 8}}, .outputs = {{1, 8, 4, 4}}},
      {.name = "features.1",
       .type = "Conv2d",
       .inputs = {{1, 9, 4, 4}},
       .outputs = {{1, 2, 4, 4}}}};
  const auto findings = found_by(check_shapes, layers(rows));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].evidence, "it takes 1×9×4×4, and features.0 before it gives 1×8×4×4");
  // Lists of modules with inputs from elsewhere, and what an operation between them changes.
  rows[1].inputs = {{1, 3, 8, 8}};
  EXPECT_TRUE(found_by(check_shapes, layers(rows)).empty());
  rows[1].inputs = {{1, 9, 4, 4}};
  rows[1].name = "features.2";
  EXPECT_TRUE(found_by(check_shapes, layers(rows)).empty());
}

TEST(CheckShapes, TensorsBetweenParts) {
  const ClaimShape a{1, 256, 4, 4}, b{1, 512, 2, 2}, c{1, 256, 2, 2}, d{1, 512, 1, 1};
  const auto group = [](const char* name, std::vector<ClaimShape> shapes) {
    return ClaimRow{.name = name, .outputs = std::move(shapes), .is_sum = true, .is_tensors = true};
  };
  const auto findings = found_by(
      check_shapes, layers({group("body_out([x])", {a, b}), group("fpn_out([f])", {a, b, d}),
                            group("head_in", {a, c, d})}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].row, "fpn_out([f])");
  // 4 · (256·16 + 512·4 + 512) = 26,624 and 4 · (256·16 + 256·4 + 512) = 22,528
  EXPECT_EQ(findings[0].evidence,
            "its 3 tensors have 26,624 bytes, and head_in takes 3 with 22,528: tensor 1 is "
            "1×512×2×2 and 1×256×2×2");
  EXPECT_EQ(findings[0].meaning,
            "fpn_out([f]) lists other tensors than it gives: its first 2 are those of "
            "body_out([x])");
}

}  // namespace
}  // namespace strata::lint
