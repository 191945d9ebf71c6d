#include "quant/sketch_team.h"

#include <gtest/gtest.h>

#include "quant/test_samples.h"

namespace strata {
namespace {

Sketch sum_of(std::vector<Sketch> sketches) {
  for (std::size_t i = 1; i < sketches.size(); ++i) EXPECT_TRUE(sketches[0].merge(sketches[i]));
  return sketches[0];
}

TEST(SketchTeam, SumsToTheSketchOfOneThread) {
  const std::vector<float> samples = draw(distributions()[1], 700001);
  for (const int members : {1, 2, 3, 8}) {
    SketchTeam team(members);
    ASSERT_EQ(team.size(), static_cast<std::size_t>(members));
    std::vector<Sketch> sketches(team.size());
    Sketch alone;
    for (const std::size_t count : {0U, 1U, 65535U, 65536U, 65537U, 700001U, 3U}) {
      const auto some = std::as_bytes(std::span(samples).first(count));
      ASSERT_TRUE(team.add(sketches, DType::F32, some, 1));
      ASSERT_TRUE(alone.add(DType::F32, some));
    }
    EXPECT_EQ(sum_of(sketches), alone) << members;
  }
}

// Offers follow each other faster than members wake up.
TEST(SketchTeam, ManyTensorsInARow) {
  const std::vector<float> samples = draw(distributions()[4], 66000);
  SketchTeam team(3);
  std::vector<std::vector<Sketch>> sketches(7, std::vector<Sketch>(team.size()));
  Sketch alone;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(team.add(sketches[i % 7], DType::F32, std::as_bytes(std::span(samples)), 1));
    if (i % 7 == 0) {
      ASSERT_TRUE(alone.add(samples));
    }
  }
  EXPECT_EQ(sum_of(sketches[0]), alone);
}

TEST(SketchTeam, ChannelsAndOtherTypes) {
  const std::vector<float> samples = draw(distributions()[0], 120000);
  SketchTeam team(2);
  std::vector<Sketch> sketches(2, Sketch({.channels = 3}));
  ASSERT_TRUE(team.add(sketches, DType::F32, std::as_bytes(std::span(samples)), 100));
  Sketch alone({.channels = 3});
  ASSERT_TRUE(alone.add(samples, 100));
  EXPECT_EQ(sum_of(sketches), alone);

  std::vector<Sketch> whole(2);
  EXPECT_FALSE(team.add(whole, DType::I32, std::as_bytes(std::span(samples)), 1));
}

}  // namespace
}  // namespace strata
