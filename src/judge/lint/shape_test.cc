#include "lint/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::lint {
namespace {

using ::testing::ElementsAre;

TEST(LintShape, IsReadInEverySpelling) {
  for (const char* text : {"(1, 3, 8, 9)", "1 3  8   9", "1x3x8x9", "1×3×8×9",
                           "torch.Size([1, 3, 8, 9])", "[1,3,8,9]"}) {
    const auto shape = parse_shape(text);
    ASSERT_TRUE(shape) << text;
    EXPECT_THAT(*shape, ElementsAre(1, 3, 8, 9)) << text;
  }
  EXPECT_EQ(shape_text({1, 3, 8, 9}), "1×3×8×9");
  EXPECT_EQ(elements_of({2, 3, 4}), 24);
  EXPECT_EQ(elements_of({4611686018427387904, 4611686018427387904}), 0x1p124);
}

TEST(LintShape, SeveralStandBehindCommas) {
  EXPECT_THAT(parse_shapes("1×2, 3×4"), ElementsAre(ClaimShape{1, 2}, ClaimShape{3, 4}));
  EXPECT_THAT(parse_shapes("(1, 2)"), ElementsAre(ClaimShape{1, 2}));
  EXPECT_TRUE(parse_shapes("N×2").empty());
}

TEST(LintShape, RefusesOtherTexts) {
  for (const char* text : {"", "()", "N×3", "-1 2", "1.5", "1;2", "conv1",
                           "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "99999999999999999999"})
    EXPECT_FALSE(parse_shape(text)) << text;
}

}  // namespace
}  // namespace strata::lint
