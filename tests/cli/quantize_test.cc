// `strata quantize` on a network that was trained on digits, and on one with a layer that is
// known to break.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "program_folder.h"

namespace strata {
namespace {

using testing::HasSubstr;

class Quantize : public ProgramFolder {
 protected:
  static std::string arguments(const std::string& file) {
    const std::string digits = STRATA_SOURCE_DIR "/tests/models/digits/";
    return digits + file + " --batch 1 --data " + digits + "images.npz --samples 64 ";
  }
  nlohmann::json json(const std::string& options) const {
    const Ran ran = strata("quantize " + options + " --no-time --format json");
    EXPECT_EQ(ran.code, 0) << ran.text;
    return nlohmann::json::parse(ran.text, nullptr, false);
  }
};

TEST_F(Quantize, ATrainedNetworkKeepsItsAnswers) {
  auto result = json(arguments("digits.onnx") + "-o out.onnx");
  ASSERT_TRUE(result.is_object());
  EXPECT_GT(result["answers"]["sqnr_db"], 25);
  EXPECT_EQ(result["answers"]["samples"], 16);
  EXPECT_EQ(result["answers"]["top1_percent"], 100);
  EXPECT_TRUE(exists("out.onnx"));
  EXPECT_THAT(strata("quantize out.onnx --batch 1 --random -o again.onnx").text,
              HasSubstr("quantized already"));
  EXPECT_FALSE(exists("again.onnx"));
}

TEST_F(Quantize, TheLayerThatBreaksIsFoundAndKept) {
  auto all = json(arguments("digits_planted.onnx") + "-o all.onnx");
  EXPECT_LT(all["answers"]["sqnr_db"], 15);
  auto kept =
      json(arguments("digits_planted.onnx") + "-o out.onnx --keep-float auto --min-sqnr 25");
  ASSERT_TRUE(kept.is_object());
  EXPECT_GE(kept["answers"]["sqnr_db"], 25);
  std::size_t floats = 0;
  for (auto& layer : kept["layers"]) {
    floats += layer["int8"] ? 0 : 1;
    if (layer["layer"] == "features.3.project.0") {
      EXPECT_FALSE(layer["int8"]);
    }
  }
  EXPECT_LE(floats, 3u);
  EXPECT_THAT(read("out.exclude.txt"), HasSubstr("/features/features.3/project/project.0/Conv\n"));
}

TEST_F(Quantize, LayersCanBeKeptByName) {
  auto kept = json(arguments("digits.onnx") + "-o out.onnx --keep-float classifier,features.1");
  ASSERT_TRUE(kept.is_object());
  for (auto& layer : kept["layers"]) {
    const std::string path = layer["layer"];
    EXPECT_EQ(layer["int8"], path != "classifier" && !path.starts_with("features.1."));
  }
}

TEST_F(Quantize, WhatCannotBeDoneWritesNothing) {
  const Ran target = strata("quantize " + arguments("digits_planted.onnx") +
                            "-o out.onnx --keep-float auto --min-sqnr 200 --no-time");
  EXPECT_EQ(target.code, 3) << target.text;
  EXPECT_THAT(target.text, HasSubstr("nothing was written"));
  const Ran name =
      strata("quantize " + arguments("digits.onnx") + "-o out.onnx --keep-float nosuch");
  EXPECT_NE(name.code, 0);
  EXPECT_THAT(name.text, HasSubstr("nosuch"));
  const Ran usage = strata("quantize " + arguments("digits.onnx") + "-o out.onnx --min-sqnr 20");
  EXPECT_EQ(usage.code, 2) << usage.text;
  const Ran full = strata("quantize " + arguments("digits.onnx") + "-o /dev/full/out.onnx");
  EXPECT_EQ(full.code, 1) << full.text;
  EXPECT_FALSE(exists("out.onnx"));
  EXPECT_FALSE(exists("out.exclude.txt"));
}

}  // namespace
}  // namespace strata
