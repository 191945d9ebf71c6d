#include <gtest/gtest.h>

#include "strata/cost/cost.h"
#include "strata/zoo/zoo.h"

namespace strata::zoo {
namespace {

NodeCost total(std::string_view name) {
  const auto network = build(name);
  EXPECT_TRUE(network) << network.error().message;
  return count(network->model).total;
}

// The authors state 34.8 M parameters for the whole model, 4.06 M of which are SAM's prompt encoder
// and mask decoder. They state 35 G MACs, for 512×512.
TEST(EfficientVitSam, ParametersAndMacsArePublished) {
  const NodeCost cost = total("efficientvit_sam_l0");
  EXPECT_NEAR(static_cast<double>(cost.params.number().value_or(0)), 34.8e6 - 4.06e6, 0.05e6);
  EXPECT_NEAR(static_cast<double>(cost.macs.number().value_or(0)), 35e9, 0.5e9);
}

TEST(EfficientVitSam, AnOpenBatchMultipliesTheMacs) {
  EXPECT_EQ(total("efficientvit_sam_l0?batch=N").macs,
            total("efficientvit_sam_l0").macs * Expr::symbol("N"));
}

// The embedding is 64×64 for any image.
TEST(EfficientVitSam, TheEmbeddingHasOneSize) {
  for (const char* name : {"efficientvit_sam_l0", "efficientvit_sam_l0?resolution=1024",
                           "efficientvit_sam_l0?resolution=224"}) {
    const auto network = build(name);
    ASSERT_TRUE(network) << network.error().message;
    const Graph& graph = network->model.graph();
    EXPECT_EQ(text(graph.tensors[graph.outputs[0]].type->dims), "1×256×64×64") << name;
  }
}

}  // namespace
}  // namespace strata::zoo
