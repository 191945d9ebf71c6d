// Jobs on an engine that takes its process with it. The processes are this test program itself
// (main_test.cc), and the fake engine fails to order.
#include "task/job_process.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include "strata/task/calibrate.h"
#include "strata/task/quantize.h"
#include "strata/task/sensitivity.h"
#include "task/test_job.h"

namespace strata {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class JobProcess : public test::JobTest {
 protected:
  static EngineRequest failing(const std::string& way, int at) {
    EngineRequest out = fake_engine();
    out.own = {"fail=" + way, "at=" + std::to_string(at)};
    return out;
  }
  // Stops half a second after the second of four samples: in the run that follows.
  Observer stopping_in_third_run() {
    Observer out = observer();
    out.progress = [this](std::string_view, double share) {
      if (share != 0.5) return;
      stopping_ = std::thread([this] {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        stop_ = true;
      });
    };
    return out;
  }
  void TearDown() override {
    if (stopping_.joinable()) stopping_.join();
  }
  CalibrateRequest calibration(std::int64_t samples, EngineRequest engine) const {
    CalibrateRequest out{small_model(), random_samples(samples), std::move(engine)};
    out.output = file("ranges.json");
    out.keep_seconds = 0;
    return out;
  }
  SensitivityRequest sensitivity(EngineRequest engine) {
    CalibrateRequest ranges = calibration(4, fake_engine());
    EXPECT_TRUE(run_calibrate(ranges));
    SensitivityRequest out{small_model(), random_samples(4), std::move(engine)};
    out.ranges = ranges.output;
    out.journal = file("scores.json");
    out.keep_seconds = 0;
    return out;
  }
  QuantizeRequest quantization(EngineRequest engine) const {
    QuantizeRequest out{small_model(), random_samples(3), std::move(engine)};
    out.held_out = 2;
    out.time = false;
    out.output = file("out.onnx");
    return out;
  }
  std::thread stopping_;
};

struct Way {
  std::string name, sentence;
};
const Way kWays[] = {
    {"crash", "engine fake crashed (SIGABRT: Aborted)"},
    {"exit", "engine fake ended its process (exit code 3)"},
    {"kill", "engine fake was killed (SIGKILL), as the system does when memory ends"}};

TEST_F(JobProcess, AnEngineThatDiesEndsCalibratingWithASentence) {
  for (const Way& way : kWays) {
    CalibrateRequest request = calibration(2, failing(way.name, 0));
    const auto outcome = run_calibrate(request, observer());
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, Code::EngineDied);
    EXPECT_EQ(outcome.error().kind, ErrorKind::Model);
    EXPECT_EQ(outcome.error().fields().name, "fake");
    EXPECT_EQ(outcome.error().message, "zoo:squeezenet1_1?resolution=32: " + way.sentence);
  }
}

// The fourth run fails: three samples are kept. The same request then runs three more, and ends.
TEST_F(JobProcess, WhatWasSeenBeforeIsKeptAndResumedFrom) {
  const auto whole =
      run_calibrate(CalibrateRequest{small_model(), random_samples(6), fake_engine()});
  ASSERT_TRUE(whole) << whole.error().message;
  for (const Way& way : kWays) {
    const CalibrateRequest request = calibration(6, failing(way.name, 3));
    const auto died = run_calibrate(request, observer());
    ASSERT_FALSE(died);
    EXPECT_EQ(died.error().message, "zoo:squeezenet1_1?resolution=32: " + way.sentence +
                                        "; what was measured before is in " +
                                        file("ranges.json.part") +
                                        ", from which the same job resumes");
    EXPECT_EQ(read_calibration(file("ranges.json.part"))->samples, 3u);
    resumed_.clear();
    const auto second = run_calibrate(request, observer());
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_THAT(resumed_, ElementsAre("going on after 3 of 6 samples"));
    EXPECT_EQ(second->calibration.tensors, whole->calibration.tensors);
    std::filesystem::remove(request.output);
  }
}

// Each process fails in its thirtieth run, after it has measured a few layers.
TEST_F(JobProcess, ASensitivityGoesOnWithTheScoresOfAProcessThatDied) {
  for (const Way& way : kWays) {
    SensitivityRequest request = sensitivity(fake_engine());
    request.engine.own = {"fail=" + way.name, "after=29"};
    const auto died = run_sensitivity(request, observer());
    ASSERT_FALSE(died);
    EXPECT_EQ(died.error().code, Code::EngineDied);
    EXPECT_EQ(died.error().message, "zoo:squeezenet1_1?resolution=32: " + way.sentence +
                                        "; what was measured before is in " + request.journal +
                                        ", from which the same job resumes");
    resumed_.clear();
    run_sensitivity(request, observer());
    ASSERT_EQ(resumed_.size(), 1u);
    EXPECT_THAT(resumed_[0], StartsWith("going on with "));
    std::filesystem::remove(request.journal);
  }
}

TEST_F(JobProcess, AnEngineThatDiesEndsQuantizingAndNothingIsWritten) {
  for (const Way& way : kWays) {
    const QuantizeRequest request = quantization(failing(way.name, 1));
    const auto died = run_quantize(request, observer());
    ASSERT_FALSE(died);
    EXPECT_EQ(died.error().code, Code::EngineDied);
    EXPECT_THAT(died.error().message, HasSubstr(way.sentence));
    EXPECT_FALSE(std::filesystem::exists(request.output));
  }
}

// A run that can be cancelled is: the outcome is that of any stopped job.
TEST_F(JobProcess, AnEngineThatHangsIsStopped) {
  const auto outcome = run_calibrate(calibration(4, failing("hang", 2)), stopping_in_third_run());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(outcome->calibration.samples, 2u);
}

// One that cannot be is ended, and what was seen before is there.
TEST_F(JobProcess, AnEngineThatDoesNotStopIsEnded) {
  const CalibrateRequest request = calibration(4, failing("stuck", 2));
  const auto start = std::chrono::steady_clock::now();
  const auto outcome = run_calibrate(request, stopping_in_third_run());
  ASSERT_FALSE(outcome);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(outcome.error().code, Code::EngineStuck);
  EXPECT_EQ(outcome.error().message,
            "zoo:squeezenet1_1?resolution=32: engine fake did not stop when asked to and was "
            "killed; what was measured before is in " +
                file("ranges.json.part") + ", from which the same job resumes");
  EXPECT_EQ(read_calibration(file("ranges.json.part"))->samples, 2u);
}

// The other process gives what this one would have: all that reports are made from.
TEST_F(JobProcess, TheOutcomeIsThatOfTheSameJobInThisProcess) {
  CalibrateRequest calibrate = calibration(3, fake_engine());
  calibrate.per_channel = true;
  const auto there = run_calibrate(calibrate);
  ASSERT_TRUE(there) << there.error().message;
  calibrate.in_process = true;
  calibrate.fresh = true;
  EXPECT_EQ(run_calibrate(calibrate)->calibration, there->calibration);

  SensitivityRequest measure = sensitivity(fake_engine());
  measure.parts = true;
  measure.leave_one_out = true;
  measure.fresh = true;
  auto scores = run_sensitivity(measure);
  ASSERT_TRUE(scores) << scores.error().message;
  measure.in_process = true;
  auto own_scores = run_sensitivity(measure);
  ASSERT_TRUE(own_scores) << own_scores.error().message;
  for (SensitivityRun* run : {&scores->run, &own_scores->run})
    run->seconds = run->result.seconds = 0;
  EXPECT_EQ(sensitivity_to_json(scores->run), sensitivity_to_json(own_scores->run));
  EXPECT_EQ(sensitivity_to_table(scores->run, 0), sensitivity_to_table(own_scores->run, 0));

  QuantizeRequest quantize = quantization(fake_engine());
  quantize.keep_float = {"auto"};
  quantize.target.min_sqnr = -100;
  const auto report = run_quantize(quantize);
  ASSERT_TRUE(report) << report.error().message;
  quantize.in_process = true;
  const auto own_report = run_quantize(quantize);
  ASSERT_TRUE(own_report) << own_report.error().message;
  EXPECT_EQ(quantize_json(*report), quantize_json(*own_report));
  EXPECT_EQ(quantize_text(*report, {}), quantize_text(*own_report, {}));
}

// The sizes that a caller gives, and sentences that it words, reach the other process and come
// back.
TEST_F(JobProcess, SizesAndWordsPass) {
  CalibrateRequest request = calibration(1, fake_engine());
  request.model = {"zoo:squeezenet1_1"};
  request.model.sizes.input_shapes = {{"input", {Expr(2), Expr(3), Expr(32), Expr(32)}}};
  const auto outcome = run_calibrate(request, observer());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->calibration.tensors.at(0).sketch.count(), 2u * 3 * 32 * 32);

  // The file for what has been seen so far cannot be written.
  std::filesystem::create_directory(file("ranges.json.part"));
  const auto noted = run_calibrate(calibration(3, fake_engine()), observer());
  ASSERT_TRUE(noted) << noted.error().message;
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_THAT(notes_[0], AllOf(HasSubstr("[phrased]"), HasSubstr("going on without")));
}

TEST_F(JobProcess, AProgramThatIsNoWorkerIsSaidToBeNone) {
  CalibrateRequest request = calibration(1, fake_engine());
  request.program = "/bin/true";
  EXPECT_EQ(run_calibrate(request).error().message,
            "/bin/true was started as a worker and does not act as one: its main() must call "
            "worker_main()");
  request.program = "/none/strata";
  EXPECT_EQ(run_calibrate(request).error().message, "/none/strata cannot be started as a worker");
}

// Otherwise a program that does not call worker_main() would start itself over and over.
TEST_F(JobProcess, AWorkerThatIsNotReadyStartsNoOther) {
  ::setenv("STRATA_WORKER", "1", 1);
  const auto outcome = run_calibrate(calibration(1, fake_engine()));
  ::unsetenv("STRATA_WORKER");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message,
            "this program was started as a worker, and does not call worker_main()");
}

}  // namespace
}  // namespace strata
