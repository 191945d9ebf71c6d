#include "base/display_width.h"

#include <gtest/gtest.h>

#include "strata/base/number_text.h"

namespace strata {
namespace {

// The widths are those of Python: the sum over characters of 2 if east_asian_width() is W or F, 0
// if combining() is not 0, else 1.
TEST(DisplayWidth, CountsColumnsOfATerminal) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("conv.0.0"), 8u);
  EXPECT_EQ(display_width("1.41× [1.39, 1.43]"), 18u);
  EXPECT_EQ(display_width("300.8 M·N …"), 11u);
  EXPECT_EQ(display_width("▇▇▅"), 3u);
  EXPECT_EQ(display_width("──────────"), 10u);
  EXPECT_EQ(display_width("特徴.0"), 6u);
  EXPECT_EQ(display_width("레이어"), 6u);
  EXPECT_EQ(display_width("ｆｕｌｌ"), 8u);
  EXPECT_EQ(display_width("e\u0301tage"), 5u);
  EXPECT_EQ(display_width("😀"), 2u);
}

TEST(DisplayWidth, TheEndOfANameThatIsTooLong) {
  EXPECT_EQ(end_of_width("features.0.conv", 15), "features.0.conv");
  EXPECT_EQ(end_of_width("features.0.conv", 8), "….0.conv");
  // Half of a wide character has no place.
  EXPECT_EQ(end_of_width("特徴抽出", 6), "…抽出");
  EXPECT_EQ(end_of_width("abc", 1), "…");
  EXPECT_EQ(end_of_width("abc", 0), "");
}

TEST(DisplayWidth, TheStartOfAStageThatIsTooLong) {
  EXPECT_EQ(start_of_width("calibrating", 11), "calibrating");
  EXPECT_EQ(start_of_width("calibrating", 6), "calib…");
  EXPECT_EQ(start_of_width("特徴抽出", 6), "特徴…");
  EXPECT_EQ(start_of_width("abc", 0), "");
}

}  // namespace
}  // namespace strata
