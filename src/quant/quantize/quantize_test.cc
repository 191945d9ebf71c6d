// Tests the job on an engine that computes nothing: what is written and reported, and when nothing
// is.
#include "strata/quantize/quantize.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantize/kernel_look.h"
#include "strata/base/scratch_folder.h"
#include "strata/build/builder.h"
#include "strata/build/weights.h"
#include "strata/write/onnx.h"

namespace strata {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class QuantizeJob : public testing::Test {
 protected:
  void SetUp() override {
    auto engine = load_engine("fake");
    ASSERT_TRUE(engine) << engine.error().message;
    engine_ = std::move(*engine);
    build::Builder net("Net");
    build::Var x = net.relu("r0", net.conv("c0", net.input("x", {1, 4, 8, 8}), 4));
    x = net.relu("r1", net.conv("c1", x, 4));
    x = net.relu("r2", net.conv("c2", x, 4));
    net.output("y", net.linear("fc", net.flatten(x), 5));
    network_ = std::move(net).finish().value();
    task_.engine = &engine_;
    task_.model = &network_.model;
    task_.name = "net";
    task_.layers = find_quant_layers(network_.model);
    task_.fill = build::random_weights(network_.model, 0);
    bytes_ = onnx_bytes(network_.model, {.fill = task_.fill}).value();
    task_.floats.bytes.model = bytes_;
    for (const TensorId id : quant_tensors(network_.model, task_.layers))
      task_.ranges[std::string(network_.model.graph().tensors[id].name)] = {-1, 3};
    task_.held_out = [this](std::int64_t most) {
      return Dataset::open("", network_.model, {.samples = most, .random = true});
    };
    task_.samples = 4;
    task_.time = false;
    task_.output = folder_ / "out.onnx";
    task_.exclude = folder_ / "out.exclude.txt";
  }
  bool written() const {
    return std::filesystem::exists(task_.output) || std::filesystem::exists(task_.exclude);
  }

  Engine engine_;
  build::Network network_;
  QuantizeTask task_;
  std::string bytes_;
  ScratchFolder folder_ = ScratchFolder::create().value();
};

TEST_F(QuantizeJob, WritesAndSaysWhatRuns) {
  std::set<std::string> stages;
  Observer observer;
  observer.progress = [&](std::string_view stage, double share) {
    stages.emplace(stage);
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
  };
  task_.keep = stays_float(network_.model, task_.layers, {"c1"}).value();
  const auto outcome = quantize_model(task_, observer);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(std::filesystem::exists(task_.output));
  std::ifstream list(task_.exclude);
  std::string first;
  std::getline(list, first);
  EXPECT_THAT(outcome->excluded, Contains(first));
  ASSERT_EQ(outcome->layers.size(), 4u);
  EXPECT_TRUE(outcome->layers[0].int8);
  EXPECT_FALSE(outcome->layers[1].int8);
  EXPECT_EQ(outcome->layers[1].reason, "named");
  EXPECT_TRUE(outcome->layers[1].input_rounded);
  EXPECT_TRUE(outcome->layers[1].output_rounded);
  // This engine has no int8 kernels, and the outcome says so: written for int8, run in float.
  EXPECT_EQ(outcome->layers[0].runs, RunsIn::Float);
  EXPECT_EQ(outcome->layers[0].kernel, "Conv");
  EXPECT_EQ(outcome->got.size(), 4u);
  EXPECT_EQ(outcome->promised.size(), 4u);
  EXPECT_EQ(outcome->kept_promise(), true);
  EXPECT_THAT(stages, Contains("judging model 1"));
  EXPECT_THAT(stages, Contains("simulating the plan"));
}

// An engine that computes everything in int8, whatever the file says.
TEST_F(QuantizeJob, KeptInFloatsButRunInInt8WritesNothing) {
  task_.session.precision = "int8";
  const auto all = quantize_model(task_);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->layers[0].runs, RunsIn::Int8);
  std::filesystem::remove(task_.output);
  std::filesystem::remove(task_.exclude);
  task_.keep = stays_float(network_.model, task_.layers, {"c1", "fc"}).value();
  const auto outcome = quantize_model(task_);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message,
            "net: fake runs in int8 what was to stay in float: c1, fc; nothing was written");
  EXPECT_FALSE(written());
}

TEST_F(QuantizeJob, AnEngineThatTellsNoPlanLeavesUnknownWhatRuns) {
  ::setenv("STRATA_FAKE_PLAN", "none", 1);
  auto silent = load_engine("fake");
  ::unsetenv("STRATA_FAKE_PLAN");
  ASSERT_TRUE(silent) << silent.error().message;
  EXPECT_TRUE(engine_.tells_plan());
  EXPECT_FALSE(silent->tells_plan());
  task_.engine = &*silent;
  task_.keep = stays_float(network_.model, task_.layers, {"c1"}).value();
  const auto outcome = quantize_model(task_);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(written());
  for (const QuantizedLayer& layer : outcome->layers) {
    EXPECT_EQ(layer.runs, RunsIn::Unknown) << layer.path;
    EXPECT_EQ(layer.kernel, "") << layer.path;
  }
  EXPECT_THAT(outcome->not_looked, HasSubstr("does not tell what it runs before it does"));
}

TEST_F(QuantizeJob, ActivationsInFloatsAreSaid) {
  task_.keep = stays_float(network_.model, task_.layers, {"c1:output"}).value();
  const auto outcome = quantize_model(task_);
  ASSERT_TRUE(outcome) << outcome.error().message;
  std::vector<std::string> reasons;
  for (const QuantizedLayer& layer : outcome->layers) reasons.push_back(layer.reason);
  EXPECT_THAT(reasons, ElementsAre("", "edge", "edge", ""));
  for (const QuantizedTensor& tensor : outcome->tensors)
    EXPECT_EQ(tensor.rounded, tensor.label != "c1:output") << tensor.label;
}

TEST_F(QuantizeJob, StoppedNothingIsWritten) {
  const std::atomic<bool> stop = true;
  const auto outcome = quantize_model(task_, {.stop = &stop});
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("nothing was written"));
  EXPECT_FALSE(written());
}

TEST_F(QuantizeJob, WithoutSamplesATargetIsAnError) {
  task_.held_out = [](std::int64_t) -> Result<Dataset> { return failure("none are left"); };
  const auto outcome = quantize_model(task_);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->not_judged, "none are left");
  std::filesystem::remove(task_.output);
  std::filesystem::remove(task_.exclude);
  task_.target = AnswerTarget{.min_sqnr = 10, .max_drop = std::nullopt};
  EXPECT_FALSE(quantize_model(task_));
  task_.target = std::nullopt;
  task_.automatic = true;
  EXPECT_FALSE(quantize_model(task_));
  EXPECT_FALSE(written());
}

}  // namespace
}  // namespace strata
