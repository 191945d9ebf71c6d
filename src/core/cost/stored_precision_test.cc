#include "strata/cost/stored_precision.h"

#include <gtest/gtest.h>

#include "graph/text.h"

namespace strata {
namespace {

std::string_view precision(std::string_view lines) {
  const auto model = model_from_text(lines);
  EXPECT_TRUE(model) << model.error().message;
  return model ? stored_precision(*model) : "";
}

TEST(StoredPrecision, IsThatOfTheLargestTensor) {
  EXPECT_EQ(precision("input x f16[1,4]\nweight w f16[4,4]\nweight b f32[4]\n"
                      "m = MatMul(x, w)\ny = Add(m, b)\noutput y"),
            "fp16");
  EXPECT_EQ(precision("input x bf16[1,4]\nweight w bf16[4,4]\ny = MatMul(x, w)\noutput y"), "bf16");
  EXPECT_EQ(precision("input x f64[1,4]\nweight w f64[4,4]\ny = MatMul(x, w)\noutput y"), "fp64");
}

TEST(StoredPrecision, WithoutFloatsItIsTheUsualOne) {
  EXPECT_EQ(precision("input x f32[1,4]\ny = Relu(x)\noutput y"), "fp32");
  EXPECT_EQ(precision("input x i64[4]\nweight w i64[4]\ny = Add(x, w)\noutput y"), "fp32");
}

TEST(StoredPrecision, OfWholeNumbersIsInt8) {
  EXPECT_EQ(precision("input x f32[1,4]\nweight w i8[4,4]\nweight s f32[1]\n"
                      "d = DequantizeLinear(w, s)\ny = MatMul(x, d)\noutput y"),
            "int8");
  EXPECT_EQ(precision("input x u8[1,4]\nweight w i8[4,4]\ny = MatMulInteger(x, w)\noutput y"),
            "int8");
  // Whole numbers that are made and not used leave the model in float.
  EXPECT_EQ(precision("input x f32[1,4]\nweight s f32[1]\ny = QuantizeLinear(x, s)\noutput y"),
            "fp32");
}

}  // namespace
}  // namespace strata
