#include "cost/explain_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata {
namespace {

using testing::HasSubstr;

class ExplainModule : public testing::Test {
 protected:
  void SetUp() override {
    auto model = read_model(STRATA_SOURCE_DIR "/tests/models/resnet18.onnx");
    ASSERT_TRUE(model);
    model_ = std::make_unique<Model>(std::move(*model));
    ASSERT_TRUE(infer(*model_));
    costs_ = std::make_unique<Costs>(count(*model_));
    layers_ = find_layers(*model_, *costs_);
  }

  std::string text(std::string_view query) {
    const auto result = explain(*model_, *costs_, layers_, query, *find_convention("strata"));
    return result ? *result : result.error().message;
  }

  std::unique_ptr<Model> model_;
  std::unique_ptr<Costs> costs_;
  Layers layers_;
};

// Each of the two blocks of layer1 has two convolutions from 64 to 64 channels, 3×3 on 56×56:
// 56·56·64·64·9 = 115,605,504 MACs and 64·64·9 = 36,864 parameters, and two norms of 128. The
// network has 1,814,073,344 MACs and 11,689,512 parameters (torchvision).
TEST_F(ExplainModule, IsTheSumOfItsParts) {
  const std::string page = text("layer1");
  EXPECT_THAT(page,
              HasSubstr("462.4 M MACs (25.5 % of the network), 148.0 k parameters (1.3 %).\n"));
  EXPECT_THAT(page, HasSubstr("MACs    = 231,211,008 + 231,211,008\n        = 462,422,016\n"));
  EXPECT_THAT(page, HasSubstr("params  = 73,984 + 73,984\n        = 147,968\n"));
}

TEST_F(ExplainModule, ALayerIsNoModule) {
  EXPECT_THAT(text("layer1.0.conv1"), HasSubstr("work"));
  EXPECT_FALSE(
      explain_module(*model_, *costs_, layers_, "layer1.0.conv1", *find_convention("strata"), {}));
  EXPECT_FALSE(explain_module(*model_, *costs_, layers_, "layer", *find_convention("strata"), {}));
}

}  // namespace
}  // namespace strata
