#include "task/job_message.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

template <class T>
T sent(const T& value) {
  MessageWriter out;
  out.put(value);
  MessageReader in(out.bytes());
  T taken = in.taken<T>();
  EXPECT_TRUE(in.good());
  EXPECT_EQ(in.rest(), "");
  return taken;
}

TEST(JobMessage, SizesAndFormulas) {
  for (const Expr& expr : {Expr(0), Expr(-7), Expr(std::int64_t{1} << 50), Expr::symbol("N"),
                           Expr::symbol("batch size") * 3 + 1, Expr::unknown()})
    EXPECT_EQ(sent(expr).text(), expr.text());
  const Dims dims = {Expr(1), Expr::symbol("N") * Expr::symbol("N"), Expr(5)};
  EXPECT_EQ(text(sent(dims)), text(dims));
}

TEST(JobMessage, Elements) {
  EXPECT_EQ(sent(Scalar(12)).whole().value(), 12);
  EXPECT_EQ(sent(Scalar::real(0.5)).number(), 0.5);
  EXPECT_TRUE(sent(Scalar::real(0.5)).is_real());
  EXPECT_EQ(sent(Scalar(Expr::symbol("S"))).whole().text(), "S");
  EXPECT_EQ(sent(Scalar(std::numeric_limits<std::int64_t>::max())).number(), 0x1p63);
}

TEST(JobMessage, Types) {
  TypeInfo list;
  list.kind = ValueKind::Sequence;
  list.items = std::make_shared<const std::vector<TypeInfo>>(std::vector<TypeInfo>{
      TypeInfo::tensor(DType::F16, {Expr(2)}), TypeInfo::unranked(DType::I64)});
  const TypeInfo again = sent(list);
  EXPECT_EQ(again.kind, ValueKind::Sequence);
  ASSERT_NE(again.items, nullptr);
  ASSERT_EQ(again.items->size(), 2u);
  EXPECT_EQ(again.items->at(0).dtype, DType::F16);
  EXPECT_EQ(text(again.items->at(0).dims), "2");
  EXPECT_FALSE(again.items->at(1).ranked);
}

TEST(JobMessage, Sketches) {
  EXPECT_EQ(sent(Sketch()), Sketch());
  Sketch sketch({.channels = 2});
  std::vector<float> values;
  values.reserve(1000);
  for (int i = 0; i < 1000; ++i) values.push_back(std::sin(static_cast<float>(i)) * 1e3f);
  values.insert(values.end(), {0, -0.f, 1e-40f, 3e38f, NAN, INFINITY});
  ASSERT_TRUE(sketch.add(values));
  EXPECT_EQ(sent(sketch), sketch);
  // Refuses lengths that no data can produce.
  MessageWriter out;
  out.put(sketch);
  std::string bytes = out.bytes();
  bytes[0] = static_cast<char>(bytes[0] + 1);
  bytes.resize(bytes.size() - 1);
  MessageReader in(bytes);
  in.taken<Sketch>();
  EXPECT_FALSE(in.good());
}

}  // namespace
}  // namespace strata
