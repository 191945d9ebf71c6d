// Networks in PyTorch's operators: layers, conventions and views know their names and their places
// of inputs. The numbers are worked by hand.
#include <utility>

#include <gtest/gtest.h>

#include "cost/test_aten_network.h"
#include "cost/torch_view.h"
#include "ops/registry.h"
#include "strata/cost/convention.h"
#include "strata/cost/layers.h"
#include "strata/cost/liveness.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

Expr macs_of(AtenNetwork& network) {
  EXPECT_TRUE(infer(network.model));
  return count(network.model).total.macs;
}

std::string counted(AtenNetwork& network, std::string_view convention) {
  EXPECT_TRUE(infer(network.model));
  const Costs costs = count(network.model);
  const auto found = find_convention(convention);
  if (!found) return found.error().message;
  return count_as(*found, costs, find_layers(network.model, costs)).total[found->headline()].text();
}

// 10 rows of 4 features and 3 results, with a bias.
TEST(Aten, LinearIsALayerInBothForms) {
  AtenNetwork exported;
  exported.add("linear", {exported.input({10, 4}), exported.weight({3, 4}), exported.weight({3})},
               {10, 3});
  AtenNetwork decomposed;
  const TensorId x = decomposed.input({10, 4}), bias = decomposed.weight({3});
  const TensorId turned =
      decomposed.add("permute", {decomposed.weight({3, 4})}, {4, 3}, {{"dims", {1, 0}}});
  decomposed.add("addmm", {bias, x, turned}, {10, 3});
  for (AtenNetwork* network : {&exported, &decomposed}) {
    EXPECT_EQ(macs_of(*network), Expr(120));
    const Costs costs = count(network->model);
    EXPECT_EQ(costs.total.flops(), Expr(2 * 120 + 30));
    EXPECT_EQ(costs.total.params, Expr(15));
    EXPECT_EQ(find_layers(network->model, costs).list.back().kind, LayerKind::Linear);
    EXPECT_EQ(counted(*network, "fvcore"), "120");
    EXPECT_EQ(counted(*network, "flopcounter"), "240");
  }
}

// 16 channels of 4×4, each a window of 3×3 of the 4 channels of its group.
TEST(Aten, ConventionsKnowTheAttributesOfConvolutions) {
  AtenNetwork network;
  const TensorId x = network.input({1, 8, 8, 8});
  const TensorId out = network.add("conv2d", {x, network.weight({16, 4, 3, 3}), kNone},
                                   {1, 16, 4, 4}, {{"stride", {2, 2}}, {"padding", {1, 1}}});
  network.graph().nodes.change(0, [&](Node& node) {
    std::vector<Attribute> attributes(node.attributes.begin(), node.attributes.end());
    attributes.push_back({"groups", std::int64_t{2}});
    node.attributes = network.model.keep(std::span<const Attribute>(attributes));
  });
  network.add("relu_", {out}, {1, 16, 4, 4});
  EXPECT_EQ(macs_of(network), Expr(256 * 36));
  EXPECT_EQ(counted(network, "fvcore"), std::to_string(256 * 36));
}

TEST(Aten, SoftmaxKnowsItsAxis) {
  AtenNetwork network;
  const TensorId x = network.input({2, 3, 5});
  network.add("_softmax", {x}, {2, 3, 5});
  ASSERT_TRUE(infer(network.model));
  const Costs costs = count(network.model);
  EXPECT_EQ(find_layers(network.model, costs).list[0].kind, LayerKind::Softmax);
  EXPECT_EQ(costs.total.flops(), Expr(30 * 5));
}

// 2 heads of 8 queries and keys of 8: 2·2·8·8·8 MACs. fvcore 0.1.5.post20221221 and ptflops 0.7.5
// (backend aten) were run with torch 2.13 and count nothing for it; torchprofile 0.1.0 counts it.
TEST(Aten, FusedAttentionIsCountedAsToolsDo) {
  AtenNetwork network;
  const TensorId q = network.input({1, 2, 8, 8});
  network.add("scaled_dot_product_attention", {q, q, q}, {1, 2, 8, 8});
  EXPECT_EQ(macs_of(network), Expr(2048));
  EXPECT_EQ(counted(network, "fvcore"), "0");
  EXPECT_EQ(counted(network, "ptflops-aten"), "0");
  EXPECT_EQ(counted(network, "torchprofile"), "2048");
}

// A transposed tensor is out of order until it is copied; a part of the outermost axis is in order.
TEST(Aten, ViewsHaveAnOrder) {
  AtenNetwork network;
  const TensorId x = network.input({4, 6});
  const TensorId turned = network.add("t", {x}, {6, 4});
  const TensorId copied = network.add("contiguous", {turned}, {6, 4});
  const TensorId part = network.add("slice.Tensor", {copied}, {2, 4});
  const TensorId flat = network.add("view", {part}, {8});
  const Graph& graph = network.graph();
  EXPECT_FALSE(is_contiguous(graph, turned));
  EXPECT_TRUE(is_contiguous(graph, copied));
  EXPECT_TRUE(is_contiguous(graph, part));
  EXPECT_TRUE(is_contiguous(graph, flat));
  const TorchView view = torch_view(graph, graph.nodes[0], true);
  EXPECT_TRUE(view.shares);
}

// The peak of an einsum whose result is added to another tensor and reshaped, as in SAM's
// attention.
Liveness reshaped_einsum(std::string_view equation, Dims a, Dims b, Dims result) {
  AtenNetwork network;
  const TensorId x = network.input(std::move(a)), y = network.input(std::move(b));
  Expr elements = 1;
  for (const Expr& size : result) elements *= size;
  const TensorId product =
      network.add_all("einsum", {x, y}, {result}, {}, {{"equation", equation}})[0];
  const TensorId sum = network.add("add.Tensor", {product, product}, result);
  network.add("reshape", {sum}, {elements});
  EXPECT_TRUE(infer(network.model));
  return find_liveness(network.model, count(network.model));
}

// torch 2.13 computes bhwc,wkc→bhwk as a product for each w, and turns the result: its strides are
// not in order, nor are those of a sum of it, so that a reshape copies. bhwc,hkc→bhwk with one b is
// in order, as are plain products.
TEST(Aten, WhatATurnedProductTakesIsALowerBound) {
  const auto certainty = [](std::string_view equation, Dims a, Dims b, Dims result) {
    return reshaped_einsum(equation, std::move(a), std::move(b), std::move(result)).certainty;
  };
  using enum Certainty;
  EXPECT_EQ(certainty("bhwc,wkc->bhwk", {1, 4, 5, 8}, {5, 6, 8}, {1, 4, 5, 6}), LowerBound);
  EXPECT_EQ(certainty("bhwc,hkc->bhwk", {1, 4, 5, 8}, {4, 6, 8}, {1, 4, 5, 6}), Exact);
  EXPECT_EQ(certainty("bhwc,hkc->bhwk", {2, 4, 5, 8}, {4, 6, 8}, {2, 4, 5, 6}), LowerBound);
  EXPECT_EQ(certainty("bij,bjk->bik", {2, 4, 5}, {2, 5, 6}, {2, 4, 6}), Exact);
}

// `x[:, :2] = …` as torch decomposes it. The slice's copy keeps its strides, and torch 2.13 gives
// it 18,432 bytes, as many as x has. A copy of an expanded tensor has its own size.
TEST(Aten, CopiesOfAViewHaveItsWholeMemory) {
  const auto peak = [](std::string_view view, Dims whole, const Dims& part) {
    AtenNetwork network;
    const TensorId x = network.input(std::move(whole));
    const TensorId seen = network.add(view, {x}, part);
    const TensorId copy = network.add("copy", {seen, seen}, part);
    network.add("relu", {copy}, part);
    const Liveness found = find_liveness(network.model, count(network.model));
    EXPECT_EQ(found.certainty, Certainty::Exact);
    return found.peak_bytes.value();
  };
  EXPECT_EQ(peak("slice", {2, 16, 12, 12}, {2, 2, 12, 12}), 18432 + 18432);
  EXPECT_EQ(peak("expand", {1, 16, 12, 12}, {2, 16, 12, 12}), 18432 + 18432);
}

// torch 2.13: the storage of mse_loss(f32[4,100], f32[4,100]) has 1,600 bytes, that of l1_loss 4.
TEST(Aten, SomeLossesKeepTheMemoryOfTheirElements) {
  const auto peak = [](std::string_view loss) {
    AtenNetwork network;
    const TensorId x = network.input({4, 100});
    const TensorId made = network.add(loss, {x, x}, {});
    network.add("mul.Tensor", {made, x}, {4, 100});
    return find_liveness(network.model, count(network.model)).peak_bytes.value();
  };
  EXPECT_EQ(peak("mse_loss"), 1600 + 1600 + 1600);
  EXPECT_EQ(peak("l1_loss"), 1600 + 4 + 1600);
}

// An operator without a row has unknown costs, not zero.
TEST(Aten, UnknownOperatorsAreUnknown) {
  AtenNetwork network;
  network.add("frobnicate", {network.input({4})}, {4});
  ASSERT_TRUE(infer(network.model));
  const Costs costs = count(network.model);
  EXPECT_EQ(costs.unknown_ops.size(), 1u);
  EXPECT_EQ(costs.total.certainty, Certainty::LowerBound);
}

}  // namespace
}  // namespace strata
