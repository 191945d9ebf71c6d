#include "read/looks_like.h"

#include <string>

#include <gtest/gtest.h>

#include "base/in_quotes.h"

namespace strata {
namespace {

using namespace std::string_view_literals;

TEST(LooksLike, KnownFiles) {
  EXPECT_EQ(looks_like("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv).what, "a PNG image");
  EXPECT_EQ(looks_like("PK\x03\x04\0\0\x08\x08\0\0resnet/data.pkl"sv).what,
            "a PyTorch file (.pt, .pth)");
  EXPECT_EQ(looks_like("PK\x03\x04\x14\0\0\0photos/1.jpg"sv).what, "a zip archive");
  EXPECT_EQ(looks_like("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"sv).what,
            "a Git LFS pointer, not the file itself");
  EXPECT_EQ(looks_like("ML\xefR\x01StableHLO"sv).what, "MLIR bytecode, perhaps StableHLO");
  EXPECT_EQ(looks_like("\xdd\x85\x76\0\x05\0\0\0"sv).what,
            "an ncnn network in binary form (.param.bin)");
  // The starts of files of these formats.
  EXPECT_EQ(looks_like("\x08\x01\x12\xe6\x95\x42\x0a\xc8\x24\x12\x9e\x24\x0a\x42\x0a\x05"
                       "AddV2"sv)
                .what,
            "a TensorFlow SavedModel");
  EXPECT_EQ(looks_like("\x08\x06\x12\xda\x01\x0a\x18\x0a\x07input_2\x1a\x0d*\x0b"sv).what,
            "a Core ML model (.mlmodel)");
  EXPECT_EQ(
      looks_like("\x0a\xd5\x97\x04\x08\0\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x1a"sv).what,
      "a PaddlePaddle model (.pdmodel)");
  EXPECT_EQ(looks_like("ftrt\0\0\0\0"sv).what, "a TensorRT engine");
  EXPECT_EQ(looks_like("RKNN\0\0\0\0"sv).what, "an RKNN model of Rockchip's");
  EXPECT_EQ(looks_like("\x01"
                       "HEF\0\0\0"sv)
                .what,
            "a Hailo program (.hef)");
  EXPECT_EQ(looks_like("\x80\x02}q\0"sv).what, "a Python pickle, perhaps PyTorch weights");
  EXPECT_EQ(looks_like("\x40\0\0\0\0\0\0\0{\"w\":{\"dtype\""sv).what,
            "a safetensors file, which holds weights and no network");
  EXPECT_EQ(looks_like("GGUF\x03\0\0\0"sv).what, "a GGUF model");
}

TEST(LooksLike, Texts) {
  EXPECT_EQ(looks_like("\n <!DOCTYPE HTML><html>").what, "a web page");
  EXPECT_EQ(looks_like("<?xml version=\"1.0\"?><net/>").what,
            "an XML file, but no network of OpenVINO");
  EXPECT_EQ(looks_like("  {\"layers\": []}").what, "a JSON file");
  EXPECT_EQ(looks_like("{\"format\": \"graph-model\", \"generatedBy\": \"2.8\"}").what,
            "a TensorFlow.js model (model.json)");
  EXPECT_EQ(looks_like("module @jit_f { func.func public @main() { stablehlo.add").what,
            "an MLIR text, perhaps StableHLO");
  EXPECT_EQ(looks_like("[net]\nbatch=1\n").what, "a Darknet configuration (.cfg)");
  EXPECT_EQ(looks_like("name: \"LeNet\"\nlayer {\n").what, "a Caffe network (.prototxt)");
  EXPECT_EQ(looks_like("hello").what, "a text file");
}

// The options are those of tf2onnx 1.17 and paddle2onnx 2.1.
TEST(LooksLike, AdviceHasThePathInItsCommand) {
  const Guess keras = looks_like("\x89HDF\r\n\x1a\n"sv);
  EXPECT_EQ(advice_for(keras, "nets/a.h5"),
            "convert it with `python -m tf2onnx.convert --keras nets/a.h5 --output model.onnx`");
  EXPECT_EQ(advice_for(keras, "my net.h5"),
            "convert it with `python -m tf2onnx.convert --keras FILE --output model.onnx`");
  const Guess paddle =
      looks_like("\x0a\xd5\x97\x04\x08\0\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x1a"sv);
  EXPECT_EQ(advice_for(paddle, "ocr/det.pdmodel"),
            "convert it with `paddle2onnx --model_dir ocr --model_filename det.pdmodel "
            "--params_filename det.pdiparams --save_file model.onnx`");
  EXPECT_EQ(advice_for({"", "see FOLDER"}, "a.pb"), "see .");
}

TEST(LooksLike, AnythingElse) { EXPECT_EQ(looks_like("\x01\x02\x03\0"sv).what, ""); }

TEST(InQuotes, KeepsASentenceReadable) {
  EXPECT_EQ(in_quotes("plain"), "\"plain\"");
  EXPECT_EQ(in_quotes("a\nb\x1b[31m\"\\"), "\"a\\x0ab\\x1b[31m\\x22\\x5c\"");
  EXPECT_EQ(in_quotes(std::string(1000, 'n')), "\"" + std::string(100, 'n') + "…\"");
  // The text must not be cut in the middle of a character.
  std::string umlauts = "a";
  for (int i = 0; i < 100; ++i) umlauts += "ü";
  EXPECT_EQ(in_quotes(umlauts).size(), 1 + 99 + std::string("…").size() + 1);
}

}  // namespace
}  // namespace strata
