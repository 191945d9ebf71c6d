#include "strata/graph/dtype.h"

#include <string>

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(DType, EveryNameLeadsBackToItsType) {
  for (int i = 1; i < kDTypeCount; ++i) {
    const auto type = dtype_from_onnx(i);
    ASSERT_TRUE(type.has_value());
    EXPECT_EQ(static_cast<int>(*type), i);
    EXPECT_EQ(dtype_from_name(name_of(*type)), type) << name_of(*type);
  }
  EXPECT_EQ(dtype_from_name("float"), std::nullopt);
  EXPECT_EQ(dtype_from_name(""), std::nullopt);
  EXPECT_EQ(dtype_from_name("?"), std::nullopt);
}

TEST(DType, NumbersThatOnnxDoesNotHave) {
  EXPECT_EQ(dtype_from_onnx(0), DType::Undefined);
  EXPECT_EQ(dtype_from_onnx(-1), std::nullopt);
  EXPECT_EQ(dtype_from_onnx(kDTypeCount), std::nullopt);
  EXPECT_EQ(dtype_from_onnx(256 + 1), std::nullopt);
  EXPECT_EQ(name_of(DType{200}), "?");
  EXPECT_EQ(bits(DType{200}), 0);
}

TEST(DType, BitsAgreeWithTheName) {
  EXPECT_EQ(bits(DType::Undefined), 0);
  EXPECT_EQ(bits(DType::String), 0);
  EXPECT_EQ(bits(DType::Bool), 8);
  for (int i = 1; i < kDTypeCount; ++i) {
    const DType type = *dtype_from_onnx(i);
    const std::string text(name_of(type));
    const std::size_t digits = text.find_first_of("0123456789");
    if (digits == std::string::npos) continue;
    EXPECT_EQ(bits(type), std::stoi(text.substr(digits))) << text;
  }
}

TEST(DType, KindsAgreeWithTheName) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const DType type = *dtype_from_onnx(i);
    const std::string_view text = name_of(type);
    EXPECT_EQ(is_float(type), text[0] == 'f' || text == "bf16") << text;
    EXPECT_EQ(is_integer(type), text[0] == 'i' || text[0] == 'u') << text;
  }
}

TEST(DType, NumbersAreOnnxs) {
  EXPECT_EQ(name_of(*dtype_from_onnx(1)), "f32");
  EXPECT_EQ(name_of(*dtype_from_onnx(7)), "i64");
  EXPECT_EQ(name_of(*dtype_from_onnx(9)), "bool");
  EXPECT_EQ(name_of(*dtype_from_onnx(10)), "f16");
  EXPECT_EQ(name_of(*dtype_from_onnx(16)), "bf16");
  EXPECT_EQ(name_of(*dtype_from_onnx(17)), "f8e4m3fn");
  EXPECT_EQ(name_of(*dtype_from_onnx(22)), "i4");
  EXPECT_EQ(name_of(*dtype_from_onnx(23)), "f4e2m1");
}

}  // namespace
}  // namespace strata
