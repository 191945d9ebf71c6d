#include "cost/folded_norms.h"

#include <gtest/gtest.h>

#include "graph/text.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

std::string note(std::string_view weight, std::string_view convention) {
  auto model = model_from_text(
      "input x f32[1,3,8,8]\n"
      "weight " +
      std::string(weight) +
      " f32[4,3,3,3]\n"
      "weight b f32[4]\n"
      "y = Conv(x, " +
      std::string(weight) +
      ", b)\n"
      "output y");
  EXPECT_TRUE(model) << model.error().message;
  EXPECT_TRUE(infer(*model));
  return folded_norms_note(*find_convention(convention), count(*model));
}

TEST(FoldedNorms, AreToldByTheNameOfTheWeights) {
  EXPECT_EQ(
      note("onnx::Conv_538", "fvcore"),
      "the exporter computed the weights of 1 convolution, as it does to fold norms into them; "
      "fvcore counts norms and biases by themselves, so the tool's number may differ");
  EXPECT_NE(note("onnx::Conv_538", "ptflops-aten"), "") << "counts no norms, but the bias";
  EXPECT_EQ(note("features.0.weight", "fvcore"), "");
}

TEST(FoldedNorms, DoNotMatterToEveryConvention) {
  EXPECT_EQ(note("onnx::Conv_538", "strata"), "");
  EXPECT_EQ(note("onnx::Conv_538", "flopcounter"), "") << "counts neither norms nor biases";
}

}  // namespace
}  // namespace strata
