#include "strata/task/totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "strata/base/scratch_folder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using compare::Measure;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TotalsTask : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ + "/below.onnx");
    for (const char* name : {"b.onnx", "a.onnx", "notes.txt"})
      std::ofstream(folder_ + "/" + name) << "x";
  }
  const ScratchFolder scratch_ = ScratchFolder::create().value();
  const std::string folder_ = scratch_.path();
};

std::vector<std::string> words_of(const std::vector<Source>& sources) {
  std::vector<std::string> words;
  for (const Source& source : sources) words.push_back(source.word());
  return words;
}

TEST_F(TotalsTask, FoldersAndPatternsStandForFiles) {
  const std::string a = folder_ + "/a.onnx", b = folder_ + "/b.onnx";
  EXPECT_THAT(words_of(*models_at({folder_})), ElementsAre(a, b));
  EXPECT_THAT(words_of(*models_at({folder_ + "/?.onnx", "zoo:resnet18"})),
              ElementsAre(a, b, "zoo:resnet18"));
  // Fails when it is read.
  EXPECT_THAT(words_of(*models_at({"nothere.onnx"})), ElementsAre("nothere.onnx"));
}

TEST_F(TotalsTask, APatternThatMatchesNothingIsASentence) {
  const auto pattern = models_at({"zoo:resnet18", folder_ + "/*.none"});
  ASSERT_FALSE(pattern);
  EXPECT_EQ(pattern.error().message, "no file matches \"" + folder_ + "/*.none\"");
  const auto empty = models_at({folder_ + "/below.onnx"});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().message,
            "the folder " + folder_ +
                "/below.onnx has no model in it (.tflite, .pte, .onnx, .pt2, .xml, .param)");
}

// torchvision's documentation has 11,689,512 and 25,557,032 parameters.
TEST_F(TotalsTask, OneThatFailsIsARowWithItsReason) {
  const std::string models = STRATA_SOURCE_DIR "/tests/models/";
  const TotalsOutcome outcome = run_totals(
      {.files = {models + "resnet18.onnx", folder_ + "/a.onnx", models + "resnet50.onnx"}});
  ASSERT_EQ(outcome.models.size(), 3u);
  EXPECT_EQ(compare::at(outcome.models[0].totals, Measure::Params).number(), 11689512);
  EXPECT_EQ(compare::at(outcome.models[2].totals, Measure::Params).number(), 25557032);
  EXPECT_THAT(outcome.models[1].problem, HasSubstr("a.onnx"));
  EXPECT_FALSE(compare::at(outcome.models[1].totals, Measure::Params).is_known());
  EXPECT_TRUE(outcome.has_failed());
}

}  // namespace
}  // namespace strata
