// .pt2 files that cannot be read, and the one sentence that each must get.
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/pt2/test_program.h"
#include "strata/base/scratch_folder.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata::pt2 {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;

class BrokenPt2 : public testing::Test {
 protected:
  Result<Model> model_of(std::string_view content, const ReadOptions& options = {}) {
    const std::string path = scratch_ / "m.pt2";
    std::ofstream(path, std::ios::binary) << content;
    return read_model(path, options);
  }
  // The message for a file with this content, without its folder.
  std::string sentence(std::string_view content, const ReadOptions& options = {}) {
    const auto model = model_of(content, options);
    if (model) return "no complaint";
    std::string message = model.error().message;
    const std::string folder = (scratch_ / "");
    for (std::size_t at; (at = message.find(folder)) != std::string::npos;)
      message.erase(at, folder.size());
    return message;
  }
  ScratchFolder scratch_ = ScratchFolder::create().value();
};

TEST_F(BrokenPt2, FineIsFine) {
  EXPECT_EQ(sentence(archive(program())), "no complaint");
  EXPECT_EQ(sentence(archive(program(), true)), "no complaint");
  EXPECT_EQ(sentence(zipped({{"serialized_exported_program.json", program()}})), "no complaint");
}

TEST_F(BrokenPt2, CutOff) {
  const std::string whole = archive(program());
  EXPECT_EQ(sentence(whole.substr(0, whole.size() / 2)),
            "m.pt2: the directory at the end of the zip archive is missing; the file was not "
            "written or downloaded to its end");
  // Wherever it is cut, there is one sentence.
  for (std::size_t size = 60; size < whole.size(); size += 7)
    EXPECT_THAT(sentence(whole.substr(0, size)), testing::StartsWith("m.pt2")) << size;
}

TEST_F(BrokenPt2, SizesThatLie) {
  EXPECT_THAT(sentence(zipped({{"m/models/model.json", program(), false, 0x7fffffff},
                               {"m/archive_format", "pt2"}})),
              "no complaint");  // a stored entry is as long as what is stored
  EXPECT_EQ(sentence(zipped(
                {{"m/models/model.json", program(), true, 10'000}, {"m/archive_format", "pt2"}})),
            "m.pt2: \"m/models/model.json\": its compressed bytes are damaged, or end too early");
  EXPECT_EQ(sentence(zipped(
                {{"m/models/model.json", program(), true, 100}, {"m/archive_format", "pt2"}})),
            "m.pt2: \"m/models/model.json\": it unpacks to more bytes than it should");
}

TEST_F(BrokenPt2, Bomb) {
  // Says that a hundred bytes unpack to 2 GB.
  const auto model =
      model_of(zipped({{"m/models/model.json", std::string(100, 'x'), true, 2'000'000'000},
                       {"m/archive_format", "pt2"}}));
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, Code::OverLimit);
  EXPECT_THAT(model.error().message,
              HasSubstr("would unpack from 105 to 2000000000 bytes, more than the limit"));
}

TEST_F(BrokenPt2, OtherCompression) {
  EXPECT_EQ(sentence(zipped({{"m/models/model.json", program(), false, 0xfffffffe, 93},
                             {"m/archive_format", "pt2"}})),
            "m.pt2: \"m/models/model.json\" is compressed in a way that strata does not know "
            "(method 93)");
}

TEST_F(BrokenPt2, OtherVersion) {
  constexpr std::string_view kSentence =
      "m.pt2: it is written in version 9.1 of torch.export's format, and strata reads versions "
      "8.x; save it again with PyTorch 2.6 or newer";
  EXPECT_EQ(sentence(archive(program({.version = R"({"major": 9, "minor": 1})"}))), kSentence);
  // Also where the rest of the program cannot be understood.
  EXPECT_EQ(sentence(archive(program(
                {.version = R"({"major": 9, "minor": 1})", .arguments = R"({"self": "x"})"}))),
            kSentence);
}

TEST_F(BrokenPt2, NoProgram) {
  EXPECT_EQ(sentence(zipped({{"m/archive_format", "pt2"}, {"m/data/weights/weight_0", "xxxx"}})),
            "m.pt2: it is a .pt2 archive that holds no program of a model");
  EXPECT_THAT(sentence(archive("")), "m.pt2: its program is empty");
  EXPECT_EQ(sentence(archive("{}")), "m.pt2: its JSON is not a program of torch.export");
  EXPECT_EQ(sentence(archive("[1, 2]")), "m.pt2: its program: there is no '{' at byte 0");
}

TEST_F(BrokenPt2, OnlyCompiledCode) {
  EXPECT_EQ(sentence(zipped({{"m/archive_format", "pt2"},
                             {"m/data/aotinductor/model/c3a.wrapper.so",
                              "\x7f"
                              "ELF"}})),
            "m.pt2: it holds only what AOTInductor compiled, machine code that says nothing about "
            "layers; save the exported program itself with torch.export.save");
}

TEST_F(BrokenPt2, SeveralModels) {
  const std::string two = zipped({{"m/models/a.json", program()},
                                  {"m/models/b.json", program()},
                                  {"m/archive_format", "pt2"}});
  EXPECT_EQ(sentence(two), "m.pt2: it holds several models: \"a\", \"b\"");
  EXPECT_EQ(sentence(two, {.model = "b"}), "no complaint");
  EXPECT_EQ(sentence(two, {.model = "c"}),
            "m.pt2: it holds no model \"c\"; its models are: \"a\", \"b\"");
}

TEST_F(BrokenPt2, WhatNothingMakes) {
  EXPECT_EQ(sentence(archive(program(
                {.arguments = R"([{"name": "self", "arg": {"as_tensor": {"name": "z"}}}])"}))),
            "m.pt2: node \"y\" reads \"z\", which nothing before it makes");
}

TEST_F(BrokenPt2, WeightsWithoutSizes) {
  EXPECT_EQ(sentence(archive(program(
                {.size = R"x({"as_expr": {"expr_str": "Symbol('s0')"}})x",
                 .specs = R"([{"parameter": {"arg": {"name": "x"}, "parameter_name": "w"}}])"}))),
            "m.pt2: the stored tensor \"w\" has a size that is not a number");
}

// These are not wrong: what is not understood is unknown.
TEST_F(BrokenPt2, DeepFormulasAreUnknown) {
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "Add(";
  auto model =
      model_of(archive(program({.size = R"({"as_expr": {"expr_str": ")" + deep + R"("}})"})));
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_TRUE(model->graph().tensors[0].type->dims[0].is_unknown());
}

TEST_F(BrokenPt2, UnknownKindsOfArgumentsMakeTheNodeUnknown) {
  auto model = model_of(archive(
      program({.arguments = R"([{"name": "self", "arg": {"as_tensor": {"name": "x"}}},)"
                            R"( {"name": "how", "arg": {"as_riddle": {"of": [1, {"a": 2}]}}}])"})));
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_THAT(model->notes,
              ElementsAre(HasSubstr("of a kind that strata does not know (\"as_riddle\")")));
  const auto inferred = infer(*model);
  ASSERT_TRUE(inferred) << inferred.error().message;
  EXPECT_THAT(inferred->unsupported, ElementsAre("torch.ops.aten.relu.default"));
}

TEST_F(BrokenPt2, CustomOperatorsAreUnknown) {
  auto model = model_of(archive(program({.target = "torch.ops.acme.frobnicate.default"})));
  ASSERT_TRUE(model) << model.error().message;
  const auto inferred = infer(*model);
  ASSERT_TRUE(inferred) << inferred.error().message;
  EXPECT_THAT(inferred->unsupported, ElementsAre("acme.frobnicate"));
  EXPECT_EQ(text(model->graph().tensors[1].type->dims), "3");  // the file states its shape
}

TEST_F(BrokenPt2, GraphsInGraphs) {
  std::string graph;
  for (int i = 0; i < 40; ++i)
    graph +=
        R"({"inputs": [], "outputs": [], "tensor_values": {}, "nodes": [{"target":)"
        R"( "torch.ops.higher_order.wrap", "outputs": [], "metadata": {}, "inputs": [{"name": "",)"
        R"( "arg": {"as_graph": {"name": "g", "graph": )";
  graph += R"({"inputs": [], "outputs": [], "nodes": [], "tensor_values": {}})";
  for (int i = 0; i < 40; ++i) graph += "}}}]}]}";
  EXPECT_EQ(sentence(archive(R"({"graph_module": {"graph": )" + graph +
                             R"(}, "schema_version": {"major": 8, "minor": 20}})")),
            "m.pt2: its graphs are nested more than 32 deep");
}

}  // namespace
}  // namespace strata::pt2
