#include "strata/read/read.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "read/onnx/test_proto.h"
#include "read/registry.h"
#include "strata/base/scratch_folder.h"

namespace strata {
namespace {

using namespace onnx::test;

class ReadTest : public testing::Test {
 protected:
  ScratchFolder scratch_ = ScratchFolder::create().value();
  std::filesystem::path folder_ = scratch_.path();
  std::string path_ = scratch_ / "m.onnx";
};

TEST_F(ReadTest, TheModelKeepsItsFile) {
  const std::string bytes = chain({node("Relu", {"x"}, {"y"}, {.name = "n"})});
  std::ofstream(path_, std::ios::binary) << bytes;
  auto model = read_model(path_);
  ASSERT_TRUE(model) << model.error().message;
  std::filesystem::remove(path_);
  const Model moved = std::move(*model);
  EXPECT_EQ(moved.path, path_);
  EXPECT_EQ(moved.file_bytes, bytes.size());
  EXPECT_EQ(moved.graph().nodes[0].name, "n");
  EXPECT_NE(moved.backing, nullptr);
}

TEST_F(ReadTest, FactsOfTheModel) {
  const std::string bytes =
      model(graph({.name = "net"}), {.metadata = {{"author", "me"}}, .ir_version = 99});
  const auto read = read_onnx(bytes, "m");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->ir_version, 99);
  EXPECT_EQ(read->producer, "test");
  EXPECT_EQ(read->graph().name, "net");
  ASSERT_EQ(read->metadata.size(), 1u);
  EXPECT_EQ(read->metadata[0].key, "author");
  EXPECT_EQ(read->metadata[0].value, "me");
}

TEST_F(ReadTest, UnknownFieldsAreSkipped) {
  std::string bytes = chain({node("Relu", {"x"}, {"y"})});
  protozero::pbf_writer w(bytes);
  w.add_string(1000, "from the future");
  w.add_fixed64(1001, 1);
  w.add_fixed32(1002, 1);
  w.add_int64(1003, 1);
  EXPECT_TRUE(read_onnx(bytes, "m"));
}

TEST_F(ReadTest, FieldsMayComeInAnyOrder) {
  std::string graph;
  protozero::pbf_writer g(graph);
  g.add_message(onnx::proto::graph::kValueInfo, value("a", 1, {"4"}));
  g.add_message(onnx::proto::graph::kOutput, value("y"));
  g.add_message(onnx::proto::graph::kInitializer, tensor("w", 1, {}));
  g.add_message(onnx::proto::graph::kNode, node("Add", {"x", "w"}, {"a"}));
  g.add_message(onnx::proto::graph::kInput, value("x"));
  g.add_message(onnx::proto::graph::kNode, node("Relu", {"a"}, {"y"}));
  std::string bytes;
  protozero::pbf_writer w(bytes);
  w.add_message(onnx::proto::model::kGraph, graph);
  w.add_message(onnx::proto::model::kOpsetImport, opset("", 9));
  const auto model = read_onnx(bytes, "m");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->graph().nodes[0].opset, 9);
  EXPECT_EQ(text(model->graph().tensors[model->graph().nodes[0].outputs[0]].type->dims), "4");
}

TEST_F(ReadTest, ACallerCanTellWhyAFileIsNotRead) {
  const auto error_of = [&](const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_model(path_).error();
  };
  EXPECT_EQ(read_model(folder_ / "none.onnx").error().code, Code::FileMissing);
  EXPECT_EQ(read_model(folder_).error().code, Code::NotAFile);
  EXPECT_EQ(error_of("").code, Code::FileEmpty);
  const Error picture = error_of("\x89PNG\r\n\x1a\n");
  EXPECT_EQ(picture.code, Code::FormatUnknown);
  EXPECT_EQ(picture.fields().found, "a PNG image");
  const std::string whole = chain({node("Relu", {"x"}, {"y"})});
  const Error cut = error_of(whole.substr(0, whole.size() - 3));
  EXPECT_EQ(cut.code, Code::FileBroken);
  EXPECT_EQ(cut.fields().name, "onnx");
  EXPECT_EQ(cut.fields().file, path_);
}

TEST(Registry, EveryFormatDescribesItself) {
  for (const ModelFormat& format : model_formats()) {
    EXPECT_FALSE(format.name.empty());
    EXPECT_FALSE(format.files.empty());
    EXPECT_NE(format.recognise == nullptr, format.recognise_path == nullptr) << format.name;
    if (format.recognise != nullptr) {
      EXPECT_FALSE(format.recognise("")) << "an empty file has no format";
    }
    if (format.kind == SourceKind::Graph) {
      EXPECT_NE(format.read, nullptr) << format.name;
    }
  }
}

}  // namespace
}  // namespace strata
