// Measures one quantized layer at a time on ONNX Runtime: in a network trained on real digits, and
// one with a layer that is known to break.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/build/builder.h"
#include "strata/build/weights.h"
#include "strata/calibrate/calibrate.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"
#include "strata/sensitivity/sensitivity.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

const std::string kDigits = STRATA_SOURCE_DIR "/tests/models/digits/";

struct Subject {
  Model model;
  FillElements fill;
  std::vector<QuantLayer> layers;
  TensorRanges ranges;
  ActivationSqnr sqnr;
};

class SensitivityOf : public testing::Test {
 protected:
  void SetUp() override {
    auto engine = load_engine("onnxruntime");
    ASSERT_TRUE(engine) << engine.error().message;
    engine_ = std::move(*engine);
    options_.session.threads = 1;
  }

  // Takes ranges from the samples themselves.
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
      const Scheme scheme{.bits = 8, .symmetric = false, .is_signed = false};
      if (const auto db = sqnr_db(seen->sketches[i], quantization(*range, scheme)))
        subject.sqnr[watched[i].tensor] = *db;
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

  // 32 of them, from which the ranges are taken.
  Dataset random_samples(Subject& subject) {
    WriteOptions write;
    write.fill = subject.fill;
    const std::string bytes = onnx_bytes(subject.model, write).value();
    DatasetOptions random;
    random.random = true;
    random.samples = 32;
    Dataset data = Dataset::open("", subject.model, random).value();
    calibrate_on(subject, data, {.path = "", .bytes = {.model = bytes}});
    return data;
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
      return strata::drop_of(Quality::Sqnr, result.layers[l].alone, result.baseline).value_or(0);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return drop_of(a) > drop_of(b); });
    std::vector<std::string> out;
    out.reserve(order.size());
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
  EXPECT_EQ(score_of(Quality::Accuracy, with.baseline),
            score_of(Quality::Accuracy, without.baseline));
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
  ASSERT_EQ(cheap.pairs.size(), 10u);
  ASSERT_EQ(naive.pairs.size(), 10u);
  for (std::size_t p = 0; p < 10; ++p)
    for (std::size_t s = 0; s < 8; ++s) {
      const SampleScore &a = cheap.pairs[p].left_out[s], &b = naive.pairs[p].left_out[s];
      EXPECT_NEAR(a.noise, b.noise, 1e-6 * b.noise) << p << " " << s;
    }
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

// The point of all this: all layers are measured in few passes.
TEST_F(SensitivityOf, ResNet18) {
  auto network = zoo::build("resnet18?resolution=64");
  ASSERT_TRUE(network) << network.error().message;
  Subject subject;
  subject.model = std::move(network->model);
  subject.fill = build::random_weights(subject.model, 0);
  const Dataset data = random_samples(subject);
  const Sensitivity all = measure(subject, data);
  EXPECT_LE(all.passes, 0.6 * all.naive_passes);
  options_.budget = 0.1;
  const Sensitivity some = measure(subject, data);
  EXPECT_LE(some.passes, 0.1 * all.naive_passes);
  auto top = ranking(subject, all), quick = ranking(subject, some);
  top.resize(10);
  quick.resize(10);
  EXPECT_THAT(quick, testing::UnorderedElementsAreArray(top));
}

// A run is stopped after this many samples, and then resumed.
TEST_F(SensitivityOf, GoesOnWhereItWasStopped) {
  const Subject subject = digits("digits.onnx", 8);
  for (const double budget : {1.0, 0.5}) {
    options_ = {};
    options_.session.threads = 1;
    options_.budget = budget;
    options_.leave_one_out = true;
    const Sensitivity whole = measure(subject, 8);
    EXPECT_FALSE(whole.partial);
    for (const int most : {3, 20, 60}) {
      std::atomic<bool> stop = false;
      int seen = 0;
      options_.stop = &stop;
      options_.so_far = [&](const Sensitivity&) { stop = ++seen >= most; };
      const Sensitivity begun = measure(subject, 8);
      EXPECT_TRUE(begun.partial);
      EXPECT_FALSE(begun.joint.empty());
      options_.stop = nullptr;
      options_.so_far = nullptr;
      options_.earlier = &begun;
      const Sensitivity rest = measure(subject, 8);
      options_.earlier = nullptr;
      EXPECT_FALSE(rest.partial);
      // References are run again.
      EXPECT_LE(rest.passes, whole.passes);
      if (most == 60) {
        EXPECT_LT(rest.passes, 0.9 * whole.passes);
      }
      ASSERT_EQ(rest.joint.size(), whole.joint.size());
      for (std::size_t l = 0; l < subject.layers.size(); ++l) {
        const LayerScore &a = rest.layers[l], &b = whole.layers[l];
        ASSERT_EQ(a.alone.size(), b.alone.size()) << l << " after " << most;
        ASSERT_EQ(a.left_out.size(), b.left_out.size()) << l << " after " << most;
        for (std::size_t s = 0; s < a.alone.size(); ++s)
          EXPECT_NEAR(a.alone[s].noise, b.alone[s].noise, 1e-6 * b.alone[s].noise);
      }
    }
  }
}

// A network of equal blocks, in one of which a layer has a channel a hundred times too large.
TEST_F(SensitivityOf, APlantedLayerInARepeatedBlock) {
  build::Builder net("Net");
  build::Var x = net.conv("stem", net.input("x", {1, 3, 16, 16}), 8, {.kernel = 3, .pad = 1});
  for (int b = 0; b < 10; ++b) {
    const std::string name = "layers." + std::to_string(b);
    const build::Var y = net.relu(name + ".act", net.conv(name + ".wide", x, 16));
    x = net.add(x, net.conv(name + ".back", y, 8));
  }
  net.output("y", net.linear("head", net.flatten(x), 10));
  auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  Subject subject;
  subject.model = std::move(network->model);
  const FillElements plain = build::random_weights(subject.model, 0);
  for (const bool planted : {false, true}) {
    subject.fill = [&](const TensorData& data, std::int64_t first, std::span<std::byte> chunk) {
      auto status = plain(data, first, chunk);
      // The 16 inputs of the first of 8 channels.
      if (planted && data.name == "layers.6.back.weight" && first == 0)
        for (std::size_t i = 0; i < 16; ++i) {
          float weight = 0;
          std::memcpy(&weight, chunk.data() + 4 * i, 4);
          weight *= 100;
          std::memcpy(chunk.data() + 4 * i, &weight, 4);
        }
      return status;
    };
    subject.sqnr.clear();
    const Dataset data = random_samples(subject);
    options_ = {};
    options_.session.threads = 1;
    const Sensitivity all = measure(subject, data);
    EXPECT_TRUE(all.like.empty());
    options_.budget = 0.1;
    options_.top = 1;
    options_.activation_sqnr = subject.sqnr;
    const Sensitivity some = measure(subject, data);
    ASSERT_EQ(some.alike.size(), 1);
    EXPECT_EQ(some.alike[0].blocks.size(), 10);
    EXPECT_GE(some.alike[0].members, 6);
    std::size_t once = 0;
    for (std::size_t l = 0; l < subject.layers.size(); ++l)
      once += some.like[l] != l && some.layers[l].alone.size() == 1 ? 1 : 0;
    EXPECT_GT(once, 5);
    EXPECT_EQ(ranking(subject, some)[0], ranking(subject, all)[0]);
    if (!planted) continue;
    EXPECT_EQ(ranking(subject, some)[0], "layers.6.back");
    for (std::size_t l = 0; l < subject.layers.size(); ++l)
      if (subject.layers[l].path == "layers.6.back") {
        EXPECT_EQ(some.like[l], l);
      }
  }
}

}  // namespace
}  // namespace strata
