#include "read/onnx/folded_norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/onnx/test_proto.h"
#include "strata/read/read.h"

namespace strata::onnx {
namespace {

using namespace test;
using testing::ElementsAre;

// A node as torch 2.13 writes it after it folded `norm` into the layer with this weight.
std::string folded(const std::string& op, const std::string& weight, const std::string& scopes,
                   const std::string& classes, const std::string& to) {
  return node(op, {"x", weight}, {to},
              {.name = "node_" + to,
               .metadata = {{"namespace", "…"},
                            {"pkg.onnxscript.rewriter.rule_name",
                             "RemoveOptionalBiasFromConv, FuseBatchNormInto" + op},
                            {"pkg.torch.onnx.class_hierarchy", classes},
                            {"pkg.torch.onnx.name_scopes", scopes}}});
}

Result<Model> read_folded(std::string& bytes) {
  const std::string net =
      "['Net', 'torch.nn.modules.container.Sequential', 'nn.BatchNorm2d', 'op']";
  GraphParts parts{
      .nodes = {folded("Conv", "stage.0.conv1.weight", "['', 'stage', 'stage.bn', 'op']", net, "a"),
                folded("ConvTranspose", "up.weight", "['', 'stage', 'stage.bn2', 'op_1']", net,
                       "b"),
                folded("Gemm", "stage.fc.weight", "['', 'stage', 'stage.bn3', 'op_2']", net, "c"),
                folded("Conv", "weight", "['', 'stage', 'stage.bn4', 'op_3']", net, "d")},
      .inputs = {value("x")},
      .outputs = {value("a"), value("b"), value("c"), value("d")},
      .initializers = {tensor("stage.0.conv1.weight", 1, {8, 3, 3, 3}),
                       tensor("up.weight", 1, {8, 3, 3}), tensor("stage.fc.weight", 1, {4, 8}),
                       tensor("weight", 1, {8, 3, 3, 3})}};
  bytes = model(parts);
  return read_onnx(bytes, "m.onnx");
}

TEST(FoldedNorm, TheLayerIsNamedByItsWeights) {
  std::string bytes;
  const auto model = read_folded(bytes);
  ASSERT_TRUE(model) << model.error().message;
  std::vector<std::string> places;
  for (const Node& node : model->graph().nodes) {
    const Scope& scope = model->scopes[node.scope];
    places.push_back(std::string(scope.path) + " " + std::string(scope.cls));
  }
  // The last one's weights are the network's own, so that only the norm has a path.
  EXPECT_THAT(places, ElementsAre("stage.0.conv1 Conv2d", "up ConvTranspose1d", "stage.fc Linear",
                                  "stage.bn4 BatchNorm2d"));
  const Scope& conv = model->scopes[model->graph().nodes[0].scope];
  EXPECT_EQ(model->scopes[conv.parent].path, "stage.0");
  EXPECT_EQ(model->scopes[model->scopes[conv.parent].parent].cls, "Sequential");
}

TEST(FoldedNorm, TheFileSaysSo) {
  std::string bytes;
  const auto model = read_folded(bytes);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_THAT(model->notes, ElementsAre("the exporter folded 3 norms into the layers before them, "
                                        "such as \"stage.bn\" into \"stage.0.conv1\""));
}

}  // namespace
}  // namespace strata::onnx
