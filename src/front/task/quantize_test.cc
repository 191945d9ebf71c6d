#include "strata/task/quantize.h"

#include <filesystem>

#include "strata/read/read.h"
#include "strata/task/calibrate.h"
#include "task/quantize_samples.h"
#include "task/test_job.h"

namespace strata {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class QuantizeJob : public test::JobTest {
 protected:
  QuantizeRequest request() const {
    QuantizeRequest out{small_model(), random_samples(3), fake_engine()};
    out.held_out = 2;
    out.time = false;
    out.output = file("out.onnx");
    return out;
  }
};

TEST_F(QuantizeJob, CalibratesJudgesAndWrites) {
  const auto report = run_quantize(request(), observer());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->ranges, "minmax of 3 RANDOM samples");
  EXPECT_TRUE(report->random_data);
  EXPECT_TRUE(report->random_weights);
  EXPECT_EQ(report->outcome.layers.size(), 26u);
  EXPECT_EQ(report->outcome.got.size(), 2u);
  EXPECT_EQ(report->exclude, file("out.exclude.txt"));
  EXPECT_TRUE(std::filesystem::exists(report->exclude));
  EXPECT_TRUE(read_model(report->output));
  EXPECT_THAT(stages_, Contains("calibrating"));
  EXPECT_THAT(stages_, Contains("simulating the plan"));
}

TEST_F(QuantizeJob, StoppedBeforeNothingIsWritten) {
  const auto report = run_quantize(request(), observer("calibrating", 0.3));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "stopped while ranges were being measured");
  EXPECT_FALSE(std::filesystem::exists(request().output));
}

// No sample that answers are judged on is one that ranges come from.
TEST_F(QuantizeJob, HeldOutSamplesFollowThoseOfTheRanges) {
  const auto loaded = load_one_item(small_model());
  ASSERT_TRUE(loaded) << loaded.error().message;
  QuantizeRequest asked = request();
  const Observer silent;
  const auto measured = QuantizeSamples::find(asked, loaded->model, silent);
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_THAT(measured->ranges(), testing::Not(IsEmpty()));
  EXPECT_THAT(measured->held_out(2)->describe(), HasSubstr("2 random samples from number 3 on"));

  CalibrateRequest calibration{small_model(), random_samples(5, 7), fake_engine()};
  calibration.output = file("ranges.json");
  ASSERT_TRUE(run_calibrate(calibration));
  asked.ranges = calibration.output;
  asked.data = {};
  const auto read = QuantizeSamples::find(asked, loaded->model, silent);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->held_out(2)->describe(),
              HasSubstr("2 random samples from number 5 on, seed 7"));
  asked.data = random_samples(4);  // with another seed, so all samples differ
  const auto other = QuantizeSamples::find(asked, loaded->model, silent);
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_THAT(other->held_out(2)->describe(), HasSubstr("2 random samples, seed 0"));
}

TEST_F(QuantizeJob, RangesOfAnotherNetworkAreRefused) {
  CalibrateRequest calibration{{"zoo:resnet18?resolution=32"}, random_samples(1), fake_engine()};
  calibration.output = file("ranges.json");
  ASSERT_TRUE(run_calibrate(calibration));
  QuantizeRequest wrong = request();
  wrong.ranges = calibration.output;
  const auto report = run_quantize(wrong, observer());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Code::RangesOfOther);
  EXPECT_EQ(report.error().fields().model, "zoo:squeezenet1_1?resolution=32");
  EXPECT_EQ(
      report.error().message,
      file("ranges.json") + ": its ranges are of another network, zoo:resnet18?resolution=32");
}

}  // namespace
}  // namespace strata
