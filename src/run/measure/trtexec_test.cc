// The names of kernels are those that trtexec writes, with other nodes and times; it was not run.
#include "measure/trtexec.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/build/builder.h"

namespace strata {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Nodes conv, relu, sigmoid, mul, pool and a node without a name.
Model network() {
  build::Builder net("Net");
  const build::Var x = net.relu("relu", net.conv("conv", net.input("x", {1, 4, 8, 8}), 4));
  const build::Var gate = net.op("Sigmoid", {x});
  net.output("y", net.op("Tanh", {net.op("Mul", {x, gate})}));
  auto network = std::move(net).finish();
  EXPECT_TRUE(network) << network.error().message;
  Model model = std::move(network->model);
  Graph& graph = model.graph();
  const char* names[] = {"/conv/Conv", "/act/Relu", "/gate/Sigmoid", "/gate/Mul", ""};
  EXPECT_EQ(graph.nodes.size(), 5u);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    graph.nodes.change(i, [&](Node& node) { node.name = names[i]; });
  return model;
}

std::string profile(const std::string& kernels) { return R"([ { "count" : 625 })" + kernels + "]"; }
std::string kernel(const std::string& name, double milliseconds) {
  return ", { \"name\" : \"" + name +
         "\", \"timeMs\" : 1, \"averageMs\" : " + std::to_string(milliseconds) +
         ", \"percentage\" : 1 }\n";
}

TrtexecTiming read_kernels(const std::string& kernels, const std::string& layers = "") {
  const Model model = network();
  auto read = read_trtexec_timing(profile(kernels), layers, model);
  EXPECT_TRUE(read) << read.error().message;
  return read ? std::move(*read) : TrtexecTiming();
}

TEST(Trtexec, FusedKernelsBelongToTheirNodes) {
  const TrtexecTiming read = read_kernels(
      kernel("Reformatting CopyNode for Input Tensor 0 to /conv/Conv + PWN(/act/Relu)", 0.5) +
      kernel("/conv/Conv + PWN(/act/Relu)", 1.5) +
      kernel("PWN(PWN(/gate/Sigmoid), /gate/Mul)", 0.25) +
      kernel("(Unnamed Layer* 14) [Shuffle]", 0.25));
  const auto& kernels = read.timing.kernels;
  ASSERT_EQ(kernels.size(), 4u);
  EXPECT_THAT(kernels[0].kernel.sources, IsEmpty());
  EXPECT_EQ(kernels[0].kernel.op, "Reformat");
  EXPECT_THAT(kernels[1].kernel.sources, ElementsAre("/conv/Conv", "/act/Relu"));
  EXPECT_THAT(kernels[2].kernel.sources, ElementsAre("/gate/Sigmoid", "/gate/Mul"));
  EXPECT_THAT(kernels[3].kernel.sources, IsEmpty());
  EXPECT_DOUBLE_EQ(kernels[1].seconds.at(0), 1.5e-3);
  EXPECT_DOUBLE_EQ(read.timing.runs.at(0), 2.5e-3);
  // A tenth of the time has no node, and a fifth changes layouts.
  EXPECT_THAT(
      read.notes,
      ElementsAre("TensorRT: 2 kernels run nodes of this file; times are averages of 625 runs",
                  HasSubstr("1 kernel with 10.0 % of the time could not be assigned"),
                  HasSubstr("1 kernel with 20.0 % of the time only change")));
}

TEST(Trtexec, NodesWithoutANameHaveThatOfTheirOutput) {
  const Model model = network();
  const Graph& graph = model.graph();
  const std::string name(graph.tensors[graph.outputs[0]].name);
  const auto read = read_trtexec_timing(profile(kernel("node_of_" + name, 1)), "", model);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->timing.kernels.at(0).kernel.sources, ElementsAre("#4"));
}

// The conv has a kernel of its own, so the range has what is left between its ends.
TEST(Trtexec, RangesHaveWhatNobodyElseNames) {
  const TrtexecTiming read = read_kernels(kernel("{ForeignNode[/conv/Conv.../gate/Mul]}", 1) +
                                          kernel("/conv/Conv || /act/Relu", 1));
  EXPECT_THAT(read.timing.kernels.at(0).kernel.sources, ElementsAre("/gate/Sigmoid", "/gate/Mul"));
  EXPECT_THAT(read.timing.kernels.at(1).kernel.sources, ElementsAre("/conv/Conv", "/act/Relu"));
  EXPECT_THAT(read.notes, Contains(HasSubstr("1 kernel names only the first and the last")));
}

TEST(Trtexec, LayersStateTheirNodes) {
  const std::string layers =
      R"({"Layers": [{"Name": "__myl_ConvRelu_myl0_1", "LayerType": "kgen",
        "Metadata": "[ONNX Layer: /conv/Conv]\u001f[ONNX Layer: /act/Relu]\u001e[ONNX Layer: other]"}],
       "Bindings": ["x"]})";
  EXPECT_TRUE(looks_like_trtexec_layers(layers));
  const TrtexecTiming read = read_kernels(kernel("__myl_ConvRelu_myl0_1", 1), layers);
  EXPECT_THAT(read.timing.kernels.at(0).kernel.sources, ElementsAre("/conv/Conv", "/act/Relu"));
  // Without --profilingVerbosity=detailed, layers are their names alone.
  const TrtexecTiming plain =
      read_kernels(kernel("/act/Relu", 1), R"({"Layers": ["/act/Relu"], "Bindings": []})");
  EXPECT_THAT(plain.timing.kernels.at(0).kernel.sources, ElementsAre("/act/Relu"));
}

TEST(Trtexec, OtherFilesGetASentence) {
  const Model model = network();
  const auto problem = [&](const std::string& text, const std::string& layers = "") {
    const auto read = read_trtexec_timing(text, layers, model);
    return read ? "none" : read.error().message;
  };
  EXPECT_FALSE(looks_like_trtexec_profile(R"({"strata_measured": 1})"));
  EXPECT_TRUE(looks_like_trtexec_profile(profile(kernel("a", 1))));
  EXPECT_THAT(problem("nonsense"), HasSubstr("not a profile of trtexec"));
  EXPECT_EQ(problem("[]"), "it has no kernel with a name and its averageMs");
  EXPECT_EQ(problem(R"([{"name": "a", "averageMs": -1}, {"name": 3}, 7])"),
            "it has no kernel with a name and its averageMs");
  EXPECT_THAT(problem(profile(kernel("a", 1)), "[]"), HasSubstr("not an export of layers"));
  // Brackets without end, and nesting without end.
  EXPECT_EQ(problem(profile(kernel(std::string(100'000, '('), 1))), "none");
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "PWN(";
  EXPECT_EQ(problem(profile(kernel(deep + "a" + std::string(10'000, ')'), 1))), "none");
}

}  // namespace
}  // namespace strata
