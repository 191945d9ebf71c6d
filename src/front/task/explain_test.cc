#include "strata/task/explain.h"

#include "task/test_job.h"

namespace strata {
namespace {

using testing::HasSubstr;

class ExplainJob : public test::JobTest {
 protected:
  static ExplainRequest request(std::string layer) {
    return {{"zoo:squeezenet1_1?resolution=32"}, std::move(layer)};
  }
};

// The first convolution of SqueezeNet 1.1: 3×3 from 3 to 64 channels with stride 2 and no padding,
// so 15×15 outputs of 27 products each: 64·15·15·27 = 388,800.
TEST_F(ExplainJob, ALayerHasItsFormula) {
  const auto text = run_explain(request("features.0"));
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("MACs    = 388,800"));
}

TEST_F(ExplainJob, WhatIsNotThereIsNamed) {
  EXPECT_EQ(run_explain(request("nowhere")).error().code, Code::NoLayer);
  ExplainRequest other = request("features.0");
  other.convention = "nobody's";
  EXPECT_FALSE(run_explain(other));
}

}  // namespace
}  // namespace strata
