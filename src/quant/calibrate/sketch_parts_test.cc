#include "calibrate/sketch_parts.h"

#include <gtest/gtest.h>

#include <thread>

#include "calibrate/test_samples.h"

namespace strata {
namespace {

Sketch sum_of(std::vector<Sketch> sketches) {
  for (std::size_t i = 1; i < sketches.size(); ++i) EXPECT_TRUE(sketches[0].merge(sketches[i]));
  return sketches[0];
}

void at_once(std::size_t count, const std::function<void(std::size_t)>& each) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&each, i] { each(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(SketchParts, SumToTheSketchOfAll) {
  const std::vector<float> samples = draw(distributions()[1], 700001);
  for (const std::size_t members : {1U, 2U, 3U, 8U}) {
    std::vector<Sketch> sketches(members);
    Sketch alone;
    for (const std::size_t count : {0U, 1U, 32767U, 65535U, 65536U, 65537U, 700001U, 3U}) {
      const auto some = std::as_bytes(std::span(samples).first(count));
      ASSERT_TRUE(add_in_parts(sketches, DType::F32, some, 1, at_once));
      ASSERT_TRUE(alone.add(DType::F32, some));
    }
    for (const Sketch& one : sketches) EXPECT_GT(one.count(), 700001 / members / 2);
    EXPECT_EQ(sum_of(sketches), alone) << members;
  }
}

TEST(SketchParts, ChannelsAndOtherTypes) {
  const std::vector<float> samples = draw(distributions()[0], 120000);
  std::vector<Sketch> sketches(2, Sketch({.channels = 3}));
  ASSERT_TRUE(add_in_parts(sketches, DType::F32, std::as_bytes(std::span(samples)), 100, at_once));
  Sketch alone({.channels = 3});
  ASSERT_TRUE(alone.add(samples, 100));
  EXPECT_EQ(sketches[0], alone);

  std::vector<Sketch> whole(2);
  EXPECT_FALSE(add_in_parts(whole, DType::I32, std::as_bytes(std::span(samples)), 1, at_once));
}

}  // namespace
}  // namespace strata
