// Counts are worked out by hand from the settings of the layers.
#include "read/ncnn/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "ops/ncnn_table.h"
#include "strata/base/scratch_folder.h"
#include "strata/cost/cost.h"
#include "strata/infer/infer.h"

namespace strata::ncnn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kNetwork =
    "7767517\n"
    "7 8\n"
    "Input                in    0 1 data\n"
    "Convolution          conv  1 1 data a 0=8 1=3 4=1 5=1 6=216 9=2 -23310=1,1.0e-01\n"
    "Split                split 1 2 a b c\n"
    "ConvolutionDepthWise dw    1 1 b d 0=8 1=3 4=1 6=72 7=8\n"
    "BinaryOp             add   2 1 c d e 0=0\n"
    "Pooling              gap   1 1 e f 0=1 4=1\n"
    "InnerProduct         fc    1 1 f g 0=4 1=1 2=32 9=4\n";

std::string network(std::string_view layers, int count) {
  return "7767517\n" + std::to_string(count) + " 9\n" + std::string(layers);
}

// The sentence about a network that cannot be read.
std::string complaint(const std::string& text) {
  const auto model = ncnn::read(text, "m.param", {});
  return model ? std::string() : model.error().message;
}

struct Counted {
  std::string text;
  Model model;
  Costs costs;
};
std::unique_ptr<Counted> counted(std::string_view text, const InferOptions& sizes = {}) {
  auto all = std::make_unique<Counted>();
  all->text = text;
  auto model = ncnn::read(all->text, "m.param", {});
  EXPECT_TRUE(model) << model.error().message;
  if (!model) return nullptr;
  all->model = std::move(*model);
  const auto inferred = infer(all->model, sizes);
  EXPECT_TRUE(inferred) << inferred.error().message;
  if (!inferred) return nullptr;
  all->costs = count(all->model);
  return all;
}

std::string shape_of(const Graph& graph, std::string_view name) {
  for (const Tensor& tensor : graph.tensors)
    if (tensor.name == name) return text(tensor.type->dims);
  return "none";
}

TEST(Ncnn, CountsWithoutItsWeights) {
  InferOptions options;
  options.sizes = {{"height", 8}, {"width", 8}};
  const auto all = counted(kNetwork, options);
  ASSERT_TRUE(all);
  const Graph& graph = all->model.graph();
  ASSERT_EQ(graph.inputs.size(), 1U);
  EXPECT_EQ(text(graph.tensors[graph.inputs[0]].type->dims), "1×3×8×8");
  EXPECT_EQ(graph.nodes.size(), 5U) << "Split is a name for its input";
  EXPECT_EQ(all->costs.total.params.text(), "332");  // 216 + 8 + 72 + 32 + 4
  EXPECT_EQ(all->costs.total.macs.text(), std::to_string(8 * 64 * 27 + 8 * 64 * 9 + 32));
  EXPECT_EQ(shape_of(graph, "f"), "1×8");
  EXPECT_EQ(shape_of(graph, "g"), "1×4");
  ASSERT_EQ(graph.outputs.size(), 1U);
  EXPECT_EQ(graph.tensors[graph.outputs[0]].name, "g");
}

TEST(Ncnn, FusedActivationsAreCountedOnTheirLayer) {
  const auto with =
      counted(network("Input i 0 1 x 0=4 1=4 2=2\n"
                      "Convolution c 1 1 x y 0=2 1=1 6=4 9=1\n",
                      2));
  const auto without =
      counted(network("Input i 0 1 x 0=4 1=4 2=2\n"
                      "Convolution c 1 1 x y 0=2 1=1 6=4\n",
                      2));
  ASSERT_TRUE(with && without);
  EXPECT_EQ((with->costs.total.flops() - without->costs.total.flops()).text(), "32");
  const Attribute* fused = with->model.graph().nodes[0].attribute("activation");
  ASSERT_TRUE(fused);
  EXPECT_EQ(std::get<std::string_view>(fused->value), "Relu");
}

TEST(Ncnn, InputsAsTheFirstLayersNeedThem) {
  const auto input_of = [](const std::string& text) {
    const auto all = counted(text);
    return all ? strata::text(all->model.graph().tensors[all->model.graph().inputs[0]].type->dims)
               : std::string();
  };
  EXPECT_EQ(input_of(network("Input i 0 1 x\nInnerProduct c 1 1 x y 0=4 2=32\n", 2)), "1×8");
  EXPECT_EQ(input_of(network("Input i 0 1 x\nLSTM c 1 1 x y 0=4 1=96\n", 2)), "1×height×6");
  // Through a layer that keeps the channels: 5 of them.
  EXPECT_EQ(
      input_of(network("Input i 0 1 x\nReLU r 1 1 x z\nConvolution c 1 1 z y 0=4 1=1 6=20\n", 3)),
      "1×5×height×width");
  EXPECT_EQ(input_of(network("Input i 0 1 x\nReLU r 1 1 x z\n", 2)), "1×channels×height×width");
  EXPECT_EQ(input_of(network("Input i 0 1 x 0=6 1=7 2=3\nReLU r 1 1 x z\n", 2)), "1×3×7×6");
}

TEST(Ncnn, NewLayersAreUnknownByName) {
  const auto all = counted(network("Input i 0 1 x 0=4\nOwnLayer o 1 1 x y 0=1\n", 2));
  ASSERT_TRUE(all);
  ASSERT_EQ(all->costs.unknown_ops.size(), 1U);
  EXPECT_THAT(all->costs.unknown_ops[0], HasSubstr("OwnLayer"));
}

TEST(Ncnn, TheBinSaysHowWeightsAreStored) {
  const auto folder = ScratchFolder::create();
  ASSERT_TRUE(folder);
  const std::string path = *folder / "m.param";
  const std::string text = network(
      "Input i 0 1 x 0=4 1=4 2=2\n"
      "Convolution c 1 1 x y 0=3 1=1 5=1 6=6\n",
      2);
  const auto dtypes = [&](std::string_view stored) {
    std::ofstream(*folder / "m.bin", std::ios::binary) << stored;
    const auto model = ncnn::read(text, path, {});
    EXPECT_TRUE(model);
    std::vector<DType> types;
    for (const TensorData& data : model->stored) types.push_back(data.dtype);
    return std::pair(types, model->notes.size());
  };
  // A tag for halves, six of them, and three floats.
  std::string halves = "\x47\x6b\x30\x01";
  halves += std::string(12 + 12, '\1');
  EXPECT_EQ(dtypes(halves), (std::pair{std::vector{DType::F16, DType::F32}, std::size_t{0}}));
  EXPECT_EQ(dtypes(std::string(4 + 24 + 12, '\0')),
            (std::pair{std::vector{DType::F32, DType::F32}, std::size_t{0}}));
  EXPECT_EQ(dtypes(halves + "more"),
            (std::pair{std::vector{DType::F32, DType::F32}, std::size_t{1}}));
}

TEST(Ncnn, OneSentenceForADamagedFile) {
  EXPECT_THAT(complaint("7767517\n"), HasSubstr("second line does not state"));
  EXPECT_THAT(complaint("7767517\n2147483647 3\nInput i 0 1 x\n"),
              HasSubstr("it states 2147483647 layers and has 1"));
  EXPECT_THAT(complaint(network("Input i 0 2147483648 x\n", 1)),
              HasSubstr("more than 65536 blobs"));
  EXPECT_THAT(complaint(network("Input i 0 2 x\n", 1)), HasSubstr("names fewer blobs"));
  EXPECT_THAT(complaint(network("ReLU r 1 1 x y\n", 1)),
              HasSubstr("reads blob \"x\", which nothing before it makes"));
  EXPECT_THAT(complaint(network("Input i 0 1 x\nReLU r 1 1 x x\n", 2)),
              HasSubstr("makes blob \"x\", which is there already"));
  EXPECT_THAT(complaint(network("Input i 0 1 x\nConvolution c 1 1 x y 0=3 1=3 6=26\n", 2)),
              HasSubstr("layer \"c\" has 26 weights, which do not fit its sizes"));
  EXPECT_THAT(complaint(network("Input i 0 1 x\nConvolution c 1 1 x y 0=-3 1=3 6=27\n", 2)),
              HasSubstr("-3 for setting 0"));
  EXPECT_THAT(complaint(network("Input i 0 1 x\nConvolution c 1 1 x y 0=3 1=2147483647 6=27\n", 2)),
              HasSubstr("sizes that no weights have"));
  EXPECT_THAT(complaint(network("Input i 0 1 x\nReLU r 1 1 x y slope\n", 2)),
              HasSubstr("line 4 has the setting \"slope\""));
  EXPECT_THAT(complaint(network("MemoryData m 0 1 x 0=2147483647 1=2147483647 2=9\n", 1)),
              HasSubstr("sizes that no constant has"));
}

// Every part of a network is a model or a sentence.
TEST(Ncnn, CutAnywhere) {
  for (std::size_t size = 8; size < kNetwork.size(); ++size) {
    const std::string cut(kNetwork.substr(0, size));
    if (auto model = ncnn::read(cut, "m.param", {}); model) {
      if (infer(*model)) count(*model);
    } else {
      EXPECT_THAT(model.error().message, HasSubstr("m.param: it is damaged")) << size;
    }
  }
}

}  // namespace
}  // namespace strata::ncnn
