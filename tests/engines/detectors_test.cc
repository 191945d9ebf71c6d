// The zoo's detectors on ONNX Runtime: what they find depends on the data, and may be
// nothing at any stage.
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_models.h"
#include "strata/build/weights.h"
#include "strata/data/inputs.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::Gt;

class Detectors : public ::testing::Test {
 protected:
  void SetUp() override {
    auto loaded = load_engine("onnxruntime");
    if (!loaded) GTEST_SKIP() << loaded.error().message;
    engine_ = std::make_unique<Engine>(std::move(*loaded));
  }

  // Returns the outputs: boxes, labels, scores. The elements of the tensor `name` are all set to
  // `value`.
  std::vector<HostTensor> run(const std::string& network, const std::string& name = "",
                              float value = 0) const {
    auto built = zoo::build(network);
    EXPECT_TRUE(built) << built.error().message;
    if (!built) return {};
    WriteOptions write;
    bool changed = name.empty();
    write.fill = [&, random = build::random_weights(built->model, 0)](
                     const TensorData& data, std::int64_t first,
                     std::span<std::byte> chunk) -> Status {
      if (name.empty() || data.name != name) return random(data, first, chunk);
      changed = true;
      for (std::size_t i = 0; i < chunk.size(); i += sizeof value)
        std::memcpy(&chunk[i], &value, sizeof value);
      return {};
    };
    const auto bytes = onnx_bytes(built->model, write);
    EXPECT_TRUE(bytes) << bytes.error().message;
    EXPECT_TRUE(changed) << network << " has no " << name;
    auto inputs = random_inputs(built->model, 0);
    EXPECT_TRUE(inputs) << inputs.error().message;
    auto session = engine_->open(ModelBytes{*bytes}, {.threads = 1});
    EXPECT_TRUE(session) << session.error().message;
    if (!session) return {};
    EXPECT_TRUE(session->bind(std::move(*inputs)));
    const auto trace = session->run_traced({.kernels = false, .outputs = true});
    EXPECT_TRUE(trace) << trace.error().message;
    return trace ? trace->outputs : std::vector<HostTensor>(3);
  }
  static void expect_nothing(const std::vector<HostTensor>& outputs) {
    ASSERT_EQ(outputs.size(), 3u);
    EXPECT_THAT(outputs[0].dims, ElementsAre(0, 4));
    EXPECT_THAT(outputs[1].dims, ElementsAre(0));
    EXPECT_THAT(outputs[2].dims, ElementsAre(0));
  }

  std::unique_ptr<Engine> engine_;
};

const std::string kFaster = "fasterrcnn_resnet50_fpn?min_size=96&max_size=160";
const std::string kRetina = "retinanet_resnet50_fpn?min_size=96&max_size=160";

TEST_F(Detectors, MayProposeNothing) {
  // Sides shrink by e^-100.
  expect_nothing(run(kFaster, "rpn.head.bbox_pred.bias", -100));
}

TEST_F(Detectors, MayFindNothing) {
  for (const std::string& network : {kFaster, kRetina}) expect_nothing(run(network + "&score=1"));
}

// Made-up weights give the scores of an untrained network: something is found, and the scores
// differ.
TEST_F(Detectors, FindSomethingOnMadeUpWeights) {
  for (const std::string& network : {kFaster, kRetina}) {
    const auto outputs = run(network);
    ASSERT_EQ(outputs.size(), 3u) << network;
    ASSERT_THAT(outputs[2].dims, ElementsAre(Gt(1))) << network;
    std::vector<float> scores(static_cast<std::size_t>(outputs[2].dims[0]));
    std::memcpy(scores.data(), outputs[2].data.data(), outputs[2].data.size());
    EXPECT_LT(scores.front(), 0.99F) << network;
    EXPECT_LT(scores.back(), scores.front()) << network;
  }
}

}  // namespace
}  // namespace strata
