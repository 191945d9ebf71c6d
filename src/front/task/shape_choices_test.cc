#include <gtest/gtest.h>

#include "strata/task/bench.h"

namespace strata {
namespace {

TEST(ShapeChoices, ThreeAndAMix) {
  const auto shapes = parse_shape_choices("min=1x16,opt=ids:1x64+mask:1x64,max=sequence:128");
  ASSERT_TRUE(shapes) << shapes.error().message;
  ASSERT_EQ(shapes->size(), 4u);
  const auto sizes = [&](std::size_t shape, std::size_t i) {
    const auto& [name, dims] = (*shapes)[shape].sizes[i];
    return name + ":" + text(dims);
  };
  EXPECT_EQ(sizes(0, 0), ":1×16");
  EXPECT_EQ(sizes(1, 1), "mask:1×64");
  EXPECT_EQ(sizes(2, 0), "sequence:128");
  EXPECT_EQ((*shapes)[3].name, "mix");
  EXPECT_EQ(parse_shape_choices("opt=1x16")->size(), 1u);
  for (const char* text : {"", "1x16", "min=", "low=1x16", "min=1x2,min=1x3", "min=1x?"})
    EXPECT_FALSE(parse_shape_choices(text)) << text;
}

}  // namespace
}  // namespace strata
