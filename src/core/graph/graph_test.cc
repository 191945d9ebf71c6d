#include "strata/graph/graph.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace strata {
namespace {

// The elements of a tensor with one axis, from bytes.
std::vector<double> decoded(DType type, std::string_view bytes, std::int64_t count) {
  TensorData data;
  data.dtype = type;
  data.store = TensorData::Store::Raw;
  data.dims = std::span(&count, 1);
  data.bytes = bytes;
  auto value = decode(data);
  std::vector<double> numbers;
  if (value)
    for (const Scalar& item : value->items) numbers.push_back(item.number().value_or(-999));
  return numbers;
}

using Numbers = std::vector<double>;

TEST(Model, StartsAsANetworkWithOneScope) {
  Model model;
  EXPECT_EQ(model.graphs.size(), 1u);
  EXPECT_EQ(model.scopes.size(), 1u);
  EXPECT_EQ(model.scopes[0].path, "");
  EXPECT_EQ(model.scopes[0].parent, kNone);
}

TEST(Model, WhatItKeepsSurvivesAMove) {
  Model model;
  std::string word = "temporary";
  const std::string_view kept = model.keep(word);
  const std::int64_t numbers[] = {1, 2, 3};
  const auto span = model.keep(std::span<const std::int64_t>(numbers));
  const Value* value = model.keep(Value{DType::I64, {1}, {Scalar(5)}, {}});
  const TypeInfo* type = model.keep(TypeInfo::tensor(DType::F32, {2, 3}));
  const Graph* graph = &model.graph();
  word = "overwritten";
  Model moved = std::move(model);
  EXPECT_EQ(kept, "temporary");
  EXPECT_EQ(span[2], 3);
  EXPECT_TRUE(value->items[0].whole().is(5));
  EXPECT_EQ(type->dims.size(), 2u);
  EXPECT_EQ(graph, &moved.graph());
}

TEST(Model, KeepsNothingForNothing) {
  Model model;
  EXPECT_TRUE(model.keep(std::string_view()).empty());
  EXPECT_TRUE(model.keep(std::span<const float>()).empty());
}

TEST(TensorData, ElementsIsTheProductAndSaysWhenItOverflows) {
  const std::int64_t shape[] = {2, 3, 4};
  const std::int64_t huge[] = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  TensorData data;
  EXPECT_TRUE(data.elements().is(1));
  data.dims = shape;
  EXPECT_TRUE(data.elements().is(24));
  data.dims = huge;
  EXPECT_TRUE(data.elements().is_overflow());
}

TEST(Decode, WholeNumbers) {
  EXPECT_EQ(decoded(DType::U8, "\xff\x01", 2), (Numbers{255, 1}));
  EXPECT_EQ(decoded(DType::I8, "\xff\x01", 2), (Numbers{-1, 1}));
  EXPECT_EQ(decoded(DType::U16, "\xff\xff", 1), Numbers{65535});
  EXPECT_EQ(decoded(DType::I16, "\xfe\xff", 1), Numbers{-2});
  EXPECT_EQ(decoded(DType::I32, "\xfd\xff\xff\xff", 1), Numbers{-3});
  EXPECT_EQ(decoded(DType::U32, "\xff\xff\xff\xff", 1), Numbers{4294967295.0});
  EXPECT_EQ(decoded(DType::I64, std::string_view("\x05\0\0\0\0\0\0\0", 8), 1), Numbers{5});
  EXPECT_EQ(decoded(DType::U64, "\xff\xff\xff\xff\xff\xff\xff\xff", 1),
            Numbers{18446744073709551615.0});
  EXPECT_EQ(decoded(DType::Bool, std::string_view("\x02\0", 2), 2), (Numbers{1, 0}));
}

TEST(Decode, PackedNumbersStartAtTheLowEnd) {
  EXPECT_EQ(decoded(DType::U4, "\x81\x0f", 3), (Numbers{1, 8, 15}));
  EXPECT_EQ(decoded(DType::I4, "\x81\x0f", 3), (Numbers{1, -8, -1}));
  EXPECT_EQ(decoded(DType::U2, "\xe4", 4), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(decoded(DType::I2, "\xe4", 4), (Numbers{0, 1, -2, -1}));
  // e2m1: 0.5, 1, 1.5, 6, and their negatives
  EXPECT_EQ(decoded(DType::F4E2M1, "\x21\x73\xa9\xfb", 8),
            (Numbers{0.5, 1, 1.5, 6, -0.5, -1, -1.5, -6}));
}

TEST(Decode, Floats) {
  EXPECT_EQ(decoded(DType::F32, std::string_view("\0\0\xc0\x3f", 4), 1), Numbers{1.5});
  EXPECT_EQ(decoded(DType::F64, std::string_view("\0\0\0\0\0\0\xf8\xbf", 8), 1), Numbers{-1.5});
  // 1, -2, the smallest subnormal, 65504, infinity
  EXPECT_EQ(decoded(DType::F16, std::string_view("\0\x3c\0\xc0\x01\0\xff\x7b\0\x7c", 10), 5),
            (Numbers{1, -2, std::ldexp(1, -24), 65504, INFINITY}));
  EXPECT_EQ(decoded(DType::BF16, std::string_view("\x80\x3f\x20\xc0", 4), 2), (Numbers{1, -2.5}));
}

TEST(Decode, EightBitFloats) {
  // The largest number of each format, from the table in ONNX's documentation.
  EXPECT_EQ(decoded(DType::F8E4M3FN, "\x7e\x38", 2), (Numbers{448, 1}));
  EXPECT_EQ(decoded(DType::F8E4M3FNUZ, "\x7f\x40", 2), (Numbers{240, 1}));
  EXPECT_EQ(decoded(DType::F8E5M2, "\x7b\x3c\x7c", 3), (Numbers{57344, 1, INFINITY}));
  EXPECT_EQ(decoded(DType::F8E5M2FNUZ, "\x7f\x40", 2), (Numbers{57344, 1}));
  EXPECT_EQ(decoded(DType::F8E8M0, "\x7f\x80", 2), (Numbers{1, 2}));
  EXPECT_TRUE(std::isnan(decoded(DType::F8E4M3FN, "\x7f", 1)[0]));
  EXPECT_TRUE(std::isnan(decoded(DType::F8E4M3FNUZ, "\x80", 1)[0]));
  EXPECT_TRUE(std::isnan(decoded(DType::F8E5M2FNUZ, "\x80", 1)[0]));
  EXPECT_TRUE(std::isnan(decoded(DType::F8E8M0, "\xff", 1)[0]));
}

TEST(Decode, GivesNothingWhenElementsAreNotAtHand) {
  EXPECT_TRUE(decoded(DType::String, "abcd", 1).empty());
  EXPECT_TRUE(decoded(DType::C64, "abcdabcd", 1).empty());
  EXPECT_TRUE(decoded(DType::F32, "abc", 1).empty());  // too short
  const std::string large(static_cast<std::size_t>(kMaxValueElements) + 1, 'x');
  EXPECT_TRUE(decoded(DType::U8, large, kMaxValueElements + 1).empty());
  EXPECT_EQ(decoded(DType::U8, large, kMaxValueElements).size(),
            static_cast<std::size_t>(kMaxValueElements));
  TensorData external;
  external.store = TensorData::Store::External;
  external.dtype = DType::F32;
  EXPECT_FALSE(decode(external));
}

}  // namespace
}  // namespace strata
