#include "strata/edit/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/build/builder.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

build::Network finished(build::Builder net) {
  auto network = std::move(net).finish();
  EXPECT_TRUE(network) << network.error().message;
  return std::move(*network);
}

std::vector<std::string> paths(const std::vector<QuantLayer>& layers) {
  std::vector<std::string> out;
  out.reserve(layers.size());
  for (const QuantLayer& layer : layers) out.push_back(layer.path);
  return out;
}

const QuantLayer& at(const std::vector<QuantLayer>& layers, std::string_view path) {
  for (const QuantLayer& layer : layers)
    if (layer.path == path) return layer;
  ADD_FAILURE() << "no layer " << path;
  return layers.front();
}

// Three convolutions in one branch of /gate/If and one in the other, some with weights from
// outside.
TEST(QuantLayers, ThoseInBodiesAreNamedWhereThereAreNoOthers) {
  auto model = read_model(STRATA_SOURCE_DIR "/tests/cli/models/branches.onnx");
  ASSERT_TRUE(model) << model.error().message;
  ASSERT_TRUE(infer(*model));
  EXPECT_TRUE(find_quant_layers(*model).empty());
  EXPECT_THAT(why_no_layers(*model),
              HasSubstr("all 4 layers lie in the bodies of If node \"/gate/If\"; export"));
  build::Builder net("Net");
  net.output("y", net.relu("r", net.input("x", {1, 3})));
  EXPECT_EQ(why_no_layers(finished(std::move(net)).model),
            "there is no layer to quantize: no convolution or product with stored weights of f32");
}

TEST(QuantLayers, ConvolutionNormAndActivationAreOne) {
  build::Builder net("Net");
  build::Var x = net.input("x", {1, 3, 8, 8});
  x = net.conv("conv", x, 8, {.kernel = 3, .pad = 1, .bias = false});
  x = net.relu6("act", net.batch_norm("norm", x));
  net.output("y", net.linear("head", net.flatten(x), 10));
  const build::Network network = finished(std::move(net));
  const auto layers = find_quant_layers(network.model);
  ASSERT_THAT(paths(layers), ElementsAre("conv", "head"));
  const QuantLayer& conv = layers[0];
  EXPECT_EQ(operators_text(network.model, conv), "Conv+BatchNormalization+Clip");
  EXPECT_EQ(conv.nodes.size(), 3u);
  EXPECT_TRUE(conv.has_norm && conv.has_activation && conv.first && !conv.last);
  EXPECT_EQ(conv.activation, LayerKind::ReLU6);
  EXPECT_EQ(network.model.graph().tensors[conv.input].name, "x");
  EXPECT_EQ(network.model.graph().tensors[conv.output].producer, conv.nodes.back());
  EXPECT_EQ(network.model.graph().tensors[conv.linear].producer, conv.norm);
  EXPECT_TRUE(layers[1].neither() && layers[1].last && !layers[1].first);
  EXPECT_EQ(layers[1].weight_axis, 0);  // a Gemm that transposes its weight
}

// Activations are found however an exporter writes them.
TEST(QuantLayers, ActivationsOfSeveralNodes) {
  build::Builder net("Net");
  build::Var x = net.input("x", {1, 4, 8, 8});
  x = net.gelu("a", net.conv("conv_erf", x, 4));
  x = net.gelu_tanh("b", net.conv("conv_tanh", x, 4));
  x = net.silu("c", net.conv("conv_silu", x, 4));
  x = net.hardswish("d", net.conv("conv_hard", x, 4));
  x = net.sigmoid("e", net.conv("conv_sigmoid", x, 4));
  net.output("y", x);
  const build::Network network = finished(std::move(net));
  std::vector<LayerKind> kinds;
  for (const QuantLayer& layer : find_quant_layers(network.model)) {
    kinds.push_back(layer.activation);
    EXPECT_EQ(network.model.graph().tensors[layer.output].producer, layer.nodes.back());
  }
  EXPECT_THAT(kinds, ElementsAre(LayerKind::GELU, LayerKind::GELU, LayerKind::SiLU,
                                 LayerKind::Hardswish, LayerKind::Sigmoid));
}

// PaddlePaddle writes them as a scale and a shift, x · clip(x + 3, 0, 6) / 6, and the same again.
TEST(QuantLayers, HardswishOfAClipAndSigmoidBehindAShift) {
  build::Builder net("Net");
  const auto scaled = [&](build::Var x) {
    return net.add(net.mul(x, net.number(0.5F)), net.number(1.5F));
  };
  build::Var x = scaled(net.conv("conv_clip", net.input("x", {1, 4, 8, 8}), 4));
  const build::Var cut = net.op("Clip", {net.add(x, net.number(3)), net.number(0), net.number(6)});
  x = scaled(net.div(net.mul(x, cut), net.number(6)));
  x = net.add(net.conv("conv_shift", x, 4), net.number(0.25F));
  net.output("y", net.sigmoid("act", x));
  const build::Network network = finished(std::move(net));
  const auto layers = find_quant_layers(network.model);
  ASSERT_THAT(paths(layers), ElementsAre("conv_clip", "conv_shift"));
  EXPECT_EQ(operators_text(network.model, layers[0]), "Conv+HardSwish");
  EXPECT_EQ(layers[0].nodes.size(), 9u);
  EXPECT_EQ(operators_text(network.model, layers[1]), "Conv+Sigmoid");
  EXPECT_TRUE(layers[1].last);
}

// An operator whose row says that it is an activation is treated as one.
TEST(QuantLayers, RareActivations) {
  for (const char* op : {"Celu", "Softsign", "Shrink", "ThresholdedRelu", "Elu"}) {
    build::Builder net("Net");
    net.output("y", net.op(op, {net.conv("conv", net.input("x", {1, 4, 8, 8}), 4)}));
    const build::Network network = finished(std::move(net));
    const auto layers = find_quant_layers(network.model);
    ASSERT_EQ(layers.size(), 1u) << op;
    EXPECT_TRUE(layers[0].has_activation) << op;
    EXPECT_EQ(operators_text(network.model, layers[0]), std::string("Conv+") + op);
  }
}

// Another reader needs the tensor before the activation, so the activation is not part of the
// layer.
TEST(QuantLayers, AnActivationBesideAnotherReaderIsNotPartOfIt) {
  build::Builder net("Net");
  const build::Var x = net.conv("conv", net.input("x", {1, 4, 8, 8}), 4);
  net.output("y", net.add(net.relu("act", x), x));
  const build::Network network = finished(std::move(net));
  const auto layers = find_quant_layers(network.model);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_FALSE(layers[0].has_activation);
}

TEST(QuantLayers, RolesInAResidualBlock) {
  auto network = zoo::build("resnet18");
  ASSERT_TRUE(network) << network.error().message;
  const auto layers = find_quant_layers(network->model);
  EXPECT_EQ(layers.size(), 21u);
  EXPECT_EQ(at(layers, "layer2.0.conv1").role, LayerRole::Plain);
  EXPECT_EQ(at(layers, "layer2.0.conv2").role, LayerRole::BlockExit);
  EXPECT_EQ(at(layers, "layer2.0.conv2").exit_of, BlockKind::Residual);
  EXPECT_EQ(at(layers, "layer2.0.downsample.0").role, LayerRole::Shortcut);
  EXPECT_EQ(at(layers, "layer2.1.conv2").role, LayerRole::BlockExit);
  EXPECT_EQ(at(layers, "fc").role, LayerRole::Plain);
}

// Every block of MobileNetV2 ends in a block exit, whether a sum follows or not.
TEST(QuantLayers, ExitsOfInvertedResiduals) {
  auto network = zoo::build("mobilenet_v2");
  ASSERT_TRUE(network) << network.error().message;
  std::size_t exits = 0, depthwise = 0;
  for (const QuantLayer& layer : find_quant_layers(network->model)) {
    exits += layer.exit_of == BlockKind::MBConv;
    depthwise += layer.depthwise;
    EXPECT_EQ(layer.exit_of == BlockKind::MBConv, layer.has_norm && !layer.has_activation);
  }
  EXPECT_EQ(exits, 17u);
  EXPECT_EQ(depthwise, 17u);
}

TEST(QuantLayers, PlacesInEfficientVit) {
  auto network = zoo::build("efficientvit_sam_l0");
  ASSERT_TRUE(network) << network.error().message;
  const auto layers = find_quant_layers(network->model);
  const auto block = [&](std::string_view name) -> const QuantLayer& {
    for (const QuantLayer& layer : layers)
      if (layer.block == name) return layer;
    ADD_FAILURE() << "no layer " << name;
    return layers.front();
  };
  EXPECT_EQ(block("stage1:0:1").exit_of, BlockKind::FusedMBConv);
  EXPECT_EQ(block("stage1:0:1").block_kind, "fmb");
  EXPECT_EQ(block("stage3:1:2").exit_of, BlockKind::MBConv);
  EXPECT_EQ(block("stage4:1:0").role, LayerRole::AttentionInput);
  EXPECT_EQ(block("stage4:1:2").role, LayerRole::AttentionScaling);
  EXPECT_TRUE(block("stage4:1:2").neither());
  EXPECT_EQ(block("stage4:1:3").role, LayerRole::BlockExit);
}

TEST(QuantLayers, AProductWithATransposedWeightAndABiasBehindIt) {
  build::Builder net("Net");
  const build::Var x = net.input("x", {1, 5, 8});
  net.output("y", net.gelu("act", net.linear("fc", x, 16)));
  const build::Network network = finished(std::move(net));
  const auto layers = find_quant_layers(network.model);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_NE(layers[0].bias_add, kNone);
  EXPECT_EQ(layers[0].weight_axis, 1);
  EXPECT_EQ(layers[0].activation, LayerKind::GELU);
}

TEST(SelectLayers, ByPathModuleBlockNodeAndPattern) {
  auto network = zoo::build("resnet18");
  ASSERT_TRUE(network) << network.error().message;
  const auto layers = find_quant_layers(network->model);
  const auto selected = [&](const std::string& name) {
    std::vector<std::string> out;
    const auto chosen = select_layers(network->model, layers, {name});
    EXPECT_TRUE(chosen) << chosen.error().message;
    for (std::size_t i = 0; i < layers.size(); ++i)
      if ((*chosen)[i]) out.push_back(layers[i].path);
    return out;
  };
  EXPECT_THAT(selected("fc"), ElementsAre("fc"));
  EXPECT_THAT(selected("layer1.0"), ElementsAre("layer1.0.conv1", "layer1.0.conv2"));
  EXPECT_THAT(selected("layer1.0.bn1"), ElementsAre("layer1.0.conv1"));  // its norm
  EXPECT_THAT(
      selected("*.downsample.0"),
      ElementsAre("layer2.0.downsample.0", "layer3.0.downsample.0", "layer4.0.downsample.0"));
  const auto none = select_layers(network->model, layers, {"layer9"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::Usage);
  EXPECT_THAT(none.error().message, HasSubstr("there is no layer \"layer9\""));
}

}  // namespace
}  // namespace strata
