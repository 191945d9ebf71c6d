#include "cli/progress_line.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(ProgressLine, HasNameShareBarCountAndTimeLeft) {
  EXPECT_EQ(progress_line({"calibrating", 0.5, 50, 100, 12.4}, 80),
            "calibrating  50 % ████████████░░░░░░░░░░░░ 50/100  12 s left");
  EXPECT_EQ(progress_line({"opening", 0}, 80), "opening   0 % ░░░░░░░░░░░░░░░░░░░░░░░░");
  EXPECT_EQ(progress_line({"measuring", 1, 0, 0, 200}, 80),
            "measuring 100 % ████████████████████████  3 min 20 s left");
  EXPECT_EQ(progress_line({"m", 0.25, 1, 4, 3900}, 80),
            "m  25 % ██████░░░░░░░░░░░░░░░░░░ 1/4  1 h 5 min left");
}

// One column stays free, so 42 are needed for 41; wide characters take two.
TEST(ProgressLine, WhatDoesNotFitIsLeftOut) {
  EXPECT_EQ(progress_line({"calibrating", 0.5, 50, 100, 12}, 43),
            "calibrating  50 % ████████████░░░░░░░░░░░░");
  EXPECT_EQ(progress_line({"calibrating", 0.5, 50, 100, 12}, 42),
            "calibrating  50 % 50/100  12 s left");
  EXPECT_EQ(progress_line({"a very long name of a stage", 0.5}, 20), "a very long …  50 %");
  EXPECT_EQ(progress_line({"特徴特徴特徴特徴特徴", 0.5}, 20), "特徴特徴特徴…  50 %");
}

TEST(ProgressMeter, GuessesWhatIsLeftOfAStage) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  ProgressMeter meter;
  const ProgressMeter::Time start{seconds(100)};
  EXPECT_TRUE(meter.advance("calibrating", 0.2, start));  // what was done before is not a measure
  EXPECT_EQ(meter.line(30), "calibrating  20 %");
  EXPECT_FALSE(meter.advance("calibrating", 0.2, start + milliseconds(50)));
  meter.count(3, 5);
  EXPECT_TRUE(meter.advance("calibrating", 0.6, start + seconds(4)));
  EXPECT_EQ(meter.line(40), "calibrating  60 % 3/5  4 s left");
  EXPECT_TRUE(meter.advance("measuring", 0, start + seconds(8)));
  EXPECT_EQ(meter.line(30), "measuring   0 %");
  EXPECT_TRUE(meter.advance("measuring", 0.5, start + seconds(9)));
  EXPECT_EQ(meter.line(30), "measuring  50 %  1 s left");
}

}  // namespace
}  // namespace strata
