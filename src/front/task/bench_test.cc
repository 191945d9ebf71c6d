// Comparisons on the fake engine, whose workers are this test program itself (main_test.cc). No
// test here checks how long anything took.
#include "strata/task/bench.h"

#include "task/test_job.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class BenchJob : public test::JobTest {
 protected:
  static BenchRequest request() {
    BenchRequest out;
    out.models = {{.source = small_model().source.word()}};
    out.engines = {parse_engine_style("fake").value()};
    out.threads = {1, 2};
    out.method.until = 1e9;  // stops after the first check
    out.method.max_seconds = 20;
    out.method.processes = 2;
    out.method.min_blocks = 4;
    out.method.block_seconds = 0.005;
    out.caller = {"strata test", {{"--threads", "1,2"}}};
    return out;
  }
};

TEST_F(BenchJob, ComparesWhatWasAskedFor) {
  const auto run = run_bench(request(), observer());
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->complete);
  EXPECT_EQ(run->program, "strata test");
  EXPECT_EQ(run->options.size(), 1u);
  ASSERT_THAT(run->groups, SizeIs(1));
  const BenchGroup& group = run->groups[0];
  EXPECT_EQ(group.model, "squeezenet1_1?resolution=32");
  ASSERT_THAT(group.result.variants, SizeIs(2));
  for (const VariantResult& variant : group.result.variants) {
    EXPECT_EQ(variant.failure, Failure::None) << variant.reason;
    EXPECT_GT(variant.runs(), 0u);
    EXPECT_EQ(variant.variant.file, small_model().source.word());  // as the user knows it
  }
  ASSERT_FALSE(stages_.empty());
  EXPECT_THAT(*stages_.begin(), StartsWith("squeezenet1_1?resolution=32: "));
}

TEST_F(BenchJob, AModelThatIsNotThereIsARowIfThereAreOthers) {
  BenchRequest two = request();
  two.models.push_back({.source = "/none/net.onnx"});
  std::vector<std::size_t> kept;
  two.keep = [&](const BenchRun& so_far) -> Status {
    EXPECT_FALSE(so_far.complete);
    kept.push_back(so_far.groups.size());
    return {};
  };
  const auto run = run_bench(two);
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_THAT(run->groups, SizeIs(2));
  EXPECT_EQ(run->groups[1].result.variants[0].failure, Failure::Refused);
  EXPECT_THAT(run->groups[1].result.variants[0].reason, HasSubstr("there is no such file"));
  EXPECT_THAT(kept, ElementsAre(1));
  two.models.erase(two.models.begin());
  EXPECT_FALSE(run_bench(two));
}

TEST_F(BenchJob, StoppedIsNotComplete) {
  stop_ = true;
  const auto run = run_bench(request(), Observer{.stop = &stop_});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_FALSE(run->complete);
  EXPECT_THAT(run->groups, SizeIs(0));
}

TEST_F(BenchJob, WhatCannotBeKeptEndsTheJob) {
  BenchRequest full = request();
  full.keep = [](const BenchRun&) -> Status { return failure("the disk is full"); };
  EXPECT_EQ(run_bench(full).error().message, "the disk is full");
}

TEST_F(BenchJob, InputsAreOfOneModel) {
  BenchRequest two = request();
  two.models.push_back({.source = "zoo:resnet18"});
  two.inputs = {"x.npy"};
  EXPECT_EQ(run_bench(two).error().message, "inputs are of one model, and there are 2");
}

}  // namespace
}  // namespace strata
