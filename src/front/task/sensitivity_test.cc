#include "strata/task/sensitivity.h"

#include <filesystem>

#include "strata/task/calibrate.h"
#include "task/test_job.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class SensitivityJob : public test::JobTest {
 protected:
  SensitivityRequest request(std::int64_t samples) const {
    SensitivityRequest out{small_model(), random_samples(samples), fake_engine()};
    out.caller = {"strata test", {{"--samples", "2"}}};
    return out;
  }
  // The SQNR of every layer over its samples.
  static std::vector<std::optional<double>> figures(const SensitivityOutcome& outcome) {
    std::vector<std::optional<double>> out;
    for (const LayerScore& layer : outcome.run.result.layers)
      out.push_back(score_of(Quality::Sqnr, layer.alone));
    return out;
  }
};

TEST_F(SensitivityJob, EveryLayerIsMeasuredOnAllSamples) {
  const auto outcome = run_sensitivity(request(2), observer());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(outcome->interrupted);
  const SensitivityRun& run = outcome->run;
  EXPECT_EQ(run.program, "strata test");
  EXPECT_EQ(run.options.size(), 1u);
  EXPECT_EQ(run.layers.size(), 26u);  // the convolutions of SqueezeNet 1.1
  for (const LayerScore& layer : run.result.layers) EXPECT_EQ(layer.alone.size(), 2u);
  EXPECT_EQ(run.result.joint.size(), 2u);
  EXPECT_EQ(run.ranges, "minmax of the same 2 samples");
  EXPECT_THAT(stages_, ElementsAre("calibrating", "one layer at a time"));
}

TEST_F(SensitivityJob, AStoppedRunGoesOnWithItsJournal) {
  const auto whole = run_sensitivity(request(2));
  ASSERT_TRUE(whole) << whole.error().message;
  SensitivityRequest in_parts = request(2);
  in_parts.journal = file("scores.json");
  const auto first = run_sensitivity(in_parts, observer("one layer at a time", 0.4));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(first->interrupted);
  EXPECT_TRUE(first->run.result.partial);
  ASSERT_TRUE(std::filesystem::exists(in_parts.journal));
  EXPECT_THAT(resumed_, IsEmpty());
  const auto second = run_sensitivity(in_parts, observer());
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_FALSE(second->interrupted);
  ASSERT_EQ(resumed_.size(), 1u);
  EXPECT_THAT(resumed_[0], StartsWith("going on with "));
  EXPECT_EQ(figures(*second), figures(*whole));
}

TEST_F(SensitivityJob, StoppedWhileRangesAreMeasured) {
  SensitivityRequest cut = request(4);
  cut.journal = file("scores.json");
  const auto outcome = run_sensitivity(cut, observer("calibrating", 0.5));
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_FALSE(std::filesystem::exists(cut.journal));
}

TEST_F(SensitivityJob, AJournalOfAnotherRunIsRefused) {
  SensitivityRequest kept = request(1);
  kept.journal = file("scores.json");
  ASSERT_TRUE(run_sensitivity(kept));
  kept.rounding.weight_bits = 4;
  const auto other = run_sensitivity(kept, observer());
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Code::OtherRun);
  EXPECT_THAT(other.error().message, HasSubstr("is of another model, other samples or other "));
  kept.fresh = true;
  EXPECT_TRUE(run_sensitivity(kept));
}

TEST_F(SensitivityJob, RangesOfAnotherModelLackItsTensors) {
  CalibrateRequest calibration{{"zoo:resnet18?resolution=32"}, random_samples(1), fake_engine()};
  calibration.output = file("ranges.json");
  ASSERT_TRUE(run_calibrate(calibration));
  SensitivityRequest wrong = request(1);
  wrong.ranges = calibration.output;
  const auto outcome = run_sensitivity(wrong, observer());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::RangesLack);
  EXPECT_THAT(outcome.error().message, HasSubstr("it lacks the tensor"));
  calibration.model = small_model();
  ASSERT_TRUE(run_calibrate(calibration));
  EXPECT_TRUE(run_sensitivity(wrong));
}

TEST_F(SensitivityJob, AMetricOfClassesNeedsClasses) {
  SensitivityRequest wrong = request(1);
  wrong.quality = Quality::Accuracy;
  EXPECT_EQ(run_sensitivity(wrong).error().message, "accuracy needs labels");
  wrong.model.source = "zoo:efficientvit_sam_l0";
  wrong.quality = Quality::Top1;
  const auto outcome = run_sensitivity(wrong, observer());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::NoClasses);
  EXPECT_EQ(outcome.error().fields().name, "top1");
  EXPECT_EQ(outcome.error().message,
            "zoo:efficientvit_sam_l0: no output looks like class scores, which top1 needs");
  EXPECT_EQ(outcome.error().kind, ErrorKind::Usage);
}

// The command counts its calls: for two samples in float, all layers together, and each layer.
TEST_F(SensitivityJob, ACommandJudges) {
  SensitivityRequest judged = request(2);
  judged.quality = Quality::Command;
  judged.rounding.activations = false;
  judged.command = "echo x >>" + file("calls") + "; echo 0.5 #";
  const auto outcome = run_sensitivity(judged, observer());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(std::filesystem::file_size(file("calls")), 2u * 2 * (1 + 1 + 26));
  EXPECT_EQ(outcome->run.result.layers[3].alone[1].command, 0.5);
}

}  // namespace
}  // namespace strata
