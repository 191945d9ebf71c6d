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

TEST_F(TotalsTask, FoldersAndPatternsStandForFiles) {
  const std::string a = folder_ + "/a.onnx", b = folder_ + "/b.onnx";
  EXPECT_THAT(*models_at({folder_}), ElementsAre(a, b));
  EXPECT_THAT(*models_at({folder_ + "/?.onnx", "zoo:resnet18"}), ElementsAre(a, b, "zoo:resnet18"));
  EXPECT_THAT(*models_at({"nothere.onnx"}), ElementsAre("nothere.onnx"));  // fails when it is read
  EXPECT_TRUE(names_several(folder_) && names_several(folder_ + "/*"));
  EXPECT_FALSE(names_several(a) || names_several("zoo:resnet18?resolution=64"));
}

TEST_F(TotalsTask, APatternThatMatchesNothingIsASentence) {
  const auto pattern = models_at({"zoo:resnet18", folder_ + "/*.none"});
  ASSERT_FALSE(pattern);
  EXPECT_EQ(pattern.error().message, "no file matches \"" + folder_ + "/*.none\"");
  const auto empty = models_at({folder_ + "/below.onnx"});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().message,
            "the folder " + folder_ + "/below.onnx has no .onnx or .pt2 file");
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
