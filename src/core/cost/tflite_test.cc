// Files of tests/models/tflite, which make_models.py writes. Counts are worked out by hand from the
// shapes there.
#include "read/tflite/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/tflite_table.h"
#include "read/tflite/names.h"
#include "strata/cost/cost.h"
#include "strata/infer/infer.h"

namespace strata::tflite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kModels[] = {"image",  "image_float16", "int8",     "int16x8",
                                   "int4",   "open_sizes",    "branches", "state",
                                   "sparse", "signatures",    "behind",   "with_zip"};

std::string bytes_of(const std::string& name) {
  std::ifstream file(std::string(STRATA_SOURCE_DIR) + "/tests/models/tflite/" + name + ".tflite",
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A model and the bytes that it looks into.
struct ReadFile {
  std::string bytes;
  Model model;
  Costs costs;
};
std::unique_ptr<ReadFile> read_file(const std::string& name, const InferOptions& sizes = {},
                                    const ReadOptions& options = {}) {
  auto file = std::make_unique<ReadFile>();
  file->bytes = bytes_of(name);
  auto model = tflite::read(file->bytes, name, options);
  EXPECT_TRUE(model) << model.error().message;
  if (!model) return nullptr;
  file->model = std::move(*model);
  const auto inferred = infer(file->model, sizes);
  EXPECT_TRUE(inferred) << inferred.error().message;
  file->costs = count(file->model);
  return file;
}

// tests/tflm/make_kernels.py writes these two loops, which only differ in where the limit is from.
std::unique_ptr<ReadFile> read_loop(const std::string& name) {
  return read_file("../tflm/" + name);
}

std::vector<std::string> operators_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) names.emplace_back(node.op);
  return names;
}

// 4·4·4 outputs of 27 products, 4·4·8 of 9, and 5 of 8; and the weights with their biases.
constexpr std::int64_t kImageMacs = 64 * 27 + 128 * 9 + 5 * 8;
constexpr std::int64_t kImageParameters = 4 * 27 + 4 + 8 * 9 + 8 + 40;

// 10 products of a row with 8×8 weights: a counter from 0 is compared with 10, and with 99 as well.
TEST(TfliteReader, CountsTheIterationsOfALoopThatCountsUp) {
  const auto file = read_loop("loop");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->costs.total.macs.number(), 640);
  EXPECT_EQ(file->costs.total.params.number(), 64);
  const auto open = read_loop("loop_open");
  ASSERT_NE(open, nullptr);
  for (const Graph& graph : open->model.graphs)
    EXPECT_EQ(graph.runs.is_unknown(), &graph != &open->model.graph());
}

TEST(TfliteReader, CountsImagesWithChannelsLast) {
  const auto read = read_file("image");
  ASSERT_NE(read, nullptr);
  const Graph& graph = read->model.graph();
  EXPECT_THAT(operators_of(graph),
              ElementsAre("CONV_2D", "DEPTHWISE_CONV_2D", "MEAN", "FULLY_CONNECTED"));
  EXPECT_EQ(read->costs.total.macs, Expr(kImageMacs));
  EXPECT_EQ(read->costs.total.params, Expr(kImageParameters));
  // Two bounds of RELU6 for each of 64 outputs, and a bias.
  EXPECT_EQ(read->costs.nodes[0].cost->adds, Expr(3 * 64));
  EXPECT_EQ(graph.nodes[0].name, "model/conv/Conv2D");
  EXPECT_EQ(read->model.scopes[graph.nodes[0].scope].path, "model/conv");
  EXPECT_EQ(graph.nodes[3].inputs[2], kNone) << "it has no bias";
}

// Other sizes than the file's come from the rules of the rows.
TEST(TfliteReader, ABatchOfFourCostsFourTimesAsMuch) {
  InferOptions four;
  four.batch = 4;
  const auto read = read_file("image", four);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->costs.total.macs, Expr(4 * kImageMacs));
  const Graph& graph = read->model.graph();
  EXPECT_EQ(text(graph.tensors[graph.outputs[0]].type->dims), "4×5");
}

TEST(TfliteReader, FoldsWeightsOfHalfTheWidth) {
  const auto read = read_file("image_float16");
  ASSERT_NE(read, nullptr);
  EXPECT_THAT(operators_of(read->model.graph()),
              ElementsAre("CONV_2D", "DEPTHWISE_CONV_2D", "MEAN", "FULLY_CONNECTED"));
  EXPECT_EQ(read->costs.total.macs, Expr(kImageMacs));
  EXPECT_EQ(read->costs.total.params, Expr(kImageParameters));
  EXPECT_EQ(read->costs.total.param_bytes, Expr(2 * kImageParameters));
  EXPECT_THAT(read->model.notes, ElementsAre(HasSubstr("5 DEQUANTIZE operators")));
}

TEST(TfliteReader, CountsBytesOfNarrowIntegers) {
  // 64 weights, and 4 biases of 4 or 8 bytes.
  for (const auto& [name, bytes] :
       {std::pair("int8", 64 + 16), std::pair("int16x8", 64 + 32), std::pair("int4", 32 + 16)}) {
    const auto read = read_file(name);
    ASSERT_NE(read, nullptr);
    EXPECT_EQ(read->costs.total.params, Expr(68)) << name;
    EXPECT_EQ(read->costs.total.param_bytes, Expr(bytes)) << name;
    EXPECT_EQ(read->costs.total.macs, Expr(64)) << name;
    EXPECT_THAT(read->model.notes,
                ElementsAre(HasSubstr("2 tensors have one scale, 2 have one per channel")));
  }
}

TEST(TfliteReader, OpenSizesAreSymbols) {
  const auto read = read_file("open_sizes");
  ASSERT_NE(read, nullptr);
  const Graph& graph = read->model.graph();
  EXPECT_EQ(text(graph.tensors[graph.inputs[0]].type->dims), "batch×height×width×3");
  InferOptions sizes;
  sizes.sizes = {{"batch", 2}, {"height", 10}, {"width", 12}};
  const auto sized = read_file("open_sizes", sizes);
  ASSERT_NE(sized, nullptr);
  // 2 images of 5·6 places and 4 channels, flattened by sizes that the network computes.
  const Graph& known = sized->model.graph();
  EXPECT_EQ(text(known.tensors[known.outputs[0]].type->dims), "2×120");
  EXPECT_EQ(sized->costs.total.macs, Expr(240 * 27));
}

TEST(TfliteReader, RunsTheLargerBranch) {
  const auto read = read_file("branches");
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->model.graphs.size(), 5u);
  EXPECT_EQ(read->costs.total.macs, Expr(16));
  EXPECT_NE(read->costs.total.certainty, Certainty::Exact) << "how often the While runs";
}

TEST(TfliteReader, WhatRunsOnceIsNotCounted) {
  const auto read = read_file("state");
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->model.graphs.size(), 1u);
  EXPECT_EQ(read->costs.total.params, Expr(0));
  EXPECT_THAT(read->model.notes,
              ElementsAre(HasSubstr("4 tensors"), HasSubstr("1 subgraph runs once")));
  // Reading 8 bytes; writing 8 joined with 4.
  EXPECT_EQ(read->costs.nodes[2].cost->read_bytes, Expr(8));
  EXPECT_EQ(read->costs.nodes[3].cost->write_bytes, Expr(12));
}

TEST(TfliteReader, SaysHowManyElementsOfSparseWeightsAreStored) {
  const auto read = read_file("sparse");
  ASSERT_NE(read, nullptr);
  EXPECT_THAT(operators_of(read->model.graph()), ElementsAre("FULLY_CONNECTED"));
  EXPECT_EQ(read->costs.total.params, Expr(16));
  EXPECT_THAT(read->model.notes,
              ElementsAre(HasSubstr("4 of 16 elements are stored, in 16 bytes")));
}

TEST(TfliteReader, ReadsTheSignatureThatIsAskedFor) {
  ReadOptions second;
  second.model = "decode";
  const auto read = read_file("signatures", {}, second);
  ASSERT_NE(read, nullptr);
  const Node& own = read->model.graph().nodes[0];
  EXPECT_EQ(own.op, "MyOwn");
  EXPECT_EQ(own.domain, kTfliteCustom);
  EXPECT_NE(read->costs.total.certainty, Certainty::Exact);

  const auto first = read_file("signatures");
  EXPECT_THAT(first->model.notes, ElementsAre(HasSubstr("2 signatures (\"encode\", \"decode\")")));
  const std::string bytes = bytes_of("signatures");
  second.model = "train";
  const auto none = tflite::read(bytes, "m", second);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "m: it has no signature \"train\"; its signatures are: \"encode\", \"decode\"");
}

TEST(TfliteReader, BytesBehindTheTablesAreReadWhereTheyAre) {
  EXPECT_EQ(read_file("behind")->costs.total.params, Expr(68));
  EXPECT_EQ(read_file("with_zip")->costs.total.params, Expr(kImageParameters));
  // Its last byte is the last weight.
  std::string cut = bytes_of("behind");
  cut.pop_back();
  const auto model = tflite::read(cut, "m", {});
  ASSERT_FALSE(model);
  EXPECT_THAT(model.error().message, HasSubstr("the elements of tensor \"w\" lie outside of it"));
}

TEST(TfliteReader, PrefersThePathOfTheOperatorItself) {
  EXPECT_EQ(layer_name("m/re_lu/Relu6;m/bn/Fused;m/conv_9/Conv2D;m/conv/Conv2D1", "CONV_2D"),
            "m/conv/Conv2D1");
  EXPECT_EQ(layer_name("m/bn/Fused;m/dw/depthwise;m/conv_9/Conv2D", "DEPTHWISE_CONV_2D"),
            "m/dw/depthwise");
  EXPECT_EQ(layer_name("m/add;m/other", "ADD"), "m/add");
  EXPECT_EQ(layer_name("", "ADD"), "");
  EXPECT_EQ(layer_name(";;", "CONV_2D"), "");
}

// Either a model or a sentence, whatever stands in the file: cut off anywhere, and with bytes
// changed to others.
TEST(TfliteReader, DamagedFilesGetASentence) {
  for (const char* name : kModels) {
    const std::string whole = bytes_of(name);
    ASSERT_TRUE(looks_like_model(whole)) << name;
    for (std::size_t size = 0; size < whole.size(); size += 3) {
      const std::string cut = whole.substr(0, size);
      if (const auto model = tflite::read(cut, "m", {}); !model) {
        EXPECT_FALSE(model.error().message.empty());
      }
    }
    for (std::size_t at = 0; at < whole.size(); at += 2)
      for (const char byte : {'\xff', '\x01', '\x7f'}) {
        std::string changed = whole;
        changed[at] = byte;
        auto model = tflite::read(changed, "m", {});
        if (!model) {
          EXPECT_FALSE(model.error().message.empty());
          continue;
        }
        if (infer(*model)) count(*model);
      }
  }
}

}  // namespace
}  // namespace strata::tflite
