// Parameters in odd places: in Constant nodes, behind Slice and Concat, as a bias that an Add adds;
// and ones and zeros that are not parameters. The true counts are worked out by hand.
#include <gtest/gtest.h>

#include "strata/cost/cost.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata {
namespace {

struct Case {
  const char* file;
  std::int64_t parameters;
};

class Parameters : public testing::TestWithParam<Case> {};

TEST_P(Parameters, AreCountedWhereverTheyAre) {
  auto model = read_model(std::string(STRATA_SOURCE_DIR "/tests/models/counts/") + GetParam().file);
  ASSERT_TRUE(model) << model.error().message;
  ASSERT_TRUE(infer(*model));
  EXPECT_EQ(count(*model).total.params, Expr(GetParam().parameters));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Parameters,
    testing::Values(Case{"groupnorm.onnx", 64 + 64},        // its norm has ones and zeros
                    Case{"instancenorm_noaffine.onnx", 0},  // only ones and zeros
                    Case{"linear_bias_const.onnx", 4 * 3 + 3},
                    Case{"linear_bias_init.onnx", 4 * 3 + 3},  // a product, then an Add
                    Case{"param_const_slice.onnx", 4 * 3}, Case{"param_init_slice.onnx", 4 * 3},
                    Case{"param_const_concat.onnx", 4 * 3},  // one tensor, twice
                    Case{"param_init_concat.onnx", 4 * 3}),
    [](const auto& each) {
      std::string name = each.param.file;
      return name.substr(0, name.find('.'));
    });

}  // namespace
}  // namespace strata
