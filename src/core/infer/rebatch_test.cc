#include "infer/rebatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/text.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// The shape of the first output with this batch, or what went wrong.
std::string output_with(std::string_view text, std::int64_t batch) {
  auto model = model_from_text(text);
  EXPECT_TRUE(model) << model.error().message;
  InferOptions options;
  options.batch = batch;
  const auto inferred = infer(*model, options);
  if (!inferred) return inferred.error().message;
  return strata::text(model->graph().tensors[model->graph().outputs[0]].type->dims);
}

// Heads of an attention, with every size stored.
TEST(Rebatch, ReshapesToTheOtherBatch) {
  constexpr std::string_view kText = R"(
    input x f32[2,10,12]
    weight heads i64[4]={2,10,3,4}
    weight joined i64[3]={2,10,12}
    a = Reshape(x, heads)
    b = Transpose(a) perm=0,2,1,3
    c = Transpose(b) perm=0,2,1,3
    y = Reshape(c, joined)
    output y)";
  EXPECT_EQ(output_with(kText, 2), "2×10×12");
  EXPECT_EQ(output_with(kText, 5), "5×10×12");
  EXPECT_EQ(output_with(kText, 1), "1×10×12");
}

// Windows: the batch is a factor of the first size, and of the second after a transposition.
TEST(Rebatch, FindsTheBatchWithinASize) {
  EXPECT_EQ(output_with(R"(
    input x f32[1,8,8,3]
    weight windows i64[3]={4,16,3}
    y = Reshape(x, windows)
    output y)",
                        3),
            "12×16×3");
  EXPECT_EQ(output_with(R"(
    input x f32[1,7,12]
    weight heads i64[3]={7,3,4}
    t = Transpose(x) perm=1,0,2
    y = Reshape(t, heads)
    output y)",
                        3),
            "7×9×4");
}

// torch's attention in a graph: tokens before samples, heads joined to the samples and taken off
// again, and a product on tokens and samples together.
TEST(Rebatch, FollowsTheBatchThroughJoinedAxes) {
  EXPECT_EQ(output_with(R"(
    input x f32[1,7,12]
    weight heads i64[3]={7,3,4}
    weight rows i64[2]={7,12}
    weight back i64[3]={7,1,12}
    weight w f32[12,12]
    t = Transpose(x) perm=1,0,2
    h = Reshape(t, heads)
    a = Transpose(h) perm=1,0,2
    b = Transpose(a) perm=1,0,2
    r = Reshape(b, rows)
    p = Gemm(r, w)
    q = Reshape(p, back)
    y = Transpose(q) perm=1,0,2
    output y)",
                        5),
            "5×7×12");
}

// A size that is left open stays open; the stored 1 would swallow the batch.
TEST(Rebatch, DoesNotPutTheBatchWhereASizeIsOpen) {
  EXPECT_EQ(output_with(R"(
    input x f32[1,8,4]
    weight sizes i64[3]={1,-1,2}
    y = Reshape(x, sizes)
    output y)",
                        3),
            "3×16×2");
  EXPECT_EQ(output_with(R"(
    input x f32[1,8,4]
    weight sizes i64[2]={-1,4}
    y = Reshape(x, sizes)
    output y)",
                        3),
            "24×4");
}

// The class token of a vision transformer.
TEST(Rebatch, ExpandsToTheOtherBatch) {
  EXPECT_EQ(output_with(R"(
    input x f32[1,9,4]
    weight token f32[1,1,4]
    weight sizes i64[3]={1,1,4}
    t = Expand(token, sizes)
    y = Concat(t, x) axis=1
    output y)",
                        6),
            "6×10×4");
}

// Like above, where the exporter has computed the expanded token.
TEST(Rebatch, RepeatsWhatIsJoinedToEverySample) {
  EXPECT_EQ(output_with(R"(
    input x f32[1,9,4]
    weight token f32[1,1,4]
    r = Relu(x)
    y = Concat(token, r) axis=1
    output y)",
                        6),
            "6×10×4");
}

TEST(Rebatch, ResizesTheWholeBatch) {
  EXPECT_EQ(output_with(R"(
    input x f32[1,3,4,4]
    weight sizes i64[4]={1,3,8,8}
    y = Resize(x, _, _, sizes)
    output y)",
                        6),
            "6×3×8×8");
}

TEST(Rebatch, LeavesAnOpenBatchAlone) {
  EXPECT_EQ(output_with(R"(
    input x f32[N,4]
    weight sizes i64[2]={-1,2}
    y = Reshape(x, sizes)
    output y)",
                        6),
            "12×2");
}

// torchvision's detectors take images like this: 3 is the number of colours.
TEST(Rebatch, OneImageHasNoBatch) {
  EXPECT_THAT(output_with(R"(
    input image f32[3,8,8]
    weight mean f32[3,1,1]
    y = Sub(image, mean)
    output y)",
                          5),
              EndsWith("(with 5 as the first axis of its input, which in this file is 3×8×8: one "
                       "image without a batch)"));
}

// Not about the batch, but the other thing that a caller may change: a Linear takes any rank.
TEST(OtherRank, IsTakenWhereTheNetworkAllowsIt) {
  const auto with = [](std::string_view text, Dims dims) {
    auto model = model_from_text(text);
    EXPECT_TRUE(model) << model.error().message;
    InferOptions options;
    options.input_shapes.emplace_back("x", std::move(dims));
    const auto inferred = infer(*model, options);
    if (!inferred) return inferred.error().message;
    return strata::text(model->graph().tensors[model->graph().outputs[0]].type->dims);
  };
  constexpr std::string_view kLinear = R"(
    input x f32[1,4]
    weight w f32[4,3]
    y = MatMul(x, w)
    output y)";
  EXPECT_EQ(with(kLinear, {2, 7, 4}), "2×7×3");
  const std::string problem = with(kLinear, {2, 7, 5});
  EXPECT_THAT(problem, HasSubstr("input \"x\" has 2 axes (1×4), but 3 were given (2×7×5): MatMul"));
}

TEST(Rebatch, SaysWhatToDoIfItCannot) {
  const std::string problem = output_with(R"(
    input x f32[1,4]
    weight axes i64[1]={0}
    y = Squeeze(x, axes)
    output y)",
                                          6);
  EXPECT_THAT(problem, HasSubstr("Squeeze"));
  EXPECT_THAT(problem, HasSubstr("with a batch of 6"));
  EXPECT_THAT(problem, HasSubstr("export it with an open batch"));
}

}  // namespace
}  // namespace strata
