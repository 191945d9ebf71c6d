#include "fusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

namespace strata::ort {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// A model from lines: `in x`, `store w`, `out y`, and nodes such as
// `name Op[:domain] a b -> y z [attribute=text]`. `-` stands for an absent input.
Model model_of(const std::string& text) {
  Model model;
  model.graphs.emplace_back();
  Graph& graph = model.graph();
  std::map<std::string, TensorId> ids;
  const auto tensor = [&](const std::string& name) {
    if (name == "-") return kNone;
    const auto [found, added] = ids.try_emplace(name, static_cast<TensorId>(graph.tensors.size()));
    if (added) {
      graph.tensors.emplace_back();
      graph.tensors.back().name = model.keep(name);
    }
    return found->second;
  };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word)) continue;
    std::string next;
    words >> next;
    if (word == "in") {
      graph.tensors[tensor(next)].role = Role::Input;
      graph.inputs.push_back(ids[next]);
    } else if (word == "out") {
      graph.outputs.push_back(tensor(next));
    } else if (word == "store") {
      Tensor& stored = graph.tensors[tensor(next)];
      stored.role = Role::Initializer;
      stored.data = &model.stored.emplace_back();
    } else {
      Node node;
      node.name = model.keep(word);
      const std::size_t colon = std::min(next.find(':'), next.size());
      node.op = model.keep(next.substr(0, colon));
      node.domain = model.keep(next.substr(std::min(colon + 1, next.size())));
      std::vector<TensorId> inputs, outputs;
      std::vector<Attribute> attributes;
      bool after = false;
      while (words >> word) {
        if (word == "->")
          after = true;
        else if (const std::size_t equals = word.find('='); equals != word.npos)
          attributes.push_back(
              {model.keep(word.substr(0, equals)), model.keep(word.substr(equals + 1))});
        else
          (after ? outputs : inputs).push_back(tensor(word));
      }
      node.inputs = model.keep(std::span<const TensorId>(inputs));
      node.outputs = model.keep(std::span<const TensorId>(outputs));
      node.attributes = model.keep(std::span<const Attribute>(attributes));
      for (const TensorId output : outputs)
        graph.tensors[output].producer = static_cast<NodeId>(graph.nodes.size());
      graph.nodes.push_back(node);
    }
  }
  return model;
}

// `kernel: sources` for every kernel, `!node: reason` for every absent node.
std::map<std::string, std::vector<std::string>> fused(const std::string& source,
                                                      const std::string& optimized) {
  const Fusion fusion = assign_sources(model_of(source), model_of(optimized));
  EXPECT_THAT(fusion.guessed, IsEmpty());
  std::map<std::string, std::vector<std::string>> all;
  for (const FusedKernel& kernel : fusion.kernels) {
    all[kernel.name] = kernel.sources;
    std::sort(all[kernel.name].begin(), all[kernel.name].end());
    EXPECT_EQ(kernel.kind == STRATA_KERNEL_COMPUTE, !kernel.sources.empty()) << kernel.name;
  }
  for (const auto& [node, reason] : fusion.absent) all["!" + node] = {reason};
  return all;
}

TEST(Fusion, NodesThatStayAreThemselves) {
  const std::string model = "in x\nstore w\nout z\nc Conv x w -> y\nr Relu y -> z\n";
  EXPECT_THAT(fused(model, model),
              UnorderedElementsAre(Pair("c", ElementsAre("c")), Pair("r", ElementsAre("r"))));
}

TEST(Fusion, NormAndActivationGoIntoTheConvolution) {
  EXPECT_THAT(fused("in x\nstore w\nstore s\nout z\n"
                    "c Conv x w -> a\nb BatchNormalization a s s s s -> y\nr Relu y -> z\n",
                    "in x\nstore fused_w\nout z\nf FusedConv:com.microsoft x fused_w -> z\n"),
              UnorderedElementsAre(Pair("f", ElementsAre("b", "c", "r"))));
}

TEST(Fusion, ConstantsAreFolded) {
  EXPECT_THAT(fused("in x\nstore w\nout z\nk Constant -> i\nt Transpose w -> v\n"
                    "m MatMul x v -> y\na Add y i -> z\n",
                    "in x\nstore v\nstore i\nout z\nm MatMul x v -> y\na Add y i -> z\n"),
              UnorderedElementsAre(Pair("m", ElementsAre("m")), Pair("a", ElementsAre("a")),
                                   Pair("!t", ElementsAre("folded into a constant")),
                                   Pair("!k", ElementsAre("a constant"))));
}

// The nodes that compute a shape which turns out to be constant.
TEST(Fusion, ShapesThatBecomeConstantsTakeTheirMakersWithThem) {
  EXPECT_THAT(fused("in x\nstore g\nout z\ns Shape x -> n\ng Gather n g -> k\n"
                    "u Unsqueeze k g -> l\nr Reshape x l -> z\n",
                    "in x\nstore l\nout z\nr Reshape x l -> z\n"),
              UnorderedElementsAre(
                  Pair("r", ElementsAre("r")), Pair("!u", ElementsAre("folded into a constant")),
                  Pair("!g", ElementsAre("computes a shape that the engine knows")),
                  Pair("!s", ElementsAre("computes a shape that the engine knows"))));
}

TEST(Fusion, WhatComputesTheSameIsNotPartOfItsReader) {
  EXPECT_THAT(fused("in x\nout z\na Relu x -> p\nb Relu x -> q\ns Sigmoid p -> u\n"
                    "t Tanh q -> v\nm Mul u v -> z\n",
                    "in x\nout z\na Relu x -> p\ns Sigmoid p -> u\nt Tanh p -> v\n"
                    "m Mul u v -> z\n"),
              UnorderedElementsAre(Pair("a", ElementsAre("a")), Pair("s", ElementsAre("s")),
                                   Pair("t", ElementsAre("t")), Pair("m", ElementsAre("m")),
                                   Pair("!b", ElementsAre("computes what a gives"))));
}

TEST(Fusion, WhatChangesNothingIsAbsent) {
  EXPECT_THAT(fused("in x\nout z\na Relu x -> p\ni Identity p -> q\nd Dropout q -> r\n"
                    "t Tanh r -> z\n",
                    "in x\nout z\na Relu x -> p\nt Tanh p -> z\n"),
              UnorderedElementsAre(Pair("a", ElementsAre("a")), Pair("t", ElementsAre("t")),
                                   Pair("!i", ElementsAre("gives its input unchanged")),
                                   Pair("!d", ElementsAre("gives its input unchanged"))));
}

// A blocked convolution is named after the value that it made before the sum and the activation
// were fused into it; the name of its own output means nothing.
TEST(Fusion, BlockedConvolutions) {
  EXPECT_THAT(
      fused("in x\nstore w\nout z\nc0 Conv x w -> a\nr0 Relu a -> b\nc1 Conv b w -> c\n"
            "s Add c b -> d\nr1 Relu d -> e\np GlobalAveragePool e -> z\n",
            "in x\nstore reorder\nout z\n"
            "in_ ReorderInput:com.microsoft.nchwc x -> reorder_token_0\n"
            "b_nchwc Conv:com.microsoft.nchwc reorder_token_0 reorder -> reorder_token_1 "
            "activation=Relu\n"
            "c_nchwc Conv:com.microsoft.nchwc reorder_token_1 reorder - reorder_token_1 -> "
            "reorder_token_2 activation=Relu\n"
            "z_nchwc GlobalAveragePool:com.microsoft.nchwc reorder_token_2 -> reorder_token_3\n"
            "out_ ReorderOutput:com.microsoft.nchwc reorder_token_3 -> z\n"),
      UnorderedElementsAre(Pair("in_", IsEmpty()), Pair("b_nchwc", ElementsAre("c0", "r0")),
                           Pair("c_nchwc", ElementsAre("c1", "r1", "s")),
                           Pair("z_nchwc", ElementsAre("p")), Pair("out_", IsEmpty())));
}

// A product with three axes is computed as one with two, between reshapes.
TEST(Fusion, KernelsThatShareTheirWorkHaveTheSameSources) {
  EXPECT_THAT(
      fused("in x\nstore w\nstore b\nout z\nm MatMul x w -> y\na Add y b -> z\n",
            "in x\nstore w\nstore b\nstore s\nout z\nflat Reshape x s -> f\n"
            "g Gemm f w b -> h\nback Reshape h s -> z\n"),
      UnorderedElementsAre(Pair("flat", ElementsAre("a", "m")), Pair("g", ElementsAre("a", "m")),
                           Pair("back", ElementsAre("a", "m"))));
}

TEST(Fusion, CastsThatTheEngineAddsHaveNoSources) {
  EXPECT_THAT(fused("in x\nstore w\nout z\nc Conv x w -> y\nr Relu y -> z\n",
                    "in x\nstore w\nout z\n"
                    "InsertedPrecisionFreeCast_x Cast x -> InsertedPrecisionFreeCast_x\n"
                    "c Conv InsertedPrecisionFreeCast_x w -> InsertedPrecisionFreeCast_y\n"
                    "r Relu InsertedPrecisionFreeCast_y -> InsertedPrecisionFreeCast_z\n"
                    "InsertedPrecisionFreeCast_z Cast InsertedPrecisionFreeCast_z -> z\n"),
              UnorderedElementsAre(Pair("InsertedPrecisionFreeCast_x", IsEmpty()),
                                   Pair("c", ElementsAre("c")), Pair("r", ElementsAre("r")),
                                   Pair("InsertedPrecisionFreeCast_z", IsEmpty())));
}

TEST(Fusion, QuantizedConvolutionsTakeTheirConversions) {
  EXPECT_THAT(fused("in x\nstore s\nstore w\nout z\nqx QuantizeLinear x s -> q\n"
                    "dx DequantizeLinear q s -> f\ndw DequantizeLinear w s -> v\nc Conv f v -> y\n"
                    "qy QuantizeLinear y s -> p\ndy DequantizeLinear p s -> z\n",
                    "in x\nstore s\nstore w\nout z\nqx QuantizeLinear x s -> q\n"
                    "c QLinearConv q s w s -> p\ndy DequantizeLinear p s -> z\n"),
              UnorderedElementsAre(Pair("qx", ElementsAre("qx")),
                                   Pair("c", ElementsAre("c", "dw", "dx", "qy")),
                                   Pair("dy", ElementsAre("dy"))));
}

// With channels last, values between quantized kernels have names of their own.
TEST(Fusion, QuantizedKernelsAreKnownByTheirNames) {
  EXPECT_THAT(
      fused("in x\nstore s\nstore w\nout z\nqx QuantizeLinear x s -> q\n"
            "d1 DequantizeLinear q s -> f\ndw DequantizeLinear w s -> v\nc1 Conv f v -> y\n"
            "r Relu y -> a\nq1 QuantizeLinear a s -> p\nd2 DequantizeLinear p s -> g\n"
            "m Add g f -> b\nq2 QuantizeLinear b s -> k\ndz DequantizeLinear k s -> z\n",
            "in x\nstore s\nstore w\nout z\nqx QuantizeLinear x s -> q\nt1 Transpose q -> t\n"
            "c1_token_3 QLinearConv t s w s -> c1\nm QLinearAdd c1 s t s -> m\n"
            "t2 Transpose m -> k\ndz DequantizeLinear k s -> z\n"),
      UnorderedElementsAre(
          Pair("qx", ElementsAre("qx")), Pair("t1", IsEmpty()),
          Pair("c1_token_3", testing::UnorderedElementsAre("c1", "d1", "dw", "q1", "r")),
          Pair("m", testing::UnorderedElementsAre("d2", "m", "q2")), Pair("t2", IsEmpty()),
          Pair("dz", ElementsAre("dz"))));
}

TEST(Fusion, WhatNobodyReadsIsSaidToBeSo) {
  EXPECT_THAT(
      fused("in x\nout z\nr Relu x -> z\nt Tanh x -> unused\n", "in x\nout z\nr Relu x -> z\n"),
      UnorderedElementsAre(Pair("r", ElementsAre("r")),
                           Pair("!t", ElementsAre("nothing reads what it gives"))));
}

TEST(Fusion, TransposesThatAreMovedHaveNoSourcesOfTheirOwn) {
  EXPECT_THAT(fused("in x\nout z\nr Relu x -> y\nt Tanh y -> z\n",
                    "in x\nout z\nt1 Transpose x -> u\nr Relu u -> v\nt Tanh v -> w\n"
                    "t2 Transpose w -> z\n"),
              UnorderedElementsAre(Pair("t1", IsEmpty()), Pair("r", ElementsAre("r")),
                                   Pair("t", ElementsAre("t")), Pair("t2", IsEmpty())));
}

}  // namespace
}  // namespace strata::ort
