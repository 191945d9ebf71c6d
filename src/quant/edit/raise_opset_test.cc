#include "edit/raise_opset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/text.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

using ::testing::HasSubstr;

// The shape of y before and after, or what was wrong.
std::string raised(std::string_view text, int opset) {
  auto model = model_from_text(text, opset);
  if (!model) return model.error().message;
  const auto shape = [](Model& of) -> std::string {
    auto inference = infer(of);
    if (!inference) return inference.error().message;
    return strata::text(of.graph().tensors[of.graph().outputs[0]].type->dims);
  };
  std::string before = shape(*model);
  GraphEdit edit(*model);
  if (auto status = raise_opset(edit, 13); !status) return status.error().message;
  Model after = std::move(edit).finish();
  EXPECT_EQ(after.opsets[0].version, std::max(opset, 13));
  for (const Node& node : after.graph().nodes) EXPECT_EQ(node.opset, std::max(opset, 13));
  EXPECT_EQ(shape(after), before);
  return before;
}

TEST(RaiseOpset, AttributesBecomeInputs) {
  EXPECT_EQ(raised("input x f32[2,1,3]\ny = Squeeze(x) axes=1,\noutput y", 11), "2×3");
  EXPECT_EQ(raised("input x f32[2,3]\ny = Unsqueeze(x) axes=0,\noutput y", 11), "1×2×3");
  EXPECT_EQ(raised("input x f32[2,3]\ny = ReduceSum(x) axes=1, keepdims=0\noutput y", 9), "2");
  EXPECT_EQ(raised("input x f32[2,5]\ny, z = Split(x) axis=1 split=2,3\noutput y", 11), "2×2");
  EXPECT_EQ(raised("input x f32[2,5]\ny = Slice(x) axes=1, starts=1, ends=3,\noutput y", 9), "2×2");
  EXPECT_EQ(raised("input x f32[2,5]\ny = Pad(x) pads=0,1,0,1 value=1.0f\noutput y", 7), "2×7");
  EXPECT_EQ(raised("input x f32[2,5]\ny = Clip(x) min=0.0f max=6.0f\noutput y", 7), "2×5");
  EXPECT_EQ(raised("input x f32[2,5]\ny, z = TopK(x) k=3\noutput y", 9), "2×3");
}

TEST(RaiseOpset, OperatorsUnderOtherNames) {
  EXPECT_EQ(raised("input x f32[1,1,2,2]\nweight s f32[4]={1,1,2,2}\n"
                   "y = Upsample(x, s) mode=\"nearest\"\noutput y",
                   9),
            "1×1×4×4");
  EXPECT_EQ(
      raised("input x f32[1,1,2,2]\nweight s f32[4]={1,1,3,3}\ny = Resize(x, s)\noutput y", 10),
      "1×1×6×6");
}

TEST(RaiseOpset, NothingToDo) {
  EXPECT_EQ(raised("input x f32[2,5]\ny = Relu(x)\noutput y", 17), "2×5");
  EXPECT_EQ(raised("input x f32[2,5]\ny = Relu(x)\noutput y", 9), "2×5");
}

TEST(RaiseOpset, ASoftmaxOverTheLastAxisIsTheSame) {
  EXPECT_EQ(raised("input x f32[2,5]\ny = Softmax(x)\noutput y", 11), "2×5");
  EXPECT_EQ(raised("input x f32[2,3,5]\ny = Softmax(x) axis=2\noutput y", 11), "2×3×5");
  EXPECT_THAT(raised("input x f32[2,3,5]\ny = Softmax(x) axis=1 name=\"s\"\noutput y", 11),
              HasSubstr("Softmax \"s\" of operator set 11 is over several axes together"));
}

TEST(RaiseOpset, TooOld) {
  EXPECT_THAT(raised("input x f32[2,5]\ny = Relu(x)\noutput y", 6), HasSubstr("operator set 6"));
}

}  // namespace
}  // namespace strata
