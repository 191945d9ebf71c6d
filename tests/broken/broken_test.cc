// Files that cannot be read, and the one sentence that each must get. It names the file, the node
// if there is one, and what to do if that is known.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "read/onnx/test_proto.h"
#include "strata/base/scratch_folder.h"
#include "strata/read/read.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using namespace onnx::test;
namespace proto = onnx::proto;

class BrokenTest : public testing::Test {
 protected:
  // The message for a file with this content, without its folder.
  std::string sentence(std::string_view content, const std::string& name = "m.onnx",
                       const ReadOptions& options = {}) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return sentence_about(path, options);
  }
  std::string sentence_about(const std::string& path, const ReadOptions& options = {}) {
    const auto model = read_model(path, options);
    if (model) return "no complaint";
    EXPECT_EQ(model.error().kind, ErrorKind::Model);
    std::string message = model.error().message;
    const std::string folder = folder_.string() + "/";
    for (std::size_t at; (at = message.find(folder)) != std::string::npos;)
      message.erase(at, folder.size());
    return message;
  }

  ScratchFolder scratch_ = ScratchFolder::create().value();
  fs::path folder_ = scratch_.path();
};

// A network that is fine: two nodes, a weight, an attribute, a body.
std::string fine() {
  const std::string body =
      graph({.nodes = {node("Relu", {"h"}, {"z"}, {.name = "inside"})}, .outputs = {value("z")}});
  return model(GraphParts{
      .nodes = {node("Conv", {"x", "w"}, {"h"},
                     {.name = "/stem/Conv", .attributes = {ints_attribute("strides", {2, 2})}}),
                node("If", {"c"}, {"y"},
                     {.name = "choice", .attributes = {graph_attribute("then_branch", body)}})},
      .inputs = {value("x", 1, {"N", "3", "8", "8"}), value("c", 9, {})},
      .outputs = {value("y")},
      .initializers = {raw_tensor("w", 1, {1, 3, 1, 1}, "123456789012")},
  });
}

TEST_F(BrokenTest, FineIsFine) { EXPECT_EQ(sentence(fine()), "no complaint"); }

TEST_F(BrokenTest, NotAFile) {
  EXPECT_EQ(sentence_about((folder_ / "nothing.onnx").string()),
            "nothing.onnx: there is no such file; check the path");
  fs::create_directory(folder_ / "saved_model");
  EXPECT_EQ(sentence_about((folder_ / "saved_model").string()),
            "saved_model is a directory; name the model file inside it");
}

TEST_F(BrokenTest, NotOnnx) {
  using namespace std::string_view_literals;
  constexpr std::string_view kReads =
      "strata reads TensorFlow Lite models (.tflite), ExecuTorch programs (.pte), ONNX models "
      "(.onnx), exported PyTorch programs (.pt2), OpenVINO networks (.xml), ncnn networks "
      "(.param), "
      "recordings of strata's Python package (.json)";
  const auto expect = [&](std::string_view content, const std::string& name,
                          const std::string& said) {
    std::string wanted = name + " is " + said;
    if (wanted.ends_with("; READS"))
      wanted += "; stat also reads weights alone (.safetensors, .pth, .gguf)";
    wanted.replace(wanted.find("READS"), 5, kReads);
    EXPECT_EQ(sentence(content, name), wanted);
  };
  EXPECT_EQ(sentence("", "empty.onnx"),
            "empty.onnx is empty; it was not written to the end, or not downloaded");
  expect("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv, "photo.png", "a PNG image; READS");
  expect("hello world\n", "notes.txt", "a text file; READS");
  // Their first letters could be the tags of a graph, of properties and of a version.
  expect(": a list\n", "list.txt", "a text file; READS");
  expect("r\tnotes on résumés\n", "r.txt", "a text file; READS");
  expect("(5) text", "five.txt", "a text file; READS");
  expect("{\"a\": 1}", "config.json", "a JSON file; READS");
  expect("<!DOCTYPE html>\n<html><body>404</body></html>", "m.onnx",
         "a web page; the download saved an error or login page in place of the model (READS)");
  expect(
      "PK\x03\x04\0\0\x08\x08\0\0\0\0\0\0\0\0resnet18/data.pkl"sv, "resnet18.pt",
      "a PyTorch file (.pt, .pth); load it in PyTorch and save it with torch.export.save as .pt2, "
      "or with torch.onnx.export (READS)");
  expect("\x80\x02}q\0(X"sv, "weights.pth",
         "a Python pickle, perhaps PyTorch weights; load it in PyTorch and save it with "
         "torch.export.save as .pt2, or with torch.onnx.export (READS)");
  expect("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1\n", "m.onnx",
         "a Git LFS pointer, not the file itself; fetch it with `git lfs pull` (READS)");
  EXPECT_EQ(sentence("\xfe\xfe\x01\0"sv, "odd.bin"),
            "odd.bin is in no format that strata reads (TensorFlow Lite models (.tflite), "
            "ExecuTorch programs (.pte), ONNX models (.onnx), exported PyTorch programs (.pt2), "
            "OpenVINO networks (.xml), ncnn networks (.param), "
            "recordings of strata's Python "
            "package (.json); stat also reads "
            "weights alone (.safetensors, .pth, .gguf))");
}

TEST_F(BrokenTest, ModelWithoutANetwork) {
  std::string bytes;
  protozero::pbf_writer(bytes).add_int64(proto::model::kIrVersion, 8);
  EXPECT_EQ(sentence(bytes), "m.onnx: the file holds no graph, so it is not an ONNX model");
  EXPECT_EQ(sentence(fine() + fine()),
            "m.onnx: the file holds two graphs; two models were joined into one file");
}

TEST_F(BrokenTest, CutOff) {
  const std::string whole = fine();
  EXPECT_EQ(sentence(whole.substr(0, 100)),
            "m.onnx ends early: at byte 11 it announces 197 more bytes, but only 89 are left; it "
            "was cut off, perhaps while it was copied: get the file again");
  // Wherever it is cut, the cut is either too early, or after the graph, where nothing is missing.
  int complaints = 0;
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::string said = sentence(std::string_view(whole).substr(0, size));
    if (said == "no complaint") continue;
    ++complaints;
    EXPECT_TRUE(
        said.starts_with("m.onnx ends early: ") ||
        said == "m.onnx: the file holds no graph, so it is not an ONNX model" ||
        said ==
            "m.onnx is in no format that strata reads (TensorFlow Lite models (.tflite), "
            "ExecuTorch programs (.pte), ONNX models (.onnx), exported PyTorch programs (.pt2), "
            "OpenVINO networks (.xml), ncnn networks (.param), "
            "recordings of strata's Python "
            "package (.json); stat "
            "also reads weights alone (.safetensors, .pth, .gguf))")
        << size << ": " << said;
  }
  EXPECT_GT(complaints, 200);
}

TEST_F(BrokenTest, LyingLengths) {
  // The length before the node's name.
  std::string bytes = fine();
  bytes[bytes.find("/stem/Conv") - 1] = 127;
  EXPECT_EQ(
      sentence(bytes),
      "m.onnx is damaged at byte 22, in a node (no name, output \"h\"): field 3 announces 127 "
      "bytes where 34 are left; get the file again");
}

TEST_F(BrokenTest, WrongWireTypes) {
  // The tag of the node's name: 3 << 3 with the wire type of an integer.
  std::string bytes = fine();
  bytes[bytes.find("/stem/Conv") - 2] = 3 << 3;
  EXPECT_EQ(sentence(bytes),
            "m.onnx is damaged at byte 22, in a node (no name, output \"h\"): field 3 holds an "
            "integer where text, a list or a message belongs; get the file again");
}

TEST_F(BrokenTest, EveryByteChanged) {
  const std::string whole = fine();
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const int change : {1, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ change);
      const auto model = read_onnx(bytes, "m.onnx");
      if (!model) {
        EXPECT_TRUE(model.error().message.starts_with("m.onnx")) << model.error().message;
        EXPECT_EQ(model.error().message.find('\n'), std::string::npos) << model.error().message;
      }
    }
}

TEST_F(BrokenTest, Names) {
  EXPECT_EQ(
      sentence(chain({node("Add", {"x", "b"}, {"a"}, {.name = "one"}),
                      node("Mul", {"a"}, {"b"}, {.name = "two"}), node("Relu", {"b"}, {"y"})})),
      "m.onnx: these nodes feed each other in a circle, so none can run first: Add \"one\" → "
      "Mul \"two\" → Add \"one\"");
  EXPECT_EQ(sentence(chain({node("Add", {"x", "ghost"}, {"y"}, {.name = "sum"})})),
            "m.onnx: Add \"sum\" reads \"ghost\", which no node, input or stored tensor provides");
  EXPECT_EQ(sentence(chain({node("Relu", {"x"}, {"y"}, {.name = "one"}),
                            node("Abs", {"x"}, {"y"}, {.name = "two"})})),
            "m.onnx: Abs \"two\": the value \"y\" is defined twice; the first is Relu \"one\"");
  EXPECT_EQ(sentence(chain({node("Relu", {"x"}, {"\x1b[31m\n"}, {.name = "one"})})),
            "m.onnx: the output \"y\" of the graph \"g\" is made by no node");
}

TEST_F(BrokenTest, Shapes) {
  const auto input = [&](const Texts& sizes) {
    return sentence(model(GraphParts{.inputs = {value("x", 1, sizes)}}));
  };
  EXPECT_EQ(
      input({"4294967296", "4294967296"}),
      "m.onnx: the file declares \"x\" with a shape that overflows: \"4294967296×4294967296\"");
  EXPECT_EQ(input({"-7"}), "m.onnx: the file declares \"x\" with an axis of size -7");
  EXPECT_EQ(input(Texts(1'000'000, "1")),
            "m.onnx: the file declares \"x\" with more than 1000 axes");
  const auto weight = [&](const std::string& tensor) {
    return sentence(model(GraphParts{.initializers = {tensor}}));
  };
  EXPECT_EQ(weight(tensor("w", 1, {std::int64_t{1} << 32, std::int64_t{1} << 32})),
            "m.onnx: the stored tensor \"w\" has a shape that overflows: 4294967296×4294967296");
  EXPECT_EQ(weight(tensor("w", 1, {-1})), "m.onnx: the stored tensor \"w\" has an axis of size -1");
  EXPECT_EQ(weight(raw_tensor("w", 1, {1000, 1000}, "1234")),
            "m.onnx: the stored tensor \"w\" needs 4000000 bytes for its 1000000 elements of f32, "
            "but has 4");
}

TEST_F(BrokenTest, Nesting) {
  const std::string deep =
      chain({node("If", {"x"}, {"y"},
                  {.name = "outermost",
                   .attributes = {graph_attribute("then_branch", nested_bodies(10'000))}})});
  EXPECT_EQ(sentence(deep),
            "m.onnx: If \"deep\": bodies and functions are nested more than 200 deep");
}

TEST_F(BrokenTest, Functions) {
  const auto with = [&](const Texts& functions, const ReadOptions& options = {}) {
    return sentence(
        model(graph({.nodes = {node("F", {"x"}, {"y"}, {.name = "call", .domain = "local"})},
                     .inputs = {value("x")},
                     .outputs = {value("y")}}),
              {.functions = functions}),
        "m.onnx", options);
  };
  const auto calls = [](const std::string& name, const Texts& called) {
    Texts nodes;
    for (std::size_t i = 0; i < called.size(); ++i)
      nodes.push_back(node(called[i], {i == 0 ? "a" : "v" + std::to_string(i - 1)},
                           {i + 1 == called.size() ? "b" : "v" + std::to_string(i)},
                           {.name = "n", .domain = "local"}));
    return function(name, {.nodes = nodes, .inputs = {"a"}, .outputs = {"b"}});
  };
  EXPECT_EQ(
      with({calls("F", {"G"}), calls("G", {"F"})}),
      "m.onnx: F \"n\" in function \"G\": the function \"F\" calls itself, which ONNX forbids");
  Texts doubling = {
      calls("F", {"f24", "f24"}),
      function("f0", {.nodes = {node("Abs", {"a"}, {"b"})}, .inputs = {"a"}, .outputs = {"b"}})};
  for (int i = 1; i < 25; ++i)
    doubling.push_back(
        calls("f" + std::to_string(i), {"f" + std::to_string(i - 1), "f" + std::to_string(i - 1)}));
  EXPECT_NE(with(doubling).find(" nodes once its functions are inlined"), std::string::npos)
      << "2^25 nodes of a file of a few kilobytes";
  EXPECT_EQ(with(doubling, {.max_nodes = 20'000}),
            "m.onnx: f1 \"n\" in function \"f2\": the model has more than 20000 nodes once its "
            "functions are inlined");
}

TEST_F(BrokenTest, ExternalData) {
  const auto at = [&](const std::string& location) {
    return sentence(model(
        GraphParts{.initializers = {external_tensor("w", 1, {10}, {{"location", location}})}}));
  };
  EXPECT_EQ(at("/etc/passwd"),
            "m.onnx: the stored tensor \"w\" keeps its data in \"/etc/passwd\", which is outside "
            "the model's folder");
  EXPECT_EQ(at("../../etc/passwd"),
            "m.onnx: the stored tensor \"w\" keeps its data in \"../../etc/passwd\", which is "
            "outside the model's folder");
  std::ofstream(folder_ / "short.bin") << "1234";
  EXPECT_EQ(at("short.bin"),
            "m.onnx: the stored tensor \"w\" needs bytes 0 to 40 of \"short.bin\", which has only "
            "4; it was cut off, or belongs to another model");
}

}  // namespace
}  // namespace strata
