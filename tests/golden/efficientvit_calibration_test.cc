// The layers whose activations a calibration of EfficientViT-SAM L0 watches include the published
// ones, under their names.
#include <algorithm>

#include "published.h"
#include "strata/calibrate/calibrate.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

TEST(EfficientVitCalibration, LooksAtThePublishedLayers) {
  const auto published = without_header("efficientvit_l0_activations.csv");
  const auto network = zoo::build("efficientvit_sam_l0");
  ASSERT_TRUE(network) << network.error().message;
  const Graph& graph = network->model.graph();
  std::vector<Row> found;
  for (const Watched& one : watched_tensors(network->model)) {
    if (one.block.find(":act:") == one.block.npos) continue;
    const auto tensor =
        std::find_if(graph.tensors.begin(), graph.tensors.end(),
                     [&](const Tensor& candidate) { return candidate.name == one.tensor; });
    ASSERT_NE(tensor, graph.tensors.end()) << one.tensor;
    const auto count = static_cast<double>(elements(tensor->type->dims).number().value_or(0));
    found.push_back(
        {one.block, fmt::format("{:.2e}", 10 * count), fmt::format("{:.2e}", 100 * count)});
  }
  EXPECT_EQ(found, published);
}

}  // namespace
}  // namespace strata
