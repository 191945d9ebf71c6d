#include "ops/common.h"

#include <gtest/gtest.h>

#include "ops/scalar_math.h"

namespace strata {
namespace {

using Positions = std::vector<std::size_t>;

TEST(BroadcastPositions, RepeatWhereTheSourceHasOne) {
  EXPECT_EQ(broadcast_positions({}, {3}), (Positions{0, 0, 0}));
  EXPECT_EQ(broadcast_positions({2, 1}, {2, 3}), (Positions{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(broadcast_positions({3}, {2, 3}), (Positions{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(broadcast_positions({2, 3}, {2, 3}), (Positions{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(broadcast_positions({1}, {0}), Positions{});
}

TEST(BroadcastPositions, NoneIfTheShapesClashOrAreTooLarge) {
  EXPECT_EQ(broadcast_positions({2}, {3}), std::nullopt);
  EXPECT_EQ(broadcast_positions({1, 1}, {3}), std::nullopt);
  EXPECT_EQ(broadcast_positions({1}, {std::int64_t{1} << 60}), std::nullopt);
  EXPECT_EQ(broadcast_positions({0, 1, 1}, {0, std::int64_t{1} << 62, 4096}), std::nullopt);
}

TEST(Combine, ElementsInPairs) {
  const Value a{DType::I64, {2, 1}, {Scalar(std::int64_t{1}), Scalar(Expr::symbol("N"))}};
  const Value b = vector_value(DType::I64, std::vector<Expr>{10, 20});
  const auto sum = combine(a, b, DType::I64, scalar::add);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->dims, (InlineVector<std::int64_t, 4>{2, 2}));
  std::vector<std::string> texts;
  for (const Scalar& item : sum->items) texts.push_back(item.whole().text());
  EXPECT_EQ(texts, (std::vector<std::string>{"11", "21", "N + 10", "N + 20"}));
}

TEST(Combine, NothingIfTheShapesClash) {
  const Value a = vector_value(DType::I64, std::vector<Expr>{1, 2});
  const Value b = vector_value(DType::I64, std::vector<Expr>{1, 2, 3});
  EXPECT_FALSE(combine(a, b, DType::I64, scalar::add));
}

}  // namespace
}  // namespace strata
