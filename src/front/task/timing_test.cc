#include "strata/task/timing.h"

#include <chrono>
#include <thread>

#include "task/test_job.h"

namespace strata {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

class TimingJob : public test::JobTest {
 protected:
  void SetUp() override {
    test::JobTest::SetUp();
    auto loaded = load_model(small_model());
    ASSERT_TRUE(loaded) << loaded.error().message;
    loaded_ = std::move(*loaded);
  }
  static TimingRequest request() {
    TimingRequest out;
    out.engine = fake_engine();
    out.runs = 4;
    out.warmup = 0;
    return out;
  }
  LoadedModel loaded_;
};

TEST_F(TimingJob, MeasuresAndSaysOnWhat) {
  const auto timed = run_timing(loaded_, small_model(), request(), observer());
  ASSERT_TRUE(timed) << timed.error().message;
  ASSERT_TRUE(timed->timing);
  EXPECT_THAT(timed->timing->runs, Not(IsEmpty()));
  EXPECT_THAT(timed->facts.engine, testing::StartsWith("fake "));
  EXPECT_EQ(timed->facts.view, "optimized");
  EXPECT_EQ(timed->facts.threads, 1);
  EXPECT_THAT(timed->machine, Not(IsEmpty()));
  EXPECT_FALSE(timed->memory);
  EXPECT_FALSE(timed->plan);
  EXPECT_FALSE(timed->interrupted);
  EXPECT_THAT(stages_, Contains("measuring"));
}

// The process that measures sends everything that a run in this process tells: the fake engine's
// kernels are the same in every run.
TEST_F(TimingJob, AnotherProcessTellsTheSame) {
  TimingRequest all = request();
  all.memory = true;
  const auto there = run_timing(loaded_, small_model(), all);
  all.in_process = true;
  const auto here = run_timing(loaded_, small_model(), all);
  ASSERT_TRUE(there && here);
  EXPECT_EQ(there->facts.engine, here->facts.engine);
  EXPECT_EQ(there->facts.threads, here->facts.threads);
  EXPECT_EQ(there->timing->runs.size(), here->timing->runs.size());
  EXPECT_EQ(there->memory->peak, here->memory->peak);
  ASSERT_EQ(there->timing->kernels.size(), here->timing->kernels.size());
  for (std::size_t i = 0; i < here->timing->kernels.size(); ++i) {
    const Kernel& own = here->timing->kernels[i].kernel;
    const Kernel& sent = there->timing->kernels[i].kernel;
    EXPECT_EQ(sent.name, own.name);
    EXPECT_EQ(sent.sources, own.sources);
    EXPECT_EQ(sent.output_dims, own.output_dims);
    EXPECT_EQ(sent.output_types, own.output_types);
  }
}

TEST_F(TimingJob, AnEngineThatDiesIsAnError) {
  TimingRequest dying = request();
  dying.engine.own = {"fail=exit"};
  const auto timed = run_timing(loaded_, small_model(), dying);
  ASSERT_FALSE(timed);
  EXPECT_EQ(timed.error().code, Code::EngineDied);
}

TEST_F(TimingJob, AnEngineThatGivesNoAnswerIsEndedIfTheCallerSetsALimit) {
  TimingRequest hanging = request();
  hanging.engine.own = {"fail=stuck", "at=1"};
  ModelRequest model = small_model();
  model.max_wait_seconds = 1.5;
  const auto timed = run_timing(loaded_, model, hanging);
  ASSERT_FALSE(timed);
  EXPECT_EQ(timed.error().code, Code::EngineSilent);
  EXPECT_EQ(timed.error().kind, ErrorKind::Model);
  EXPECT_EQ(timed.error().message,
            "zoo:squeezenet1_1?resolution=32: engine fake gave no answer in 1.5 s and was killed");
}

// A run that goes on for ever before it is stopped says nothing about how long the process may
// still take.
TEST_F(TimingJob, AnEngineThatDoesNotStopIsEnded) {
  TimingRequest hanging = request();
  hanging.engine.own = {"fail=stuck", "at=0"};
  Observer stopping = observer();
  std::thread stop([this] {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    stop_ = true;
  });
  const auto timed = run_timing(loaded_, small_model(), hanging, stopping);
  stop.join();
  ASSERT_FALSE(timed);
  EXPECT_EQ(timed.error().code, Code::EngineStuck);
}

TEST_F(TimingJob, MemoryAlone) {
  TimingRequest memory = request();
  memory.time = false;
  memory.memory = true;
  const auto timed = run_timing(loaded_, small_model(), memory);
  ASSERT_TRUE(timed) << timed.error().message;
  EXPECT_FALSE(timed->timing);
  ASSERT_TRUE(timed->memory);
  EXPECT_GT(timed->memory->peak, 0);
}

// In the source view, every node is a kernel; in the optimized one, activations are part of
// convolutions.
TEST_F(TimingJob, ALookRunsNothing) {
  TimingRequest look = request();
  look.time = false;
  look.engine.own = {"fail=error"};  // would fail if it ran
  look.view = EngineView::Source;
  const auto source = run_timing(loaded_, small_model(), look);
  ASSERT_TRUE(source) << source.error().message;
  ASSERT_TRUE(source->plan);
  EXPECT_EQ(source->plan->kernels.size(), loaded_.model.graph().nodes.size());
  EXPECT_EQ(source->facts.view, "source");
  look.view = EngineView::Usual;
  const auto optimized = run_timing(loaded_, small_model(), look);
  ASSERT_TRUE(optimized) << optimized.error().message;
  EXPECT_EQ(optimized->facts.view, "optimized");
  EXPECT_LT(optimized->plan->kernels.size(), source->plan->kernels.size());
}

TEST_F(TimingJob, StoppedIsSaid) {
  stop_ = true;
  const auto timed = run_timing(loaded_, small_model(), request(), Observer{.stop = &stop_});
  ASSERT_TRUE(timed) << timed.error().message;
  EXPECT_TRUE(timed->interrupted);
  EXPECT_FALSE(timed->memory);
}

}  // namespace
}  // namespace strata
