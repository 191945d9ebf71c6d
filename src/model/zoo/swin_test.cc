#include <gtest/gtest.h>

#include "strata/cost/layers.h"
#include "strata/zoo/zoo.h"

namespace strata::zoo {
namespace {

NodeCost total(std::string_view name) {
  const auto network = build(name);
  EXPECT_TRUE(network) << network.error().message;
  return count(network->model).total;
}

// A stage of blocks on `side`² positions, in whole windows of 7×7.
std::int64_t stage_macs(std::int64_t side, std::int64_t width, std::int64_t blocks) {
  const std::int64_t windows = ((side + 6) / 7) * ((side + 6) / 7);
  const std::int64_t attention = windows * 49 * (4 * width * width + 2 * 49 * width);
  const std::int64_t mlp = side * side * 8 * width * width;
  return blocks * (attention + mlp);
}

std::int64_t macs_by_hand(std::int64_t resolution) {
  const std::int64_t side = resolution / 4;
  std::int64_t macs = side * side * 96 * 48;
  const std::int64_t blocks[] = {2, 2, 6, 2};
  std::int64_t width = 96;
  std::int64_t at = side;
  for (std::size_t i = 0; i < 4; ++i, width *= 2) {
    macs += stage_macs(at, width, blocks[i]);
    if (i == 3) break;
    at = (at + 1) / 2;
    macs += at * at * (4 * width) * (2 * width);
  }
  return macs + 768 * 1000;
}

TEST(Swin, ParametersAreTorchvisions) { EXPECT_EQ(total("swin_t").params.text(), "28288354"); }

TEST(Swin, MacsFollowFromItsSizes) {
  EXPECT_EQ(total("swin_t").macs, Expr(macs_by_hand(224)));
  // Maps of 64, 32, 16, 8: padded to 70, 35, 21, 14.
  EXPECT_EQ(total("swin_t?resolution=256").macs, Expr(macs_by_hand(256)));
  // Maps of 25, 13, 7, 4: patch merging pads them, too.
  EXPECT_EQ(total("swin_t?resolution=100").macs, Expr(macs_by_hand(100)));
}

TEST(Swin, AnOpenBatchMultipliesTheMacs) {
  EXPECT_EQ(total("swin_t?batch=N").macs, total("swin_t").macs * Expr::symbol("N"));
}

// Blocks with an odd number shift, unless the map is a single window.
TEST(Swin, MasksAreOnlyThereWhereWindowsShift) {
  const auto network = build("swin_t");
  ASSERT_TRUE(network);
  const Graph& graph = network->model.graph();
  std::vector<std::string> masks;
  for (const Node& node : graph.nodes)
    if (node.op == "Constant" && graph.tensors[node.outputs[0]].type->dims.size() == 4)
      masks.push_back(text(graph.tensors[node.outputs[0]].type->dims));
  EXPECT_EQ(masks, (std::vector<std::string>{"64×1×49×49", "16×1×49×49", "4×1×49×49"}));
}

// The blocks of one stage share a mask, which is stored: the first block returns only its result.
TEST(Swin, AMaskIsStoredAndLeavesNoBlock) {
  const auto network = build("swin_t");
  ASSERT_TRUE(network);
  const Costs costs = count(network->model);
  const Layers layers = find_layers(network->model, costs);
  const LayerEdges edges(network->model, costs, layers);
  std::size_t attentions = 0;
  for (std::size_t i = 0; i < layers.list.size(); ++i) {
    if (layers.list[i].kind != LayerKind::Attention) continue;
    ++attentions;
    EXPECT_EQ(edges.inputs(i).size(), 1u) << i;
    EXPECT_EQ(edges.outputs(i).size(), 1u) << i;
  }
  EXPECT_EQ(attentions, 12u);
}

}  // namespace
}  // namespace strata::zoo
