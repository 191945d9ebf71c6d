// Measuring on the fake engine and a fake clock: every number is exact.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/build/weights.h"
#include "strata/data/inputs.h"
#include "strata/measure/timed_pair.h"
#include "strata/profile/profile.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

struct Subject {
  build::Network network;
  std::string bytes;
  std::vector<HostTensor> inputs;
};

Subject subject(const std::string& name) {
  auto network = zoo::build(name);
  EXPECT_TRUE(network) << network.error().message;
  WriteOptions write;
  write.fill = build::random_weights(network->model, 0);
  auto bytes = onnx_bytes(network->model, write);
  EXPECT_TRUE(bytes) << bytes.error().message;
  auto inputs = random_inputs(network->model, 0);
  EXPECT_TRUE(inputs) << inputs.error().message;
  return {std::move(*network), std::move(*bytes), std::move(*inputs)};
}

// An engine, and a clock that only its runs advance.
class FakeTiming : public testing::Test {
 protected:
  void SetUp() override {
    auto engine = load_engine("fake");
    ASSERT_TRUE(engine) << engine.error().message;
    engine_ = std::move(*engine);
    options_.now_ns = [this] { return clock_; };
    options_.runs = 20;
    options_.warmup = 3;
    options_.session.threads = 1;
    options_.session.optimization = STRATA_OPT_NONE;
    options_.session.options = {fmt::format("clock={}", reinterpret_cast<std::uintptr_t>(&clock_))};
  }
  Result<Timing> time(const Subject& model) {
    return time_model(engine_, ModelSource{"", ModelBytes{model.bytes}}, model.inputs, options_);
  }

  std::int64_t clock_ = 0;
  Engine engine_ = Engine::from(nullptr, "");
  TimingOptions options_;
};

TEST_F(FakeTiming, KernelsAndWhatIsOutsideAddUp) {
  options_.session.options.emplace_back("outside=50000");
  const Subject model = subject("mobilenet_v2?resolution=32");
  const auto timing = time(model);
  ASSERT_TRUE(timing) << timing.error().message;
  EXPECT_EQ(timing->runs.size(), 10u);
  EXPECT_EQ(timing->recorded.size(), 10u);
  EXPECT_EQ(timing->warmup.size(), 3u);
  EXPECT_FALSE(timing->partial);
  EXPECT_EQ(timing->kernels.size(), model.network.model.graph().nodes.size());
  double in_kernels = 0;
  for (const KernelTimes& kernel : timing->kernels) {
    ASSERT_EQ(kernel.seconds.size(), 10u);
    in_kernels += kernel.seconds.front();
  }
  EXPECT_NEAR(timing->runs.front() - in_kernels, 50e-6, 1e-9);
}

// Another process interrupts every run, each time in a different kernel. That is in no kernel's
// median: it is divided among the kernels, and does not look like time outside them.
TEST_F(FakeTiming, OtherProcessesAreNotTimeOutside) {
  options_.session.options.insert(options_.session.options.end(), {"outside=50000", "cut=1000000"});
  const Subject model = subject("mobilenet_v2?resolution=32");
  const auto timing = time(model);
  ASSERT_TRUE(timing) << timing.error().message;
  double in_kernels = 0;
  for (const KernelTimes& kernel : timing->kernels) in_kernels += summarize(kernel.seconds).median;
  EXPECT_GT(timing->runs.front(), 1e-3);
  EXPECT_NEAR(timing->runs.front() - in_kernels, 50e-6, 1e-6);
}

// Every run waits for a millisecond, each time in a different kernel. With one thread, that is
// subtracted from the runs and from the affected kernels, so both are as if nothing had happened.
TEST_F(FakeTiming, WaitingIsTakenOffRunsAndKernels) {
  const Subject model = subject("mobilenet_v2?resolution=32");
  const auto alone = time(model);
  ASSERT_TRUE(alone) << alone.error().message;
  options_.session.options.emplace_back("cut=1000000");
  int calls = 0;  // one call before a run, one after it
  options_.waited = [&] {
    const int pairs = (1 + calls++) / 2;
    return 1e-3 * pairs;
  };
  const auto shared = time(model);
  ASSERT_TRUE(shared) << shared.error().message;
  EXPECT_GT(shared->wall.front(), 1e-3);
  EXPECT_NEAR(shared->waits.front(), 1e-3, 1e-12);
  EXPECT_NEAR(shared->runs.front(), alone->runs.front(), 1e-9);
  EXPECT_TRUE(shared->center.interval.has_value());
  ASSERT_EQ(shared->kernels.size(), alone->kernels.size());
  for (std::size_t k = 0; k < alone->kernels.size(); ++k)
    EXPECT_NEAR(summarize(shared->kernels[k].seconds).median, alone->kernels[k].seconds.front(),
                1e-8)
        << k;
}

// With two threads, it is not known how much of the waiting made the run longer.
TEST_F(FakeTiming, WithTwoThreadsThatAllWaitNothingIsClaimed) {
  options_.session.threads = 2;
  int calls = 0;
  options_.waited = [&] {
    const int pairs = (1 + calls++) / 2;
    return 1e-3 * pairs;
  };
  const Subject model = subject("squeezenet1_1?resolution=64");
  const auto timing = time(model);
  ASSERT_TRUE(timing) << timing.error().message;
  EXPECT_FALSE(timing->center.interval.has_value());
  EXPECT_THAT(timing->center.withheld, testing::HasSubstr("0 of 10 runs"));
  ProfileOptions options;
  options.columns = "layer,time,time_low,time_high";
  options.timing = &*timing;
  const auto profile = make_profile(model.network.model, model.network.inference, options);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->timing->withheld, timing->center.withheld);
  EXPECT_EQ(profile->timing->high, 0);
  for (const ProfileRow& row : profile->rows) EXPECT_TRUE(row.cells[2].is_unknown());
}

TEST_F(FakeTiming, RunsAreOfSeveralSessions) {
  const auto timing = time(subject("squeezenet1_1?resolution=64"));
  ASSERT_TRUE(timing) << timing.error().message;
  EXPECT_THAT(timing->sessions, testing::ElementsAre(2, 2, 2, 2, 2));
  EXPECT_THAT(timing->recorded_sessions, testing::ElementsAre(2, 2, 2, 2, 2));
  options_.sessions = 1;
  const auto one = time(subject("squeezenet1_1?resolution=64"));
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_THAT(one->sessions, testing::ElementsAre(10));
}

// Two models take turns: compared with itself, a layer is neither faster nor slower; on a smaller
// picture, every convolution is faster.
TEST_F(FakeTiming, TwoModelsByTurns) {
  const Subject large = subject("squeezenet1_1?resolution=96");
  const Subject small = subject("squeezenet1_1?resolution=64");
  options_.session.options.emplace_back("noise=0.01");
  const auto source = [](const Subject& model) { return ModelSource{"", ModelBytes{model.bytes}}; };
  std::vector<std::vector<std::string>> names;
  for (const Node& node : large.network.model.graph().nodes)
    if (node.op == "Conv") names.push_back({std::string(node.name)});
  names.push_back({"no such node"});
  const auto equal =
      time_pair(engine_, source(large), large.inputs, source(large), large.inputs, options_);
  ASSERT_TRUE(equal) << equal.error().message;
  const auto none = layer_ratios(*equal, names);
  for (std::size_t l = 0; l + 1 < names.size(); ++l) {
    EXPECT_EQ(none[l].verdict(), TimeRatio::Verdict::NotSure) << names[l][0];
    EXPECT_NEAR(none[l].ratio, 1, 0.02);
  }
  EXPECT_EQ(none.back().verdict(), TimeRatio::Verdict::Withheld);
  const auto pair =
      time_pair(engine_, source(large), large.inputs, source(small), small.inputs, options_);
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_EQ(time_ratio(*pair).verdict(), TimeRatio::Verdict::Faster);
  const auto faster = layer_ratios(*pair, names);
  for (std::size_t l = 0; l + 1 < names.size(); ++l)
    EXPECT_EQ(faster[l].verdict(), TimeRatio::Verdict::Faster) << names[l][0];
}

// Recording that costs 2 µs per kernel is detected and subtracted. The chain's own time outside
// kernels makes the estimate a little too small.
TEST_F(FakeTiming, ProbeCostIsTakenOff) {
  const Subject model = subject("mobilenet_v2?resolution=32");
  const auto without = time(model);
  ASSERT_TRUE(without) << without.error().message;
  options_.session.options.emplace_back("probe=2000");
  const auto with = time(model);
  ASSERT_TRUE(with) << with.error().message;
  EXPECT_GT(with->recorded.front(), without->recorded.front() + 150 * 1.9e-6);
  EXPECT_NEAR(with->probe.total, 2e-6, 1e-8);
  EXPECT_NEAR(with->probe.inside, 2e-6, 2e-7);
  EXPECT_NEAR(with->kernels[0].seconds[0], without->kernels[0].seconds[0],
              0.02 * without->kernels[0].seconds[0] + 2e-7);
}

TEST_F(FakeTiming, AProfileAddsUpToTheEndToEndTime) {
  const Subject model = subject("resnet18?resolution=32");
  const auto timing = time(model);
  ASSERT_TRUE(timing) << timing.error().message;
  for (const char* report : {"tape", "node", "leaves", "type"}) {
    ProfileOptions options;
    options.rows.report = *report_kind_from_name(report);
    const bool is_type = options.rows.report == ReportKind::Type;  // whose rows are not layers
    options.columns = is_type ? "type,time" : "layer,time";
    options.rows.all = true;
    options.timing = &*timing;
    const auto profile = make_profile(model.network.model, model.network.inference, options);
    ASSERT_TRUE(profile) << profile.error().message;
    double sum = 0;
    for (const ProfileRow& row : profile->rows)
      if (const auto* seconds = std::get_if<double>(&row.cells[1].value)) sum += *seconds;
    EXPECT_NEAR(sum, timing->runs.front(), 1e-9) << report;
    EXPECT_EQ(std::get<std::string>(profile->rows.back().cells[0].value), "outside layers");
    EXPECT_DOUBLE_EQ(std::get<double>(profile->totals.cells[1].value), timing->runs.front());
  }
}

TEST_F(FakeTiming, EverySourceNodeCountsOnceInTheOptimizedViewToo) {
  options_.session.optimization = STRATA_OPT_ALL;
  const Subject model = subject("mobilenet_v2?resolution=32");
  const auto timing = time(model);
  ASSERT_TRUE(timing) << timing.error().message;
  EXPECT_LT(timing->kernels.size(), model.network.model.graph().nodes.size());
  ProfileOptions options;
  options.columns = "layer,time,in_kernel_of";
  options.timing = &*timing;
  const auto profile = make_profile(model.network.model, model.network.inference, options);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_THAT(profile->timing->unassigned, testing::IsEmpty());
  // The norm after the first convolution runs in its kernel.
  EXPECT_TRUE(profile->rows[1].cells[1].is_unknown());
  EXPECT_EQ(std::get<std::string>(profile->rows[1].cells[2].value), "features.0.0");
}

// Runs get faster for a long time. With a time limit, the warm-up waits until they do not, for at
// most 50 runs; with a number of runs, it takes at most a twentieth of that, or 3.
TEST_F(FakeTiming, WarmUpIsATwentiethOfTheRunsAtMost) {
  options_.warmup = -1;
  options_.seconds = 1000;
  options_.session.options.emplace_back("warmup=60");
  const Subject model = subject("squeezenet1_1?resolution=64");
  for (const auto& [runs, most] : {std::pair{20, 3u}, {60, 3u}, {100, 5u}, {2000, 50u}}) {
    options_.runs = runs;
    const auto timing = time(model);
    ASSERT_TRUE(timing) << timing.error().message;
    EXPECT_EQ(timing->warmup.size(), most) << runs;
    EXPECT_EQ(timing->runs.size() + timing->recorded.size(), static_cast<std::size_t>(runs));
  }
}

TEST_F(FakeTiming, StoppedEarlyItSaysSo) {
  std::atomic<bool> stop = true;
  options_.stop = &stop;
  const auto timing = time(subject("squeezenet1_1?resolution=64"));
  ASSERT_TRUE(timing) << timing.error().message;
  EXPECT_TRUE(timing->partial);
  EXPECT_TRUE(timing->runs.empty());
}

TEST_F(FakeTiming, AnEngineThatFailsGivesItsSentence) {
  options_.session.options.emplace_back("fail=oom");
  const auto timing = time(subject("squeezenet1_1?resolution=64"));
  ASSERT_FALSE(timing);
  EXPECT_THAT(timing.error().message, testing::HasSubstr("memory"));
}

// The components of the published run appear under their names, and children add up to
// their parents.
TEST_F(FakeTiming, ComponentsOfADetector) {
  options_.runs = 4;
  const Subject model = subject("fasterrcnn_resnet50_fpn?min_size=96&max_size=160&candidates=50");
  const auto timing = time(model);
  ASSERT_TRUE(timing) << timing.error().message;
  ProfileOptions options;
  options.rows.report = ReportKind::Tree;
  options.columns = "layer,calls,time";
  options.timing = &*timing;
  const auto profile = make_profile(model.network.model, model.network.inference, options);
  ASSERT_TRUE(profile) << profile.error().message;
  const auto seconds_of = [&](const ProfileRow& row) {
    const auto* found = std::get_if<double>(&row.cells[2].value);
    return found != nullptr ? *found : 0.0;
  };
  std::vector<std::string> names;
  for (const ProfileRow& row : profile->rows)
    names.push_back(std::get<std::string>(row.cells[0].value));
  for (const char* component :
       {"transform", "backbone.body", "backbone.fpn", "backbone.fpn.inner_blocks.3",
        "backbone.fpn.layer_blocks.0", "backbone.fpn.extra_blocks", "rpn.head", "rpn.head.conv",
        "rpn.head.cls_logits", "rpn.head.bbox_pred", "roi_heads", "roi_heads.box_roi_pool",
        "roi_heads.box_head.fc6", "roi_heads.box_head.fc7", "roi_heads.box_predictor.cls_score",
        "roi_heads.box_predictor.bbox_pred"})
    EXPECT_THAT(names, testing::Contains(component));
  for (std::size_t i = 0; i < profile->rows.size(); ++i) {
    const std::uint32_t depth = profile->rows[i].depth;
    double children = 0;
    bool any = false;
    for (std::size_t j = i + 1; j < profile->rows.size() && profile->rows[j].depth > depth; ++j)
      if (profile->rows[j].depth == depth + 1) children += seconds_of(profile->rows[j]), any = true;
    if (any) {
      EXPECT_NEAR(children, seconds_of(profile->rows[i]), 1e-9) << names[i];
    }
  }
}

}  // namespace
}  // namespace strata
