#include "strata/cost/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/text.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata {
namespace {

using testing::HasSubstr;
using testing::Not;

class Explain : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    model_ = new Model(*read_model(STRATA_SOURCE_DIR "/tests/models/resnet18.onnx"));
    ASSERT_TRUE(infer(*model_));
    costs_ = new Costs(count(*model_));
    layers_ = new Layers(find_layers(*model_, *costs_));
  }
  static void TearDownTestSuite() {
    delete layers_;
    delete costs_;
    delete model_;
  }

  std::string text(std::string_view query, const char* convention = "strata") {
    const auto result = explain(*model_, *costs_, *layers_, query, *find_convention(convention));
    return result ? *result : result.error().message;
  }
  std::string found(std::string_view query) {
    const auto index = find_layer(*model_, *costs_, *layers_, query);
    if (!index) return index.error().message;
    const Layer& layer = layers_->list[*index];
    return layer_path(*model_, *costs_, layer) + "#" + std::to_string(layer.call + 1);
  }

  static inline Model* model_ = nullptr;
  static inline Costs* costs_ = nullptr;
  static inline Layers* layers_ = nullptr;
};

TEST_F(Explain, FindsLayers) {
  EXPECT_EQ(found("layer1.0.conv1"), "layer1.0.conv1#1");
  EXPECT_EQ(found("/layer1/layer1.0/conv1/Conv"), "layer1.0.conv1#1");
  EXPECT_EQ(found("conv1"), "conv1#1");  // a whole path is preferred to the ends of others
  EXPECT_EQ(found("maxpool"), "maxpool#1");
  EXPECT_EQ(found("layer4.0.down*.0"), "layer4.0.downsample.0#1");
  EXPECT_EQ(found("layer1.0.relu"), "layer1.0.relu#1");
  EXPECT_EQ(found("layer1.0.relu#2"), "layer1.0.relu#2");
}

TEST_F(Explain, ListsWhatAQueryCouldMean) {
  EXPECT_THAT(found("1.conv2"), HasSubstr("\"1.conv2\" can be any of 4 layers: layer1.1.conv2, "));
  EXPECT_THAT(found("*conv*"), HasSubstr(" more; give more of its name"));
  EXPECT_THAT(found("laver1"), HasSubstr("there is no layer \"laver1\""));
  EXPECT_THAT(found("4.0.conv2"), HasSubstr("(did you mean layer4.0.conv2?)"));
  EXPECT_THAT(found("layer1.0.cnov2"), HasSubstr("(did you mean layer1.0.conv2"));
  EXPECT_THAT(found("wnsample.1"), HasSubstr("(did you mean layer2.0.downsample.1, "));
}

TEST_F(Explain, StrataShowsWorkBytesAndParameters) {
  const std::string page = text("conv1");
  EXPECT_THAT(page, HasSubstr("conv1  Conv2d\n"));
  EXPECT_THAT(page, HasSubstr("input   f32   1×3×224×224"));
  EXPECT_THAT(page, HasSubstr("weight  f32   64×3×7×7                conv1.weight"));
  EXPECT_THAT(page, HasSubstr("output  f32   1×64×112×112"));
  EXPECT_THAT(page, HasSubstr("MACs    = 118,013,952\n"));
  EXPECT_THAT(page,
              HasSubstr("FLOPs   = 2·MACs\n        = 2·118,013,952\n        = 236,027,904\n"));
  EXPECT_THAT(page, HasSubstr("read    = input 602,112 + weight 37,632\n        = 639,744 B\n"));
  EXPECT_THAT(page, HasSubstr("write   = output 3,211,264\n        = 3,211,264 B\n"));
  EXPECT_THAT(page, HasSubstr("params  = 9,408\n"));
}

// 3·4 MACs for each of the N + 2 rows, which are a sum.
TEST_F(Explain, ASumBehindAFactorStandsInParentheses) {
  auto model = model_from_text(R"(
    input x f32[N,3]
    weight rows f32[2,3]
    weight w f32[3,4]
    all = Concat(x, rows) axis=0
    y = MatMul(all, w) name="fc"
    output y)");
  ASSERT_TRUE(model && infer(*model));
  const Costs costs = count(*model);
  const auto page =
      explain(*model, costs, find_layers(*model, costs), "fc", *find_convention("strata"));
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_THAT(*page, HasSubstr("FLOPs   = 2·MACs\n        = 2·(12·N + 24)\n        = 24·N + 48\n"));
}

TEST_F(Explain, ConventionsShowTheirFormulas) {
  const std::string page = text("conv1", "rasp");
  EXPECT_THAT(page, HasSubstr("flops   = N·O·(2·K − 1 + b)\n"
                              "        = 1·802,816·(2·147 − 1 + 0)\n"
                              "        = 235,225,088\n"));
  EXPECT_THAT(page, HasSubstr("mem_r   = N·(I + params)\n"
                              "        = 1·(150,528 + 9,408)\n"
                              "        = 159,936 elements of f32\n"
                              "        = 639,744 B\n"));
  EXPECT_THAT(page, HasSubstr("K       147           inputs that make one output"));
  EXPECT_THAT(page, HasSubstr("· Weights are read again for every sample"));
}

TEST_F(Explain, AxesAreWrittenOut) {
  const std::string page = text("conv1", "rasp-2020");
  EXPECT_THAT(page, HasSubstr("Π((in + pad − dilation·(kernel − 1) − 1)/stride + 1)"));
  EXPECT_THAT(page,
              HasSubstr("((224 + 6 − 1·(7 − 1) − 1)/2 + 1)·((224 + 6 − 1·(7 − 1) − 1)/2 + 1)"));
}

TEST_F(Explain, SaysWhatIsNotCounted) {
  EXPECT_THAT(text("layer1.0.Add", "rasp"), HasSubstr("does not count operations between modules"));
  EXPECT_THAT(text("layer1.0.Add", "calflops"), HasSubstr("none for Add: it counts 0"));
}

TEST_F(Explain, SaysWhichCall) {
  EXPECT_THAT(text("layer1.0.relu#2"), HasSubstr("layer1.0.relu  ReLU  call 2 of 2\n"));
}

TEST_F(Explain, ColoursOnlyWhenAsked) {
  EXPECT_THAT(text("conv1"), Not(HasSubstr("\x1b")));
  const auto colored =
      explain(*model_, *costs_, *layers_, "conv1", *find_convention("strata"), {.color = true});
  ASSERT_TRUE(colored);
  EXPECT_THAT(*colored, HasSubstr("\x1b[1mconv1\x1b[0m"));
}

}  // namespace
}  // namespace strata
