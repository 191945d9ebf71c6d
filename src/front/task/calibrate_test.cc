#include "strata/task/calibrate.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "data/npz_write.h"
#include "task/test_job.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

class CalibrateJob : public test::JobTest {
 protected:
  CalibrateRequest request(std::int64_t samples) const {
    return {small_model(), random_samples(samples), fake_engine()};
  }
};

TEST_F(CalibrateJob, WithoutAFileNothingIsKept) {
  const auto outcome = run_calibrate(request(2), observer());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(outcome->interrupted);
  EXPECT_EQ(outcome->calibration.samples, 2u);
  EXPECT_EQ(outcome->calibration.planned, 2u);
  EXPECT_TRUE(outcome->calibration.random);
  EXPECT_EQ(outcome->calibration.source.at("samples"), "2");
  // The input has 3 × 32 × 32 elements per sample.
  EXPECT_EQ(outcome->calibration.tensors.at(0).sketch.count(), 2u * 3 * 32 * 32);
  EXPECT_THAT(stages_, ElementsAre("calibrating"));
  EXPECT_THAT(resumed_, IsEmpty());
}

TEST_F(CalibrateJob, StoppedAndGoneOnWithIsAsIfItNeverHadBeen) {
  const auto whole = run_calibrate(request(4));
  ASSERT_TRUE(whole) << whole.error().message;
  CalibrateRequest in_parts = request(4);
  in_parts.output = file("ranges.json");
  const auto first = run_calibrate(in_parts, observer("calibrating", 0.5));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(first->interrupted);
  EXPECT_LT(first->calibration.samples, 4u);
  ASSERT_GT(first->calibration.samples, 0u);
  EXPECT_FALSE(first->unwritten);
  EXPECT_THAT(resumed_, IsEmpty());

  const auto second = run_calibrate(in_parts, observer());
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_FALSE(second->interrupted);
  EXPECT_THAT(resumed_, ElementsAre("going on after " + std::to_string(first->calibration.samples) +
                                    " of 4 samples"));
  EXPECT_EQ(second->calibration, whole->calibration);
  EXPECT_EQ(read_calibration(in_parts.output).value(), whole->calibration);
  EXPECT_FALSE(std::filesystem::exists(in_parts.output + ".part"));
}

TEST_F(CalibrateJob, AFreshRunDoesNotGoOn) {
  CalibrateRequest in_parts = request(4);
  in_parts.output = file("ranges.json");
  ASSERT_TRUE(run_calibrate(in_parts, observer("calibrating", 0.5)));
  in_parts.fresh = true;
  const auto again = run_calibrate(in_parts, observer());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(resumed_, IsEmpty());
  EXPECT_EQ(again->calibration.samples, 4u);
}

// Neither what has been seen is run again, nor is it lost when that is stopped.
TEST_F(CalibrateJob, AFinishedRunIsNotRepeated) {
  CalibrateRequest whole = request(4);
  whole.output = file("ranges.json");
  const auto first = run_calibrate(whole);
  ASSERT_TRUE(first) << first.error().message;
  const auto again = run_calibrate(whole, observer("calibrating", 0));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(resumed_, ElementsAre("all 4 samples have been seen before"));
  EXPECT_FALSE(again->interrupted);
  EXPECT_EQ(again->calibration, first->calibration);
  EXPECT_EQ(read_calibration(whole.output).value(), first->calibration);
}

TEST_F(CalibrateJob, AStoppedRunDoesNotReplaceAFinishedOne) {
  CalibrateRequest whole = request(4);
  whole.output = file("ranges.json");
  const auto first = run_calibrate(whole);
  ASSERT_TRUE(first) << first.error().message;
  CalibrateRequest other = whole;
  other.data.data.seed = 9;
  const auto stopped = run_calibrate(other, observer("calibrating", 0.5));
  ASSERT_TRUE(stopped) << stopped.error().message;
  ASSERT_TRUE(stopped->interrupted);
  EXPECT_EQ(read_calibration(whole.output).value(), first->calibration);
  const auto second = run_calibrate(other, observer());
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(resumed_.size(), 1u);
  EXPECT_EQ(second->calibration.samples, 4u);
  EXPECT_EQ(read_calibration(whole.output).value(), second->calibration);
}

TEST_F(CalibrateJob, AFileOfSomethingElseIsLeftAlone) {
  CalibrateRequest wrong = request(1);
  wrong.output = file("notes.json");
  std::ofstream(wrong.output) << "{\"mine\": 1}";
  const auto outcome = run_calibrate(wrong, observer());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::Usage);
  EXPECT_THAT(stages_, IsEmpty());
  EXPECT_EQ(std::filesystem::file_size(wrong.output), 11u);
}

// Other samples make another run.
TEST_F(CalibrateJob, AnotherRunIsNotGoneOnWith) {
  CalibrateRequest in_parts = request(4);
  in_parts.output = file("ranges.json");
  ASSERT_TRUE(run_calibrate(in_parts, observer("calibrating", 0.5)));
  in_parts.data.data.seed = 9;
  ASSERT_TRUE(run_calibrate(in_parts, observer()));
  EXPECT_THAT(resumed_, IsEmpty());
}

TEST_F(CalibrateJob, TwoHalvesAreTheWhole) {
  for (const std::uint64_t seed : {0, 2}) {
    CalibrateRequest half = request(2);
    half.data.data.seed = seed;
    half.output = file(std::to_string(seed) + ".json");
    ASSERT_TRUE(run_calibrate(half));
  }
  const std::vector<std::string> paths = {file("0.json"), file("2.json")};
  const auto both = merge_calibrations(paths);
  ASSERT_TRUE(both) << both.error().message;
  const auto whole = run_calibrate(request(4));
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(both->samples, 4u);
  EXPECT_EQ(both->tensors, whole->calibration.tensors);
  EXPECT_FALSE(merge_calibrations({}));
  const std::vector<std::string> missing = {file("0.json"), file("none.json")};
  EXPECT_THAT(merge_calibrations(missing).error().message, HasSubstr("none.json"));
}

TEST_F(CalibrateJob, WhatIsNotFiniteHasACode) {
  HostTensor input{"input", DType::F32, {1, 3, 32, 32}, {}};
  const std::vector<float> elements(3 * 32 * 32, std::nanf(""));
  input.data.resize(elements.size() * sizeof(float));
  std::memcpy(input.data.data(), elements.data(), input.data.size());
  ASSERT_TRUE(write_npz(file("nan.npz"), std::vector<HostTensor>{input}));
  CalibrateRequest broken = request(1);
  broken.data = {file("nan.npz")};
  const auto outcome = run_calibrate(broken, observer());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::NotFinite);
  EXPECT_THAT(outcome.error().message, HasSubstr("input \"input\" has 3072 NaN elements"));
  EXPECT_THAT(outcome.error().message, EndsWith("check the layer that computes it"));
  broken.allow_nonfinite = true;
  EXPECT_TRUE(run_calibrate(broken));
}

TEST_F(CalibrateJob, MistakesAreFoundBeforeTheWork) {
  const auto message = [&](const CalibrateRequest& wrong) {
    stages_.clear();
    const auto outcome = run_calibrate(wrong, observer());
    EXPECT_THAT(stages_, IsEmpty());
    return outcome ? "fine" : outcome.error().message;
  };
  CalibrateRequest wrong = request(1);
  wrong.output = file("no/ranges.json");
  EXPECT_THAT(message(wrong), HasSubstr("cannot be written"));
  wrong = request(1);
  wrong.data = {};
  EXPECT_THAT(message(wrong), HasSubstr("there are no samples"));
  wrong = request(1);
  wrong.engine.own = {"x"};
  EXPECT_EQ(message(wrong), "option x of the engine: write it as KEY=VALUE");
  wrong = request(1);
  wrong.model.source = "/none/net.onnx";
  EXPECT_THAT(message(wrong), HasSubstr("/none/net.onnx"));
}

}  // namespace
}  // namespace strata
