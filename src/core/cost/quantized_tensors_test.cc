// Quantized networks, worked by hand: how many bytes are alive while each node runs if what engines
// hold as integers counts as integers, and if the file is read literally.
#include "strata/cost/quantized_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/text.h"
#include "strata/cost/boundary.h"
#include "strata/cost/cut.h"
#include "strata/cost/device_memory.h"
#include "strata/cost/liveness.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

using testing::ElementsAre;

std::vector<std::int64_t> alive(std::string_view text, bool as_stored = false) {
  auto model = model_from_text(text);
  EXPECT_TRUE(model) << model.error().message;
  EXPECT_TRUE(infer(*model));
  const Liveness found = find_liveness(*model, count(*model, {.as_stored = as_stored}));
  std::vector<std::int64_t> out;
  for (const Expr& bytes : found.alive) out.push_back(bytes.value());
  EXPECT_EQ(found.peak_bytes, Expr(*std::max_element(out.begin(), out.end())));
  return out;
}

// 256 elements go in, and 512 come out.
constexpr std::string_view kConv = R"(
    input x f32[1,4,8,8]
    weight s f32[]
    weight z u8[]
    weight w i8[8,4,1,1]
    wd = DequantizeLinear(w, s)
    xq = QuantizeLinear(x, s, z)
    xd = DequantizeLinear(xq, s, z)
    y = Conv(xd, wd)
    r = Relu(y)
    yq = QuantizeLinear(r, s, z)
    yd = DequantizeLinear(yq, s, z)
    output yd)";

// Floats at both ends of the network; between them the convolution reads xq and writes yq.
TEST(QuantizedTensors, AConvolutionBetweenPairsHoldsIntegers) {
  EXPECT_THAT(alive(kConv), ElementsAre(1024, 1024 + 256, 256, 256 + 512, 512, 512, 512 + 2048));
}

TEST(QuantizedTensors, ALiteralReadingHasTheTypesOfTheFile) {
  EXPECT_THAT(alive(kConv, true), ElementsAre(1024, 1024 + 256, 256 + 1024, 1024 + 2048,
                                              2048 + 2048, 2048 + 512, 512 + 2048));
}

// Softmax has no kernel for integers: it reads floats, which are made for it alone. The sum reads
// the integers, so that the floats go after the Softmax, and aq stays for it.
TEST(QuantizedTensors, WhatReadsFloatsGetsFloats) {
  EXPECT_THAT(alive(R"(
    input x f32[100]
    weight s f32[]
    weight z u8[]
    aq = QuantizeLinear(x, s, z)
    a = DequantizeLinear(aq, s, z)
    p = Softmax(a)
    pq = QuantizeLinear(p, s, z)
    pd = DequantizeLinear(pq, s, z)
    b = Add(a, pd)
    bq = QuantizeLinear(b, s, z)
    output bq)"),
              ElementsAre(500, 500, 100 + 800, 100 + 400 + 100, 200, 300, 100));
}

// One of two readers of its result wants floats: it is computed in float.
TEST(QuantizedTensors, AResultThatIsAlsoReadAsFloatsIsAFloat) {
  EXPECT_THAT(alive(R"(
    input x f32[100]
    weight s f32[]
    weight z u8[]
    xq = QuantizeLinear(x, s, z)
    a = DequantizeLinear(xq, s, z)
    b = Add(a, a)
    bq = QuantizeLinear(b, s, z)
    c = Tanh(b)
    output bq
    output c)"),
              ElementsAre(500, 500, 800, 500, 100 + 800));
}

// Gemm's int8 kernel may return floats: its input is integers, and its result is not.
TEST(QuantizedTensors, AProductMayReturnFloats) {
  EXPECT_THAT(alive(R"(
    input x f32[2,50]
    weight s f32[]
    weight z u8[]
    weight w i8[50,10]
    wd = DequantizeLinear(w, s)
    xq = QuantizeLinear(x, s, z)
    a = DequantizeLinear(xq, s, z)
    y = MatMul(a, wd)
    output y)"),
              ElementsAre(400, 400 + 100, 100, 100 + 80));
}

// Between the two convolutions crosses one tensor of 512 integers, although the file dequantizes it
// twice.
TEST(QuantizedTensors, ACutShipsTheIntegersOnce) {
  auto model = model_from_text(R"(
    input x f32[1,4,8,8]
    weight s f32[]
    weight z u8[]
    weight w i8[8,4,1,1]
    weight v i8[8,8,1,1]
    wd = DequantizeLinear(w, s)
    vd = DequantizeLinear(v, s)
    xq = QuantizeLinear(x, s, z)
    xd = DequantizeLinear(xq, s, z)
    y = Conv(xd, wd)
    yq = QuantizeLinear(y, s, z)
    a = DequantizeLinear(yq, s, z)
    b = DequantizeLinear(yq, s, z)
    c = Conv(a, vd)
    cq = QuantizeLinear(c, s, z)
    cd = DequantizeLinear(cq, s, z)
    e = Add(cd, b)
    eq = QuantizeLinear(e, s, z)
    output eq)");
  ASSERT_TRUE(model) << model.error().message;
  ASSERT_TRUE(infer(*model));
  const Costs costs = count(*model);
  const Cuts cuts = find_cuts(*model, costs, find_layers(*model, costs));
  std::vector<std::int64_t> shipped;
  for (const CutPlace& place : cuts.places) shipped.push_back(place.bytes[0].value());
  // Before all layers x; after the first QuantizeLinear xq; after the convolutions y, then y and c.
  EXPECT_THAT(shipped, ElementsAre(1024, 256, 512, 1024));
}

// The allocator rounds 256 bytes up to 512. Most is alive when the result is made into floats: 512
// integers, and 2,048 bytes. As stored, it is at the convolution: 1,024 and 2,048 bytes.
TEST(QuantizedTensors, ADeviceHoldsIntegers) {
  auto model = model_from_text(kConv);
  ASSERT_TRUE(model) << model.error().message;
  ASSERT_TRUE(infer(*model));
  const auto most = [&](bool as_stored) {
    const Costs costs = count(*model, {.as_stored = as_stored});
    const auto found = simulate_device(*model, costs, find_layers(*model, costs));
    EXPECT_TRUE(found);
    return found->peak_allocated - found->weights - found->inputs;
  };
  EXPECT_EQ(most(false), 512 + 2048);
  EXPECT_EQ(most(true), 1024 + 2048);
}

// The boundary of the network is floats; inside, integers cross.
TEST(QuantizedTensors, BoundariesHaveTheTypeThatIsHeld) {
  auto model = model_from_text(kConv);
  ASSERT_TRUE(model) << model.error().message;
  ASSERT_TRUE(infer(*model));
  const auto leaves = [&](bool as_stored) {
    const Costs costs = count(*model, {.as_stored = as_stored});
    const Boundaries found = find_boundaries(*model, costs, find_layers(*model, costs));
    std::vector<std::int64_t> out;
    for (const Boundary& boundary : found.list)
      for (const BoundaryTensor& tensor : found.outputs_of(boundary))
        out.push_back(tensor.bytes().value());
    return out;
  };
  // The network, then xq, xd, y, r, yq and yd.
  EXPECT_THAT(leaves(false), ElementsAre(2048, 256, 256, 512, 512, 512, 2048));
  EXPECT_THAT(leaves(true), ElementsAre(2048, 256, 1024, 2048, 2048, 512, 2048));
}

// Without a pair of them nothing is read otherwise.
TEST(QuantizedTensors, FloatsStayFloats) {
  constexpr std::string_view kText = R"(
    input x f32[100]
    a = Relu(x)
    output a)";
  EXPECT_EQ(alive(kText), alive(kText, true));
}

}  // namespace
}  // namespace strata
