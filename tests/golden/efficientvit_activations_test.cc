// The activations of EfficientViT-SAM L0's image encoder that a calibration keeps, as
// published for 10 and for 100 images.
#include <gtest/gtest.h>

#include "published.h"
#include "strata/zoo/zoo.h"
#include "zoo/block_names.h"
#include "zoo/efficientvit.h"

namespace strata {
namespace {

struct Activation {
  std::string name;
  std::int64_t elements;  // of one image
};

std::vector<Activation> activations() {
  const auto network = zoo::build("efficientvit_sam_l0");
  EXPECT_TRUE(network) << network.error().message;
  const Costs costs = count(network->model);
  const Layers layers = find_layers(network->model, costs);
  const LayerEdges edges(network->model, costs, layers);
  const auto names = zoo::block_names(network->model, layers, edges, zoo::efficientvit_blocks());
  std::vector<Activation> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i] || names[i]->part != zoo::BlockPart::Act) continue;
    Expr elements = 1;
    for (const Expr& size : network->model.graph().tensors[edges.outputs(i)[0]].type->dims)
      elements *= size;
    found.push_back({text(*names[i]), elements.number().value_or(0)});
  }
  return found;
}

TEST(EfficientVitActivations, NamesAndElementsOfEveryLayer) {
  const auto published = without_header("efficientvit_l0_activations.csv");
  ASSERT_EQ(published.size(), 30u);
  const auto found = activations();
  ASSERT_EQ(found.size(), published.size());
  for (std::size_t i = 0; i < published.size(); ++i) {
    const auto elements = static_cast<double>(found[i].elements);
    EXPECT_EQ(found[i].name, published[i][0]);
    EXPECT_EQ(fmt::format("{:.2e}", 10 * elements), published[i][1]) << published[i][0];
    EXPECT_EQ(fmt::format("{:.2e}", 100 * elements), published[i][2]) << published[i][0];
  }
}

TEST(EfficientVitActivations, BytesOfTheLargest) {
  std::int64_t largest = 0;
  for (const Activation& activation : activations())
    largest = std::max(largest, 4 * activation.elements);
  EXPECT_EQ(10 * largest, std::int64_t{320} << 20);
  EXPECT_EQ(100 * largest, (std::int64_t{3} << 30) + (std::int64_t{1} << 27));  // 3.125 GiB
}

}  // namespace
}  // namespace strata
