// Networks in PyTorch's operators: layers, conventions and views know their names and their places
// of inputs. The numbers are worked by hand.
#include <gtest/gtest.h>

#include "cost/torch_view.h"
#include "ops/registry.h"
#include "strata/cost/convention.h"
#include "strata/cost/layers.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

// A graph that grows node by node.
class AtenNetwork {
 public:
  AtenNetwork() {
    if (model.graphs.empty()) model.graphs.emplace_back();
    if (model.scopes.empty()) model.scopes.emplace_back();
  }

  TensorId input(Dims dims) {
    const TensorId id = tensor(std::move(dims));
    graph().tensors[id].role = Role::Input;
    graph().inputs.push_back(id);
    return id;
  }
  TensorId weight(std::vector<std::int64_t> sizes) {
    Dims dims;
    for (const std::int64_t size : sizes) dims.push_back(size);
    const TensorId id = tensor(std::move(dims));
    TensorData& data = model.stored.emplace_back();
    data.name = graph().tensors[id].name;
    data.dtype = DType::F32;
    data.dims = model.keep(std::span<const std::int64_t>(sizes));
    graph().tensors[id].role = Role::Initializer;
    graph().tensors[id].data = &data;
    return id;
  }
  using List = std::pair<std::string_view, std::vector<std::int64_t>>;
  TensorId add(std::string_view op, std::vector<TensorId> inputs, Dims output,
               const std::vector<List>& lists = {}) {
    std::vector<Attribute> attributes;
    for (const auto& [name, items] : lists) {
      const auto kept = model.keep(std::span<const std::int64_t>(items));
      attributes.push_back({name, kept});
    }
    const TensorId id = tensor(std::move(output));
    graph().tensors[id].producer = static_cast<NodeId>(graph().nodes.size());
    Node node;
    node.op = op;
    node.domain = kAten;
    node.opset = 10;
    node.inputs = model.keep(std::span<const TensorId>(inputs));
    const TensorId outputs[] = {id};
    node.outputs = model.keep(std::span<const TensorId>(outputs));
    node.attributes = model.keep(std::span<const Attribute>(attributes));
    graph().nodes.push_back(node);
    graph().outputs = {id};
    return id;
  }
  Graph& graph() { return model.graph(); }

  Model model;

 private:
  TensorId tensor(Dims dims) {
    const auto id = static_cast<TensorId>(graph().tensors.size());
    Tensor& made = graph().tensors.emplace_back();
    made.name = model.keep("t" + std::to_string(id));
    made.type = TypeInfo::tensor(DType::F32, std::move(dims));
    return id;
  }
};

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

// What no row knows is unknown, not free.
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
