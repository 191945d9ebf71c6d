// Calibration on every engine: sketches of what the engine computes, in one run, in parts,
// and stopped in between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <map>

#include "calibrate/sketch_state.h"
#include "small_models.h"
#include "strata/calibrate/calibrate.h"
#include "strata/data/inputs.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::span<const float> floats(const StrataTensor& tensor) {
  return {static_cast<const float*>(tensor.data), tensor.bytes / sizeof(float)};
}

class CalibrateTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto loaded = load_engine(GetParam());
    ASSERT_TRUE(loaded) << loaded.error().message;
    engine_ = std::make_unique<Engine>(std::move(*loaded));
    auto network = zoo::build("mobilenet_v2?resolution=64&width=0.25");
    ASSERT_TRUE(network) << network.error().message;
    network_ = std::move(*network);
    bytes_ = test::bytes_of(network_.model);
    watched_ = watched_tensors(network_.model);
    options_.session.threads = 1;
  }
  Dataset samples(std::uint64_t first, std::int64_t count) const {
    auto data =
        Dataset::open("", network_.model, {.samples = count, .random = true, .seed = first});
    EXPECT_TRUE(data) << data.error().message;
    return std::move(*data);
  }
  Result<SketchedSamples> run(const Dataset& data, SketchedSamples before = {}) const {
    return calibrate(*engine_, ModelSource{"", ModelBytes{bytes_}}, network_.model, data, watched_,
                     options_, std::move(before));
  }

  std::unique_ptr<Engine> engine_;
  build::Network network_;
  std::string bytes_;
  std::vector<Watched> watched_;
  CalibrateOptions options_;
};

// The oracle is another way: the same tensors, fetched one after the other in a plain loop.
TEST_P(CalibrateTest, MinimumAndMaximumAreThoseOfTheTensors) {
  const Dataset data = samples(0, 3);
  const auto found = run(data);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->samples, 3);
  ASSERT_EQ(found->sketches.size(), watched_.size());

  struct Ends {
    float min = HUGE_VALF, max = -HUGE_VALF;
    std::uint64_t count = 0;
  };
  std::map<std::string, Ends> expected;
  const auto add = [&](const std::string& name, std::span<const float> elements) {
    Ends& ends = expected[name];
    for (const float element : elements) {
      ends.min = std::min(ends.min, element);
      ends.max = std::max(ends.max, element);
    }
    ends.count += elements.size();
  };
  SessionOptions plain;
  for (std::size_t i = 1; i + 1 < watched_.size(); ++i) plain.fetch.push_back(watched_[i].tensor);
  plain.threads = 1;
  auto session = engine_->open(ModelBytes{bytes_}, plain);
  ASSERT_TRUE(session) << session.error().message;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    auto inputs = random_inputs(network_.model, seed);
    ASSERT_TRUE(inputs) << inputs.error().message;
    std::vector<float> pixels(inputs->at(0).data.size() / sizeof(float));
    std::memcpy(pixels.data(), inputs->at(0).data.data(), inputs->at(0).data.size());
    add(inputs->at(0).name, pixels);
    ASSERT_TRUE(session->bind(std::move(*inputs)));
    ASSERT_TRUE(session->run_visiting([&](const StrataTensor& tensor) {
      add(tensor.name, floats(tensor));
      return true;
    }));
  }
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    const Sketch& sketch = found->sketches[i];
    ASSERT_TRUE(expected.contains(watched_[i].tensor)) << watched_[i].tensor;
    const Ends& ends = expected[watched_[i].tensor];
    EXPECT_EQ(sketch.min(), ends.min) << watched_[i].tensor;
    EXPECT_EQ(sketch.max(), ends.max) << watched_[i].tensor;
    EXPECT_EQ(sketch.count(), ends.count) << watched_[i].tensor;
  }
}

TEST_P(CalibrateTest, HalvesAddUpToTheWhole) {
  const auto whole = run(samples(0, 5));
  auto first = run(samples(0, 2));
  const auto second = run(samples(2, 3));
  ASSERT_TRUE(whole && first && second);
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    EXPECT_NE(first->sketches[i], whole->sketches[i]) << watched_[i].tensor;
    ASSERT_TRUE(first->sketches[i].merge(second->sketches[i]));
    EXPECT_EQ(first->sketches[i], whole->sketches[i]) << watched_[i].tensor;
  }
}

TEST_P(CalibrateTest, StoppedAndGoneOnIsTheWhole) {
  const Dataset data = samples(0, 5);
  const auto whole = run(data);
  ASSERT_TRUE(whole) << whole.error().message;
  std::atomic<bool> stop = false;
  options_.stop = &stop;
  options_.progress = [&](std::int64_t done) { stop = done == 2; };
  auto part = run(data);
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_EQ(part->samples, 2);
  stop = false;
  options_.progress = {};
  const auto rest = run(data, std::move(*part));
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(rest->samples, 5);
  EXPECT_EQ(rest->sketches, whole->sketches);
}

TEST_P(CalibrateTest, WhatIsKeptOnTheWayCanBeGoneOnWith) {
  const Dataset data = samples(0, 4);
  std::vector<SketchedSamples> kept;
  options_.keep_seconds = 0;
  options_.keep = [&](const SketchedSamples& so_far) -> Status {
    kept.push_back(so_far);
    return {};
  };
  const auto whole = run(data);
  ASSERT_TRUE(whole) << whole.error().message;
  ASSERT_EQ(kept.size(), 3u);  // the last is the result
  options_.keep = [](const SketchedSamples&) -> Status { return failure("no room"); };
  const auto refused = run(data);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "no room");
  options_.keep = {};
  const auto rest = run(data, kept[1]);
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(rest->sketches, whole->sketches);
}

TEST_P(CalibrateTest, ThreadsChangeNothing) {
  options_.session.threads = 1;
  const auto one = run(samples(0, 2));
  options_.session.threads = 3;
  const auto three = run(samples(0, 2));
  ASSERT_TRUE(one && three);
  EXPECT_EQ(one->sketches, three->sketches);
}

TEST_P(CalibrateTest, ChannelsReachAsFarAsTheTensor) {
  watched_ = watched_tensors(network_.model, true);
  const auto found = run(samples(0, 2));
  ASSERT_TRUE(found) << found.error().message;
  const Graph& graph = network_.model.graph();
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    const Sketch& sketch = found->sketches[i];
    const auto tensor =
        std::find_if(graph.tensors.begin(), graph.tensors.end(),
                     [&](const Tensor& one) { return one.name == watched_[i].tensor; });
    const auto axis = static_cast<std::size_t>(watched_[i].channel_axis);
    EXPECT_EQ(sketch.channels(), tensor->type->dims[axis].value());
    EXPECT_EQ(
        *std::min_element(sketch.parts().channel_min.begin(), sketch.parts().channel_min.end()),
        sketch.min());
    EXPECT_EQ(
        *std::max_element(sketch.parts().channel_max.begin(), sketch.parts().channel_max.end()),
        sketch.max());
  }
}

TEST_P(CalibrateTest, SaysWhichSampleAnEngineFailsOn) {
  options_.session.options = {"nonsense=1"};
  EXPECT_FALSE(run(samples(0, 2)));
  if (GetParam() != "fake") return;
  options_.session.options = {"fail=error", "at=1"};
  const auto failed = run(samples(0, 3));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message,
              AllOf(HasSubstr("sample 1 (random 1): fake"), HasSubstr("failed, as asked for")));
}

INSTANTIATE_TEST_SUITE_P(Engines, CalibrateTest, ::testing::ValuesIn(test::onnx_engines()),
                         [](const auto& each) { return each.param; });

// The logarithm of a negative number is NaN, and so is everything computed from it.
TEST(Calibrate, NamesTheFirstLayerThatIsNotFinite) {
  auto engine = load_engine("onnxruntime");
  if (!engine) GTEST_SKIP() << engine.error().message;
  build::Builder net("Tiny");
  build::Var x = net.input("x", {1, 3, 8, 8});
  x = net.relu("act", net.conv("good", x, 4));
  {
    auto module = net.module("bad", "Bad");
    x = net.op("Log", {net.sub(x, net.number(1e6F))});
    x = net.add(x, x);
  }
  net.output("out", net.conv("after", x, 2));
  auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  const std::string bytes = test::bytes_of(network->model);
  const auto data = Dataset::open("", network->model, {.samples = 2, .random = true, .seed = 0});
  ASSERT_TRUE(data) << data.error().message;
  const std::vector<Watched> watched = watched_tensors(network->model);
  CalibrateOptions options;
  const auto refused = calibrate(*engine, ModelSource{"", ModelBytes{bytes}}, network->model, *data,
                                 watched, options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("sample 0 (random 0): layer bad (tensor \"/bad/Add_output_0\")"),
                    HasSubstr("256 NaN elements"), EndsWith("check the layer that computes it")));

  options.allow_nonfinite = true;
  const auto counted = calibrate(*engine, ModelSource{"", ModelBytes{bytes}}, network->model, *data,
                                 watched, options);
  ASSERT_TRUE(counted) << counted.error().message;
  for (std::size_t i = 0; i < watched.size(); ++i) {
    const bool good = watched[i].layer == "good" || watched[i].layer.empty();
    EXPECT_EQ(counted->sketches[i].nans() == 0, good) << watched[i].tensor;
  }
}

}  // namespace
}  // namespace strata
