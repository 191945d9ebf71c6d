// Shapes that a network computes for itself, in the chains that exporters write.
#include <gtest/gtest.h>

#include "graph/text.h"
#include "ops/example.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

std::string outputs(std::string_view text, int opset = 17) {
  auto model = model_from_text(text, opset);
  if (!model) return model.error().message;
  const auto inferred = infer(*model);
  if (!inferred) return inferred.error().message;
  std::string all;
  for (const TensorId id : model->graph().outputs) {
    const Tensor& tensor = model->graph().tensors[id];
    all += (all.empty() ? "" : ", ") + example_text(tensor.type, tensor.value);
  }
  return all;
}

TEST(ShapeChain, FlattensAllButTheBatch) {
  EXPECT_EQ(outputs(R"(
    input x f32[N,512,H,W]
    weight zero i64[]={0}
    weight axis i64[1]={0}
    weight rest i64[1]={-1}
    s = Shape(x)
    n = Gather(s, zero)
    n1 = Unsqueeze(n, axis)
    shape = Concat(n1, rest) axis=0
    y = Reshape(x, shape)
    output shape, y)"),
            "i64[2]={N,-1}, f32[N,512·H·W]");
}

TEST(ShapeChain, SplitsHeadsAndJoinsThem) {
  EXPECT_EQ(outputs(R"(
    input x f32[N,S,768]
    weight zero i64[1]={0}
    weight two i64[1]={2}
    weight heads i64[2]={12,64}
    weight width i64[1]={768}
    s = Shape(x)
    ns = Slice(s, zero, two)
    split = Concat(ns, heads) axis=0
    a = Reshape(x, split)
    b = Transpose(a) perm=0,2,1,3
    c = Transpose(b) perm=0,2,1,3
    join = Concat(ns, width) axis=0
    d = Reshape(c, join)
    output b, d)"),
            "f32[N,12,S,64], f32[N,S,768]");
}

// Pads are listed from the last axis inwards, then reversed.
TEST(ShapeChain, PadsAsTheTorchExporterWritesThem) {
  EXPECT_EQ(outputs(R"(
    input x f32[N,3,H,W]
    weight given i64[4]={1,2,3,4}
    weight many i64[1]={4}
    zeros = ConstantOfShape(many)
    weight pairs i64[2]={-1,2}
    weight last i64[1]={-1}
    weight before i64[1]={-9223372036854775807}
    weight axis i64[1]={0}
    weight flat i64[1]={-1}
    all = Concat(given, zeros) axis=0
    table = Reshape(all, pairs)
    turned = Slice(table, last, before, axis, last)
    columns = Transpose(turned) perm=1,0
    pads = Reshape(columns, flat)
    whole = Cast(pads) to=7
    y = Pad(x, whole)
    output y)"),
            "f32[N,3,H + 7,W + 3]");
}

TEST(ShapeChain, TakesAWindowOfACausalMask) {
  EXPECT_EQ(outputs(R"(
    input q f32[N,S,64]
    input k f32[N,T,64]
    weight mask bool[1,1024,1024]
    weight one i64[]={1}
    weight row i64[1]={1}
    weight column i64[1]={2}
    weight zero i64[1]={0}
    weight axis i64[1]={0}
    sq = Shape(q)
    sk = Shape(k)
    nq = Gather(sq, one)
    nk = Gather(sk, one)
    nk1 = Unsqueeze(nk, axis)
    nq1 = Unsqueeze(nq, axis)
    rows = Slice(mask, zero, nq1, row)
    both = Slice(rows, zero, nk1, column)
    output both)"),
            "bool[1,min(S, 1024),min(T, 1024)]");
}

TEST(ShapeChain, KeepsWhatIsKnownOfAPartlyKnownShape) {
  EXPECT_EQ(outputs(R"(
    input x f32[N,S,768]
    input n i64[1]
    weight zero i64[1]={0}
    weight one i64[1]={1}
    weight width i64[1]={768}
    s = Shape(x)
    batch = Slice(s, zero, one)
    shape = Concat(batch, n, width) axis=0
    y = Reshape(x, shape)
    output shape, y)"),
            "i64[3]={N,?,768}, f32[N,S,768]");
}

TEST(ShapeChain, CountsWithNonZeroAsOldExportersDo) {
  EXPECT_EQ(outputs(R"(
    input x f32[5,8]
    weight zero i64[]={0}
    weight axis i64[1]={0}
    s = Shape(x)
    n = Gather(s, zero)
    n1 = Unsqueeze(n, axis)
    zeros = ConstantOfShape(n1)
    weight one f32[]={1}
    more = Add(zeros, one)
    found = NonZero(more)
    columns = Transpose(found)
    weight second i64[1]={1}
    range = Squeeze(columns, second)
    output range)"),
            "i64[5]={0,1,2,3,4}");
}

}  // namespace
}  // namespace strata
