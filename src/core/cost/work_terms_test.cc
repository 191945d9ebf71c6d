#include "cost/work_terms.h"

#include <gtest/gtest.h>

#include "strata/cost/explain.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata {
namespace {

// conv1 makes 64·112·112 numbers, each from 3 windows of 7·7; the sum is of 64·56·56 numbers.
TEST(FormulaText, IsWhatExplainPrintsOnOneLine) {
  auto model = read_model(STRATA_SOURCE_DIR "/tests/models/resnet18.onnx");
  ASSERT_TRUE(model);
  ASSERT_TRUE(infer(*model));
  const Costs costs = count(*model);
  const Layers layers = find_layers(*model, costs);
  const auto formula_of = [&](std::string_view layer) {
    return formula_text(costs, layers, layers.list[*find_layer(*model, costs, layers, layer)]);
  };
  EXPECT_EQ(formula_of("conv1"),
            "Conv MACs = outputs 802,816 × channels in a group 3 × window 49 = 118,013,952");
  EXPECT_EQ(formula_of("layer1.0.Add"), "Add adds = outputs 200,704 × adds each 1 = 200,704");
}

}  // namespace
}  // namespace strata
