#include "profile/shape_text.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(ShapeText, SizesAreNumbersOrFormulas) {
  const auto shape = shape_from_text("N×3×⌊(H + 1)/2⌋", {});
  ASSERT_TRUE(shape && *shape);
  ASSERT_EQ((*shape)->size(), 3u);
  EXPECT_EQ((**shape)[0], Expr::symbol("N"));
  EXPECT_TRUE((**shape)[1].is(3));
  EXPECT_EQ((**shape)[2].text(), "⌊(H + 1)/2⌋");
}

TEST(ShapeText, ScalarsHaveNoSizesAndUnrankedOnesAreUnknown) {
  EXPECT_TRUE((*shape_from_text("scalar", {}))->empty());
  EXPECT_FALSE(shape_from_text("?", {})->has_value());
  EXPECT_TRUE((**shape_from_text("1×?", {}))[1].is_unknown());
}

TEST(ShapeText, ACommaInAFormulaSeparatesNothing) {
  const auto shapes = shapes_from_text("min(boxes, 100)×4, 1×2", {});
  ASSERT_TRUE(shapes);
  ASSERT_EQ(shapes->size(), 2u);
  EXPECT_EQ(text(*std::get<Shape>((*shapes)[0].value)), "min(boxes, 100)×4");
  EXPECT_TRUE(shapes_from_text("", {})->empty());
}

TEST(ShapeText, OtherTextsAreNoShapes) {
  for (const char* text : {"(1, 3)", "1×", "×1", "1 x 3", "1×2,3"})
    EXPECT_FALSE(shapes_from_text(text, {})) << text;
}

}  // namespace
}  // namespace strata
