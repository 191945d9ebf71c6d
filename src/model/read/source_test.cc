#include "strata/read/source.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "read/onnx/test_proto.h"
#include "read/registry.h"
#include "strata/base/scratch_folder.h"

namespace strata {
namespace {

using namespace onnx::test;
namespace fs = std::filesystem;

const std::string kModels = STRATA_SOURCE_DIR "/tests/models/";

class SourceTest : public testing::Test {
 protected:
  ScratchFolder scratch_ = ScratchFolder::create().value();

  std::string file(const std::string& name, const std::string& bytes) {
    std::ofstream(scratch_ / name, std::ios::binary) << bytes;
    return scratch_ / name;
  }
};

TEST_F(SourceTest, SaysWhatItIsAndWhichEnginesOpenIt) {
  struct Expected {
    std::string word;
    SourceKind kind;
    std::string format, engine_format;
    SourceWeights weights;
  };
  const std::string onnx = file("m", chain({node("Relu", {"x"}, {"y"})}));
  for (const Expected& one : {
           Expected{onnx, SourceKind::Graph, "onnx", "onnx", SourceWeights::Stored},
           {kModels + "weights/plain.safetensors", SourceKind::Weights, "safetensors", "",
            SourceWeights::Stored},
           {kModels + "weights/state_dict.pth", SourceKind::Weights, "PyTorch state dict", "",
            SourceWeights::Stored},
           {kModels + "weights/sharded/model.safetensors.index.json", SourceKind::Weights,
            "safetensors index", "", SourceWeights::Stored},
           {kModels + "weights/q4_k_m.gguf", SourceKind::Weights, "GGUF", "",
            SourceWeights::Stored},
           {kModels + "hugging_face/tiny/llama", SourceKind::Built, "hugging face", "onnx",
            SourceWeights::Random},
           {"zoo:resnet18?resolution=64", SourceKind::Built, "zoo", "onnx", SourceWeights::Random},
       }) {
    const auto source = open_source(one.word);
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(source->kind(), one.kind) << one.word;
    ASSERT_NE(source->format(), nullptr) << one.word;
    EXPECT_EQ(source->format()->name, one.format);
    EXPECT_EQ(source->engine_format(), one.engine_format) << one.word;
    EXPECT_EQ(source->weights(), one.weights) << one.word;
    EXPECT_EQ(source->has_graph(), one.kind != SourceKind::Weights) << one.word;
  }
}

TEST_F(SourceTest, IsOpenedOnceByAllItsCopies) {
  const std::string path = file("m.onnx", chain({node("Relu", {"x"}, {"y"})}));
  const Source source = path, copy = source;
  EXPECT_EQ(source.kind(), SourceKind::Graph);
  fs::remove(path);  // nothing is opened a second time
  EXPECT_EQ(copy.kind(), SourceKind::Graph);
  const auto model = read_model(copy);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->path, path);
  EXPECT_EQ(model->graph().nodes.size(), 1u);
  EXPECT_EQ(copy.bytes().data(), source.bytes().data());
  EXPECT_EQ(Source(path).kind(), SourceKind::Unknown);
}

TEST_F(SourceTest, NothingIsOpenedBeforeTheFirstQuestion) {
  const Source early = scratch_ / "later.onnx";
  EXPECT_FALSE(early.empty());
  EXPECT_EQ(early.short_name(), "later");
  file("later.onnx", chain({node("Relu", {"x"}, {"y"})}));
  EXPECT_EQ(early.kind(), SourceKind::Graph);
}

TEST_F(SourceTest, WhatCannotBeOpenedSaysWhy) {
  const auto missing = open_source(scratch_ / "none.onnx");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            scratch_ / "none.onnx" + ": there is no such file; check the path");
  EXPECT_EQ(Source(scratch_ / "none.onnx").kind(), SourceKind::Unknown);
  EXPECT_FALSE(Source(scratch_ / "none.onnx").status());
  EXPECT_EQ(Source().kind(), SourceKind::Unknown);
  EXPECT_TRUE(Source().empty());
}

TEST_F(SourceTest, AFolderOfModelsAndAPatternAreSeveral) {
  const std::string onnx = file("a.onnx", chain({node("Relu", {"x"}, {"y"})}));
  EXPECT_EQ(Source(scratch_.path()).kind(), SourceKind::Several);
  EXPECT_EQ(Source(scratch_ / "*.onnx").kind(), SourceKind::Several);
  EXPECT_EQ(Source("zoo:resnet18?resolution=64").kind(), SourceKind::Built);
  // A file may have such a character in its name.
  EXPECT_EQ(Source(file("b*.onnx", chain({node("Relu", {"x"}, {"y"})}))).kind(), SourceKind::Graph);
}

TEST_F(SourceTest, ADocumentIsAFileInNoFormatOfModels) {
  const auto source = open_source(file("r.json", R"({"kind": "profile"})"));
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ(source->kind(), SourceKind::Unknown);
  EXPECT_EQ(source->bytes(), R"({"kind": "profile"})");
  EXPECT_TRUE(source->status());
}

TEST(SourceNames, AreThoseOfFilesAndNetworks) {
  EXPECT_EQ(Source("models/resnet50.onnx").short_name(), "resnet50");
  EXPECT_EQ(Source("zoo:mobilenet_v2?width=0.5").short_name(), "mobilenet_v2?width=0.5");
}

}  // namespace
}  // namespace strata
