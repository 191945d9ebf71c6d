#include "task/found_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The RPN passes on the 1,000 best anchors of each of four levels, and all 13·13·3 = 507 of the
// fifth; boxes of no size are dropped, and 1,000 proposals are kept, which one level may have all.
TEST(FoundSizes, TheLargestThatDataAllows) {
  const ModelRequest request{.source = "zoo:fasterrcnn_resnet50_fpn"};
  auto loaded = load_model(request);
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_FALSE(loaded->inference.symbols.empty());
  const Status status = assume_largest_sizes(*loaded, request);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_TRUE(loaded->inference.symbols.empty());
  EXPECT_THAT(loaded->model.notes,
              testing::Contains(AllOf(HasSubstr("nonzero = 4507"), HasSubstr("nonzero_2 = 1000"),
                                      HasSubstr("nonzero_5 = 1000"))));
}

TEST(FoundSizes, AnInputWithoutASizeStaysOpen) {
  const ModelRequest request{.source = "zoo:mobilenet_v2?batch=N"};
  auto loaded = load_model(request);
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_TRUE(assume_largest_sizes(*loaded, request));
  ASSERT_EQ(loaded->inference.symbols.size(), 1u);
  EXPECT_EQ(loaded->inference.symbols[0].name, "N");
  EXPECT_THAT(loaded->model.notes, testing::Not(testing::Contains(HasSubstr("assumed"))));
}

}  // namespace
}  // namespace strata
