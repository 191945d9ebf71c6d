#include "ops/suppression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::ElementsAre;
using Row = std::array<std::int64_t, 3>;

// Two close boxes and two far away: three groups along the second axis.
const std::vector<double> kCorners = {0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 10, 1, 11, 0, 20, 1, 21};
const std::vector<double> kScores = {0.9, 0.75, 0.6, 0.95};

Suppression four_boxes() {
  return {.batches = 1,
          .classes = 1,
          .boxes = 4,
          .corners = kCorners,
          .scores = kScores,
          .most = 10,
          .overlap = 0.5};
}

TEST(Suppression, DropsBoxesThatOverlapABetterOne) {
  EXPECT_THAT(suppress(four_boxes()), ElementsAre(Row{0, 0, 3}, Row{0, 0, 0}, Row{0, 0, 2}));
}

TEST(Suppression, KeepsAtMostSoMany) {
  Suppression input = four_boxes();
  input.most = 2;
  EXPECT_THAT(suppress(input), ElementsAre(Row{0, 0, 3}, Row{0, 0, 0}));
}

TEST(Suppression, DropsLowScores) {
  Suppression input = four_boxes();
  input.has_least_score = true;
  input.least_score = 0.7;
  EXPECT_THAT(suppress(input), ElementsAre(Row{0, 0, 3}, Row{0, 0, 0}));
}

TEST(Suppression, CornersMayBeGivenInAnyOrder) {
  const std::vector<double> flipped = {1, 1, 0, 0, 0, 0.1, 1, 1.1};
  Suppression input = four_boxes();
  input.boxes = 2;
  input.corners = flipped;
  EXPECT_THAT(suppress(input), ElementsAre(Row{0, 0, 0}));
}

TEST(Suppression, BoxesMayBeGivenByTheirCenters) {
  const std::vector<double> centered = {0.5, 0.5, 1, 1, 0.5, 0.6, 1, 1};
  Suppression input = four_boxes();
  input.boxes = 2;
  input.corners = centered;
  input.centered = true;
  EXPECT_THAT(suppress(input), ElementsAre(Row{0, 0, 0}));
}

TEST(Suppression, ClassesDoNotSuppressEachOther) {
  Suppression input = four_boxes();
  input.classes = 2;
  input.boxes = 2;
  EXPECT_THAT(suppress(input), ElementsAre(Row{0, 0, 0}, Row{0, 1, 1}));
}

TEST(Suppression, ManyClassesOfNoBoxesTakeNoTime) {
  Suppression input;
  input.batches = std::size_t{1} << 60;
  input.classes = std::size_t{1} << 60;
  input.most = 1;
  EXPECT_TRUE(suppress(input).empty());
}

}  // namespace
}  // namespace strata
