// `strata quantize` on a network that was trained on digits, and on one with a layer that is
// known to break.
#include <algorithm>
#include <sstream>

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
    return digits + file + " --data " + digits + "images.npz --samples 64 ";
  }
  nlohmann::json json(const std::string& options) const {
    const Ran ran = strata("quantize " + options + " --no-time --format json 2>/dev/null");
    EXPECT_EQ(ran.code, 0) << ran.text;
    return nlohmann::json::parse(ran.text, nullptr, false);
  }
};

TEST_F(Quantize, ATrainedNetworkKeepsItsAnswers) {
  auto result = json(arguments("digits.onnx") + "-o out.onnx");
  ASSERT_TRUE(result.is_object());
  EXPECT_GT(result["facts"]["answers"]["sqnr_db"], 25);
  EXPECT_EQ(result["facts"]["answers"]["samples"], 16);
  EXPECT_EQ(result["facts"]["answers"]["top1_percent"], 100);
  EXPECT_TRUE(exists("out.onnx"));
  EXPECT_THAT(strata("quantize out.onnx --random -o again.onnx").text,
              HasSubstr("quantized already"));
  EXPECT_FALSE(exists("again.onnx"));
}

TEST_F(Quantize, TheLayerThatBreaksIsFoundAndKept) {
  const Ran bad = strata("quantize " + arguments("digits_planted.onnx") + "-o all.onnx --no-time");
  EXPECT_EQ(bad.code, 0) << bad.text;
  EXPECT_TRUE(bad.text.starts_with("WARNING: the answers are bad: SQNR 1")) << bad.text;
  auto kept =
      json(arguments("digits_planted.onnx") + "-o out.onnx --keep-float auto --min-sqnr 25");
  ASSERT_TRUE(kept.is_object());
  EXPECT_GE(kept["facts"]["answers"]["sqnr_db"], 25);
  std::size_t floats = 0;
  for (auto& layer : kept["tables"]["layers"]["rows"]) {
    floats += layer["written"] == "int8" ? 0 : 1;
    if (layer["layer"] == "features.3.project.0") {
      EXPECT_EQ(layer["written"], "float");
    }
  }
  EXPECT_LE(floats, 3u);
  EXPECT_THAT(read("out.exclude.txt"), HasSubstr("/features/features.3/project/project.0/Conv\n"));
}

// A choice is judged on samples that had no part in it: the same model, kept by name and judged on
// these samples alone, has the same answers.
TEST_F(Quantize, AChoiceIsJudgedOnOtherSamples) {
  const std::string model = STRATA_SOURCE_DIR "/tests/models/digits/digits_planted.onnx ";
  ASSERT_EQ(strata("calibrate " + arguments("digits_planted.onnx") + "-o r.json").code, 0);
  auto chosen = json(model + "--ranges r.json -o out.onnx --keep-float auto --min-sqnr 25");
  ASSERT_TRUE(chosen.is_object());
  EXPECT_EQ(chosen["facts"]["answers"]["chosen_on"], 8);
  EXPECT_EQ(chosen["facts"]["answers"]["judged_on_others"], true);
  EXPECT_EQ(chosen["facts"]["answers"]["samples"], 8);
  std::string keep;
  for (const char* table : {"tensors", "layers"})
    for (auto& part : chosen["tables"][table]["rows"])
      if (part["reason"] == "answers") keep += "," + part["layer"].get<std::string>();
  ASSERT_FALSE(keep.empty());
  // 64 samples are for calibration, 8 for the choice.
  auto named =
      json(arguments("digits_planted.onnx") +
           "--ranges r.json -o named.onnx --offset 72 --held-out 8 --keep-float " + keep.substr(1));
  EXPECT_TRUE(named["facts"]["answers"]["chosen_on"].is_null());
  EXPECT_EQ(named["facts"]["answers"]["samples"], 8);
  EXPECT_EQ(named["facts"]["answers"]["sqnr_db"], chosen["facts"]["answers"]["sqnr_db"]);
  EXPECT_EQ(named["facts"]["answers"]["promised_sqnr_db"],
            chosen["facts"]["answers"]["promised_sqnr_db"]);

  const Ran few = strata("quantize " + model + "--ranges r.json -o out.onnx --keep-float auto " +
                         "--min-sqnr 25 --held-out 6 --no-time");
  EXPECT_EQ(few.code, 0) << few.text;
  EXPECT_THAT(few.text, HasSubstr("\nchosen and judged on the same 6 samples"));
}

TEST_F(Quantize, LayersCanBeKeptByName) {
  auto kept = json(arguments("digits.onnx") + "-o out.onnx --keep-float classifier,features.1");
  ASSERT_TRUE(kept.is_object());
  for (auto& layer : kept["tables"]["layers"]["rows"]) {
    const std::string path = layer["layer"];
    EXPECT_EQ(layer["written"] == "int8", path != "classifier" && !path.starts_with("features.1."));
  }
}

// Keeping the layer alone does not help, because its output breaks. What is promised comes true.
TEST_F(Quantize, AnActivationInFloatsIsWhatHelps) {
  struct Case {
    std::string keep;
    double least, most;
    std::size_t floats;
  };
  for (const Case& each : {Case{"none", 8, 16, 0}, Case{"features.3.project.0", 8, 16, 1},
                           Case{"features.3.project.0:output", 30, 40, 2},
                           Case{"features.4.expand.0:input", 30, 40, 2},
                           Case{"features.1.Add:output,features.3.project.0:output", 30, 40, 3},
                           Case{"image:input", 8, 16, 1}}) {
    auto kept = json(arguments("digits_planted.onnx") + "-o out.onnx --keep-float " + each.keep);
    ASSERT_TRUE(kept.is_object()) << each.keep;
    const double got = kept["facts"]["answers"]["sqnr_db"],
                 promised = kept["facts"]["answers"]["promised_sqnr_db"];
    EXPECT_GT(got, each.least) << each.keep;
    EXPECT_LT(got, each.most) << each.keep;
    // The whole numbers are the same, except for sums that floats round differently.
    EXPECT_NEAR(got, promised, 0.3) << each.keep;
    EXPECT_TRUE(kept["facts"]["answers"]["kept_promise"]) << each.keep;
    std::size_t floats = 0;
    for (auto& layer : kept["tables"]["layers"]["rows"]) {
      floats += layer["runs_in"] == "float" ? 1 : 0;
      EXPECT_EQ(layer["written"] == "int8", layer["runs_in"] == "int8") << layer;
    }
    EXPECT_EQ(floats, each.floats) << each.keep;
  }
}

TEST_F(Quantize, LayersInBodiesAreNamed) {
  const std::string model = STRATA_SOURCE_DIR "/tests/cli/models/branches.onnx";
  for (const std::string& command :
       {"quantize " + model + " --random -o out.onnx", "sensitivity " + model + " --random"}) {
    const Ran ran = strata(command);
    EXPECT_EQ(ran.code, 1) << ran.text;
    EXPECT_THAT(ran.text, HasSubstr("all 4 layers lie in the bodies of If node \"/gate/If\""));
  }
  EXPECT_FALSE(exists("out.onnx"));
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
  const Ran named = strata("quantize " + arguments("digits_planted.onnx") +
                           "-o out.onnx --keep-float classifier --min-sqnr 20 --no-time");
  EXPECT_EQ(named.code, 3) << named.text;
  EXPECT_THAT(named.text, HasSubstr("do not meet the target: SQNR 1"));
  const Ran last =
      strata("quantize " + arguments("digits.onnx") + "-o out.onnx --keep-float classifier:output");
  EXPECT_EQ(last.code, 2) << last.text;
  EXPECT_THAT(last.text, HasSubstr("nothing is rounded there"));
  const Ran full = strata("quantize " + arguments("digits.onnx") + "-o /dev/full/out.onnx");
  EXPECT_EQ(full.code, 1) << full.text;
  EXPECT_FALSE(exists("out.onnx"));
  EXPECT_FALSE(exists("out.exclude.txt"));
}

// The simplest command line: it gives nothing but the file of ranges.
TEST_F(Quantize, RangesSayWhichSamplesCameFromWhere) {
  ASSERT_EQ(strata("calibrate " + arguments("digits.onnx") + "--offset 10 -o r.json").code, 0);
  const std::string model = STRATA_SOURCE_DIR "/tests/models/digits/digits.onnx";
  auto alone = json(model + " --ranges r.json --keep-float auto -o out.onnx");
  ASSERT_TRUE(alone.is_object());
  EXPECT_EQ(alone["facts"]["answers"]["samples"], 16);
  EXPECT_THAT(alone["facts"]["answers"]["data"].get<std::string>(), HasSubstr("from number 74 on"));
  EXPECT_EQ(alone["facts"]["target"]["min_sqnr_db"], 20);
  EXPECT_FALSE(alone["facts"]["random_data"]);
  // In the same folder, samples follow the file's own; in another one, they begin at its start.
  auto same = json(arguments("digits.onnx") + "--ranges r.json -o out.onnx");
  EXPECT_EQ(same["facts"]["answers"]["data"], alone["facts"]["answers"]["data"]);
  auto asked = json(arguments("digits.onnx") + "--offset 200 --ranges r.json -o out.onnx");
  EXPECT_THAT(asked["facts"]["answers"]["data"].get<std::string>(),
              HasSubstr("from number 200 on"));
  auto random = json(model + " --random --ranges r.json -o out.onnx");
  EXPECT_THAT(random["facts"]["answers"]["data"].get<std::string>(),
              HasSubstr("random samples, seed 0"));
  EXPECT_TRUE(random["facts"]["random_data"]);
}

TEST_F(Quantize, SamplesThatAreSpreadAreNotJudgedOn) {
  auto result = json(arguments("digits.onnx") + "--spread -o out.onnx");
  ASSERT_TRUE(result.is_object());
  EXPECT_THAT(result["facts"]["answers"]["data"].get<std::string>(), HasSubstr("from number 1 on"));
  EXPECT_EQ(result["facts"]["answers"]["samples"], 64);
}

TEST_F(Quantize, WithoutSamplesLeftAnswersAreNotJudged) {
  const std::string all =
      STRATA_SOURCE_DIR "/tests/models/digits/digits.onnx --data " STRATA_SOURCE_DIR
                        "/tests/models/digits/images.npz --samples 360 ";
  auto result = json(all + "-o out.onnx");
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["facts"]["answers"]["samples"], 0);
  EXPECT_TRUE(result["facts"]["answers"]["sqnr_db"].is_null());
  EXPECT_THAT(result["notes"][0].get<std::string>(), HasSubstr("answers were not judged"));
  const Ran automatic = strata("quantize " + all + "--keep-float auto --no-time -o no.onnx");
  EXPECT_EQ(automatic.code, 1) << automatic.text;
  EXPECT_THAT(automatic.text, HasSubstr("no samples behind the 360"));
  EXPECT_FALSE(exists("no.onnx"));
}

TEST_F(Quantize, RandomIsSaidInEveryOutput) {
  const std::string made =
      "quantize 'zoo:squeezenet1_1?resolution=64' --random --no-time -o o.onnx";
  const std::string table = strata(made).text;
  EXPECT_THAT(table, HasSubstr("RANDOM samples"));
  EXPECT_THAT(table, HasSubstr("RANDOM weights"));
  EXPECT_THAT(strata(made + " --format csv").text, HasSubstr(",samples and weights,"));
  const std::string text = strata(made + " --format json").text;
  EXPECT_THAT(text, HasSubstr("\"random_data\": true"));
  EXPECT_THAT(text, HasSubstr("\"random_weights\": true"));
  const std::string seen = "calibrate 'zoo:squeezenet1_1?resolution=64' --random --samples 1 ";
  for (const char* format : {"table", "md", "json"})
    EXPECT_THAT(strata(seen + "--engine fake -o r.json --format " + format).text,
                HasSubstr("RANDOM samples"))
        << format;
  EXPECT_THAT(strata(seen + "--engine fake --format csv").text, HasSubstr(",random\n"));
  EXPECT_THAT(strata(seen + "--engine fake --format csv").text, HasSubstr(",1\n"));
  EXPECT_THAT(read("r.json"), HasSubstr("\"random\": true"));
}

// The written names are nodes of the file that was read, and ONNX Runtime's quantize_static
// compares them as such.
TEST_F(Quantize, TheExcludedNodesAreThoseOfTheOriginal) {
  auto kept = json(arguments("digits.onnx") + "-o out.onnx --keep-float features.1,classifier");
  ASSERT_TRUE(kept.is_object());
  std::ifstream file(STRATA_SOURCE_DIR "/tests/models/digits/digits.onnx", std::ios::binary);
  std::stringstream original;
  original << file.rdbuf();
  std::stringstream listed(read("out.exclude.txt"));
  std::vector<std::string> names;
  for (std::string line; std::getline(listed, line);) names.push_back(line);
  EXPECT_EQ(kept["facts"]["nodes_to_exclude"].get<std::vector<std::string>>(), names);
  EXPECT_GE(names.size(), 6u);
  for (const std::string& name : names) EXPECT_THAT(original.str(), HasSubstr(name));
  EXPECT_THAT(names, testing::Contains("/classifier/Gemm"));
  EXPECT_THAT(names, testing::Contains("/features/features.1/spatial/spatial.0/Conv"));
}

// Sizes that are open in the file stay open.
TEST_F(Quantize, TheBatchStaysOpen) {
  ASSERT_TRUE(json(arguments("digits.onnx") + "-o out.onnx").is_object());
  EXPECT_THAT(strata("stat out.onnx").text, HasSubstr("N×12×8×8"));
  EXPECT_EQ(strata("stat out.onnx --batch 3 --time --runs 1").code, 0);
}

TEST_F(Quantize, StoppedBeforeTheModelIsChosenWritesNothing) {
  const Ran ran = shell("timeout -s INT 5 " STRATA_BINARY " quantize " STRATA_SOURCE_DIR
                        "/tests/models/digits/digits.onnx --random --samples 4 --held-out 1000000 "
                        "--no-time -o out.onnx; code=$?; [ $code = 124 ] || exit $code");
  EXPECT_THAT(ran.text, HasSubstr("stopped; nothing was written"));
  EXPECT_FALSE(exists("out.onnx"));
  EXPECT_FALSE(exists("out.exclude.txt"));
}

}  // namespace
}  // namespace strata
