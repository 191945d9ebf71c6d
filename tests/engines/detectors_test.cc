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
#include "zoo/detection.h"

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

  // Returns the outputs: boxes, labels, scores, and masks if the network draws them. The elements
  // of the tensor `name` are all set to `value`.
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
    ASSERT_GE(outputs.size(), 3u);
    EXPECT_THAT(outputs[0].dims, ElementsAre(0, 4));
    EXPECT_THAT(outputs[1].dims, ElementsAre(0));
    EXPECT_THAT(outputs[2].dims, ElementsAre(0));
  }

  std::unique_ptr<Engine> engine_;
};

const std::string kFaster = "fasterrcnn_resnet50_fpn?min_size=96&max_size=160";
const std::string kMasks = "maskrcnn_resnet50_fpn?min_size=96&max_size=160";
const std::string kRetina = "retinanet_resnet50_fpn?min_size=96&max_size=160";

TEST_F(Detectors, MayProposeNothing) {
  // Sides shrink by e^-100.
  expect_nothing(run(kFaster, "rpn.head.bbox_pred.bias", -100));
  const auto outputs = run(kMasks, "rpn.head.bbox_pred.bias", -100);
  expect_nothing(outputs);
  ASSERT_EQ(outputs.size(), 4u);
  EXPECT_THAT(outputs[3].dims, ElementsAre(0, 1, 224, 224));
}

TEST_F(Detectors, MayFindNothing) {
  for (const std::string& network : {kFaster, kMasks, kRetina})
    expect_nothing(run(network + "&score=1"));
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

// Two masks of (row + column) / 64, in boxes that begin inside and outside of an image of 5×6, as
// torchvision 0.14's paste_masks_in_image prints them.
TEST_F(Detectors, PasteMasksAsTorchvisionDoes) {
  constexpr float kBoxes[] = {1.2F, 0.5F, 4.9F, 3.7F, -2, 1, 2.5F, 9};
  constexpr float kPasted[] = {
      0,       0.0586F, 0.1523F, 0.2461F, 0.3398F, 0.4336F,  //
      0,       0.1758F, 0.2695F, 0.3633F, 0.4570F, 0.5508F,  //
      0,       0.2930F, 0.3867F, 0.4805F, 0.5742F, 0.6680F,  //
      0,       0.4102F, 0.5039F, 0.5977F, 0.6914F, 0.7852F,  //
      0,       0,       0,       0,       0,       0,        //
      0.2109F, 0.3047F, 0.3984F, 0,       0,       0,        //
      0.2578F, 0.3516F, 0.4453F, 0,       0,       0,        //
      0.3047F, 0.3984F, 0.4922F, 0,       0,       0,        //
      0.3516F, 0.4453F, 0.5391F, 0,       0,       0,        //
      0.3984F, 0.4922F, 0.5859F, 0,       0,       0,        //
  };
  std::vector<float> masks;
  masks.reserve(2 * 28 * 28);
  for (int i = 0; i < 2 * 28 * 28; ++i)
    masks.push_back(static_cast<float>(i / 28 % 28 + i % 28) / 64);
  build::Builder net("Pasting");
  const build::Var table = net.table(masks, {2, 1, 28, 28});
  // An input, so that something depends on the run.
  const build::Var boxes = net.add(net.input("zeros", {2, 4}), net.table(kBoxes, {2, 4}));
  net.output("masks", zoo::paste_masks(net, table, boxes, {5, 6}));
  const std::string bytes = test::bytes_of(std::move(net));
  auto session = engine_->open(ModelBytes{bytes}, {.threads = 1});
  ASSERT_TRUE(session) << session.error().message;
  HostTensor zeros{"zeros", DType::F32, {2, 4}, {}};
  zeros.data.resize(8 * sizeof(float));
  std::vector<HostTensor> inputs;
  inputs.push_back(std::move(zeros));
  ASSERT_TRUE(session->bind(std::move(inputs)));
  const auto trace = session->run_traced({.kernels = false, .outputs = true});
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_THAT(trace->outputs[0].dims, ElementsAre(2, 1, 5, 6));
  std::vector<float> pasted(2 * 5 * 6);
  std::memcpy(pasted.data(), trace->outputs[0].data.data(), pasted.size() * sizeof(float));
  for (std::size_t i = 0; i < pasted.size(); ++i) EXPECT_NEAR(pasted[i], kPasted[i], 1e-4) << i;
}

}  // namespace
}  // namespace strata
