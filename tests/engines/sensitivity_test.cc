// What one quantized layer does, on ONNX Runtime: a network trained on real digits, and one
// with a layer that is known to break.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/infer/infer.h"
#include "strata/quant/calibrate.h"
#include "strata/quant/sensitivity.h"
#include "strata/read/read.h"
#include "strata/zoo/weights.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

const std::string kDigits = STRATA_SOURCE_DIR "/tests/models/digits/";

struct Subject {
  Model model;
  FillElements fill;
  std::vector<QuantLayer> layers;
  TensorRanges ranges;
};

class SensitivityOf : public testing::Test {
 protected:
  void SetUp() override {
    auto engine = load_engine("onnxruntime");
    ASSERT_TRUE(engine) << engine.error().message;
    engine_ = std::move(*engine);
    options_.session.threads = 1;
  }

  // Ranges of the samples themselves.
  void calibrate_on(Subject& subject, const Dataset& data, const ModelSource& source) {
    subject.layers = find_quant_layers(subject.model);
    std::vector<Watched> watched;
    for (const TensorId id : rounded_tensors(subject.layers))
      watched.push_back({std::string(subject.model.graph().tensors[id].name), ""});
    CalibrateOptions options;
    options.session.threads = 1;
    auto seen = calibrate(engine_, source, subject.model, data, watched, options);
    ASSERT_TRUE(seen) << seen.error().message;
    for (std::size_t i = 0; i < watched.size(); ++i) {
      auto range = choose_range(seen->sketches[i]);
      ASSERT_TRUE(range) << range.error().message;
      subject.ranges[watched[i].tensor] = *range;
    }
  }

  Subject digits(const std::string& file, std::int64_t samples) {
    Subject subject;
    auto model = read_model(kDigits + file);
    EXPECT_TRUE(model) << model.error().message;
    subject.model = std::move(*model);
    InferOptions sizes;
    sizes.sizes.emplace_back("N", 1);
    EXPECT_TRUE(infer(subject.model, sizes));
    DatasetOptions options;
    options.samples = samples;
    auto data = Dataset::open(kDigits + "images.npz", subject.model, options);
    EXPECT_TRUE(data) << data.error().message;
    calibrate_on(subject, *data, {.path = kDigits + file});
    auto labels = read_labels(kDigits + "labels.txt");
    EXPECT_TRUE(labels);
    labels->labels.resize(static_cast<std::size_t>(samples));
    options_.labels = labels->labels;
    return subject;
  }

  Sensitivity measure(const Subject& subject, std::int64_t samples) {
    DatasetOptions options;
    options.samples = samples;
    auto data = Dataset::open(kDigits + "images.npz", subject.model, options);
    EXPECT_TRUE(data);
    return measure(subject, *data);
  }
  Sensitivity measure(const Subject& subject, const Dataset& data) {
    auto result = measure_sensitivity(engine_, subject.model, subject.layers, subject.ranges, data,
                                      subject.fill, options_);
    EXPECT_TRUE(result) << result.error().message;
    return result ? std::move(*result) : Sensitivity{};
  }

  // Paths, worst first.
  static std::vector<std::string> ranking(const Subject& subject, const Sensitivity& result) {
    std::vector<std::size_t> order(subject.layers.size());
    std::iota(order.begin(), order.end(), 0);
    const auto drop_of = [&](std::size_t l) {
      return drop(Quality::Sqnr, result.layers[l].alone, result.baseline).value_or(0);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return drop_of(a) > drop_of(b); });
    std::vector<std::string> out;
    for (const std::size_t l : order) out.push_back(subject.layers[l].path);
    return out;
  }

  Engine engine_ = Engine::from(nullptr, "");
  SensitivityOptions options_;
};

TEST_F(SensitivityOf, APlantedLayerIsTheWorst) {
  const Subject planted = digits("digits_planted.onnx", 32), plain = digits("digits.onnx", 32);
  const Sensitivity with = measure(planted, 32), without = measure(plain, 32);
  EXPECT_EQ(ranking(planted, with)[0], "features.3.project.0");
  EXPECT_NE(ranking(plain, without)[0], "features.3.project.0");
  EXPECT_EQ(value(Quality::Accuracy, with.baseline), value(Quality::Accuracy, without.baseline));
}

TEST_F(SensitivityOf, OnlyWhatFollowsIsComputedAgainWithTheSameAnswers) {
  const Subject subject = digits("digits.onnx", 8);
  options_.leave_one_out = true;
  const Sensitivity cheap = measure(subject, 8);
  options_.naive = true;
  const Sensitivity naive = measure(subject, 8);
  EXPECT_LT(cheap.passes, 0.7 * naive.passes);
  for (std::size_t l = 0; l < subject.layers.size(); ++l)
    for (std::size_t s = 0; s < 8; ++s) {
      const SampleScore &a = cheap.layers[l].alone[s], &b = naive.layers[l].alone[s];
      EXPECT_NEAR(a.noise, b.noise, 1e-6 * b.noise) << subject.layers[l].path << " " << s;
      const SampleScore &c = cheap.layers[l].left_out[s], &d = naive.layers[l].left_out[s];
      EXPECT_NEAR(c.noise, d.noise, 1e-6 * d.noise) << subject.layers[l].path << " " << s;
    }
  for (std::size_t s = 0; s < 8; ++s)
    EXPECT_NEAR(cheap.joint[s].noise, naive.joint[s].noise, 1e-6 * naive.joint[s].noise);
}

TEST_F(SensitivityOf, LessMemoryIsMoreWork) {
  const Subject subject = digits("digits.onnx", 4);
  const Sensitivity all = measure(subject, 4);
  options_.memory_bytes = all.kept_bytes / 2;
  const Sensitivity half = measure(subject, 4);
  EXPECT_LE(half.kept_bytes, all.kept_bytes / 2);
  EXPECT_GT(half.passes, all.passes);
  for (std::size_t l = 0; l < subject.layers.size(); ++l)
    EXPECT_NEAR(half.layers[l].alone[0].noise, all.layers[l].alone[0].noise,
                1e-6 * all.layers[l].alone[0].noise);
}

// The issue of the whole thing: all layers for few passes.
TEST_F(SensitivityOf, ResNet18) {
  auto network = zoo::build("resnet18?resolution=64");
  ASSERT_TRUE(network) << network.error().message;
  Subject subject;
  subject.model = std::move(network->model);
  subject.fill = zoo::random_weights(subject.model, 0);
  WriteOptions write;
  write.fill = subject.fill;
  auto bytes = onnx_bytes(subject.model, write);
  ASSERT_TRUE(bytes);
  DatasetOptions random;
  random.random = true;
  random.samples = 32;
  auto data = Dataset::open("", subject.model, random);
  ASSERT_TRUE(data) << data.error().message;
  calibrate_on(subject, *data, {.path = "", .bytes = {.model = *bytes}});
  const Sensitivity all = measure(subject, *data);
  EXPECT_LE(all.passes, 0.6 * all.naive_passes);
  options_.budget = 0.1;
  const Sensitivity some = measure(subject, *data);
  EXPECT_LE(some.passes, 0.1 * all.naive_passes);
  auto top = ranking(subject, all), quick = ranking(subject, some);
  top.resize(10);
  quick.resize(10);
  EXPECT_THAT(quick, testing::UnorderedElementsAreArray(top));
}

}  // namespace
}  // namespace strata
