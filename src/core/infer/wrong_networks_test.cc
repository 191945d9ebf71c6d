// Networks that contradict themselves: one sentence says where and how.
#include <gtest/gtest.h>

#include "ops/example.h"
#include "ops/registry.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

struct Wrong {
  std::string_view op;
  std::string_view inputs;
  std::string_view attributes;
  std::string_view says;
  int opset = kNewestOpset;
};

void expect_error(const Wrong& wrong) {
  SCOPED_TRACE(std::string(wrong.op) + "(" + std::string(wrong.inputs) + " | " +
               std::string(wrong.attributes) + ")");
  const OpRule* rule = find_rule("", wrong.op, wrong.opset);
  ASSERT_NE(rule, nullptr);
  const Example example{wrong.inputs, wrong.attributes, "f32[?]", {}, wrong.opset};
  auto model = example_model(*rule, example);
  ASSERT_TRUE(model) << model.error().message;
  const auto inferred = infer(*model);
  ASSERT_FALSE(inferred);
  EXPECT_EQ(inferred.error().message,
            std::string(wrong.op) + " \"example\": " + std::string(wrong.says));
  EXPECT_EQ(inferred.error().kind, ErrorKind::Model);
}

TEST(WrongNetworks, Convolutions) {
  constexpr Wrong kWrong[] = {
      {"Conv", "f32[1,3,8,8], f32[8,3,3]", "",
       "data 1×3×8×8 and weights 8×3×3 must have the same number of axes, at least 2"},
      {"Conv", "f32[1,3,8,8], f32[8,4,3,3]", "",
       "data has 3 channels where the weights are for 4 in 1 group"},
      {"Conv", "f32[1,3,8,8], f32[8,3,3,3]", "group=0",
       "attribute group is 0 and must be at least 1"},
      {"Conv", "f32[1,3,8,8], f32[8,3,3,3]", "strides=0,1",
       "attribute strides has an item 0 below 1"},
      {"Conv", "f32[1,3,8,8], f32[8,3,3,3]", "dilations=1,1,1",
       "attribute dilations has 3 items where 2 are needed"},
      {"Conv", "f32[1,3,8,8], f32[8,3,3,3]", "kernel_shape=5,3",
       "attribute kernel_shape says 5 where the weights have 3"},
      {"Conv", "f32[1,3,8,8], f32[8,3,3,3]", "auto_pad=\"same\"",
       "auto_pad \"same\" is none of NOTSET, VALID, SAME_UPPER, SAME_LOWER"},
      {"Conv", "f32[1,3,2,2], f32[8,3,3,3]", "",
       "a window that spans 3 does not fit into 2 with padding 0"},
      {"Conv", "f32[1,3,8,8], f32[8,3,3,3], f32[7]", "", "bias 7 does not fit 8 output channels"},
      {"ConvTranspose", "f32[1,3,8], f32[4,8,3]", "",
       "data has 3 channels where the weights are for 4"},
      {"ConvTranspose", "f32[1,3,1], f32[3,8,1]", "pads=1,1",
       "output size -1 along spatial axis 0 is negative"},
      {"Col2Im", "f32[1,7,5], i64[2]={5,5}, i64[2]={1,5}", "",
       "7 rows of columns are not a multiple of a block of 5"},
  };
  for (const Wrong& wrong : kWrong) expect_error(wrong);
}

TEST(WrongNetworks, PoolsAndNorms) {
  constexpr Wrong kWrong[] = {
      {"MaxPool", "f32[8]", "kernel_shape=2,",
       "input 8 must have at least 2 axes, batch and channels"},
      {"MaxPool", "f32[1,1,8]", "", "attribute kernel_shape is missing"},
      {"BatchNormalization", "f32[1,3,8], f32[4], f32[3], f32[3], f32[3]", "",
       "input 1 has 4 elements where the data has 3 channels"},
      {"GroupNormalization", "f32[1,3,8], f32[3], f32[3]", "num_groups=2",
       "3 channels cannot be split into 2 groups"},
      {"LayerNormalization", "f32[1,8], f32[8]", "axis=3",
       "axis 3 does not exist in a tensor with 2 axes"},
  };
  for (const Wrong& wrong : kWrong) expect_error(wrong);
}

TEST(WrongNetworks, Products) {
  constexpr Wrong kWrong[] = {
      {"MatMul", "f32[2,3], f32[4,5]", "", "2×3 and 4×5 cannot be multiplied: 3 columns, 4 rows"},
      {"MatMul", "f32[], f32[4,5]", "", "a scalar has no matrix product"},
      {"Gemm", "f32[2,3], f32[4,5]", "", "A has 3 columns where B has 4 rows"},
      {"Gemm", "f32[2,3,4], f32[4,5]", "", "A 2×3×4 and B 4×5 must be matrices"},
      {"Einsum", "f32[2,3]", "equation=\"ij,jk->ik\"",
       "equation needs one term per input: \"ij,jk->ik\""},
      {"Einsum", "f32[2,3], f32[4,5]", "equation=\"ij,jk->ik\"",
       "equation gives one index two different sizes: \"ij,jk->ik\""},
      {"Einsum", "f32[2,3]", "equation=\"i->i\"",
       "equation has a term with another number of axes than its input: \"i->i\""},
      {"Einsum", "f32[2]", "equation=\"i->ii\"",
       "equation's output repeats an index or has one of its own: \"i->ii\""},
      {"Einsum", "f32[2]", "equation=\"1->\"",
       "equation has a character that is neither a letter nor ...: \"1->\""},
      {"Det", "f32[2,3]", "", "input 2×3 must be a square matrix or a batch of them"},
  };
  for (const Wrong& wrong : kWrong) expect_error(wrong);
}

TEST(WrongNetworks, Layouts) {
  constexpr Wrong kWrong[] = {
      {"Reshape", "f32[2,3], i64[2]={4,2}", "", "2×3 and 4×2 differ in their number of elements"},
      {"Reshape", "f32[2,3], i64[2]={4,-1}", "",
       "2×3 does not divide into its shape: 6 elements by 4"},
      {"Reshape", "f32[2,3], i64[2]={-1,-1}", "", "its shape has more than one -1"},
      {"Reshape", "f32[2,3], i64[2]={3,-2}", "", "its shape has the size -2"},
      {"Reshape", "f32[2,3], i64[3]={2,3,0}", "",
       "its shape keeps the size of axis 2, but its input has 2 axes"},
      {"Squeeze", "f32[2,3], i64[1]={0}", "",
       "axis 0 of 2×3 cannot be squeezed: its size is not 1"},
      {"Unsqueeze", "f32[2], i64[2]={0,-3}", "", "an axis is listed twice"},
      {"Transpose", "f32[2,3]", "perm=0,0", "perm must name each of the 2 axes of 2×3 once"},
      {"Tile", "f32[2,3], i64[1]={2}", "", "1 repeats are given for the 2 axes of 2×3"},
      {"Concat", "f32[2,3], f32[3,3]", "axis=1", "input 1 (3×3) does not fit 2×3 along axis 1"},
      {"Split", "f32[6], i64[1]={5}", "", "parts of 5 in all do not make up axis 0 of 6"},
      {"Slice", "f32[6], i64[1]={0}, i64[1]={6}, i64[1]={0}, i64[1]={0}", "",
       "a step of 0 never ends"},
      {"Pad", "f32[3], i64[2]={-2,-2}", "", "axis 0 of 3 is shorter than what is cropped from it"},
      {"Gather", "i64[2]={1,2}, i64[]={5}", "", "index 5 is outside of an axis with 2 elements"},
      {"GatherND", "f32[2], i64[1,2]", "", "indices 1×2 name 2 axes of data 2"},
      {"TopK", "f32[3], i64[1]={5}", "", "the 5 greatest of axis 0 of 3 do not exist"},
      {"SequenceErase", "seq(f32[2]), i64[]={4}", "", "position 4 is outside of a sequence of 1"},
      {"QuantizeLinear", "f32[2,3], f32[4]", "", "scales of shape 4 do not fit 2×3 along axis 1"},
      {"If", "bool[]", "", "it lacks a then_branch or an else_branch"},
  };
  for (const Wrong& wrong : kWrong) expect_error(wrong);
}

TEST(WrongNetworks, ImagesAndSignals) {
  constexpr Wrong kWrong[] = {
      {"Resize", "f32[1,1,4,4]", "", "neither scales nor sizes are given"},
      {"Resize", "f32[1,1,4,4], _, f32[2]={2,2}", "", "2 scales are given for 4 axes"},
      {"Resize", "f32[1,1,4,4], _, _, i64[1]={2}", "axes=2,2", "attribute axes has axis 2 twice"},
      {"DepthToSpace", "f32[1,6,4,4]", "blocksize=2", "size 6 is not a multiple of 4"},
      {"GridSample", "f32[1,1,4,4], f32[1,2,2,3]", "",
       "grid has 3 coordinates where the data has 2 spatial axes"},
      {"STFT", "f32[1,8,1], i64[]={4}, _, i64[]={16}", "",
       "a frame of 16 does not fit into a signal of 8"},
      {"HannWindow", "i64[]={-1}", "", "input 0 is -1 and must be a size"},
      {"NonMaxSuppression", "f32[1,6,4], f32[1,2,5]", "",
       "boxes 1×6×4 and scores 1×2×5 must be N×B×4 and N×C×B"},
  };
  for (const Wrong& wrong : kWrong) expect_error(wrong);
}

TEST(WrongNetworks, Sequences) {
  constexpr Wrong kWrong[] = {
      {"LSTM", "f32[2,3,4], f32[1,20,4], f32[1,15,5]", "hidden_size=5",
       "W 1×20×4 and R 1×15×5 do not have 20 rows, 4 for each of 5 hidden values"},
      {"LSTM", "f32[2,3,4], f32[1,20,4], f32[1,20,5]", "direction=\"bidirectional\"",
       "W is for 1 directions where the attribute direction asks for 2"},
      {"Attention", "f32[1,4,64], f32[1,4,64], f32[1,4,64]", "",
       "Q, K and V must have 4 axes, or 3 and attributes q_num_heads, kv_num_heads"},
      {"Attention", "f32[1,4,2,8], f32[1,3,2,8], f32[1,3,2,8]", "",
       "4 heads of Q cannot share 3 heads of K"},
      {"RotaryEmbedding", "f32[1,4,64], f32[4,32], f32[4,32]", "",
       "input 1×4×64 must have 4 axes, or 3 and attribute num_heads"},
  };
  for (const Wrong& wrong : kWrong) expect_error(wrong);
}

}  // namespace
}  // namespace strata
