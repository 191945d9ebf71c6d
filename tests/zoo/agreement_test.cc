// Compares the zoo's networks with torchvision's own exports: parameters, MACs,
// and every layer's path, kind and output shape, in order.
//
// Dropout is not compared, since an export for evaluation has none, nor is anything that is not
// arithmetic on activations: constants and shapes, which an export computes in nodes where the zoo
// knows the number.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cost/convention_rules.h"
#include "strata/cost/layers.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

struct Case {
  std::string_view network;  // torchvision's name, and the zoo's
  std::string_view arguments = {};
  // Layers whose paths begin with one of these are not compared.
  std::vector<std::string_view> except = {};
  bool modules_only = false;  // operations between modules are not compared

  friend void PrintTo(const Case& one, std::ostream* out) { *out << one.network; }
};

// torchvision 0.14 scales the stem of the MNASNets; the version of the published table did not.
const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"alexnet"},
      {"convnext_tiny"},
      {"densenet121"},
      {"densenet161"},
      {"densenet169"},
      {"densenet201"},
      {"efficientnet_b0"},
      // Between modules, the zoo's detectors clip and sort boxes in fewer operators than the
      // export; the pool over regions is one module here and a module inside another one there.
      {"fasterrcnn_resnet50_fpn", "", {"roi_heads.box_roi_pool"}, true},
      {"googlenet"},
      {"maskrcnn_resnet50_fpn", "", {"roi_heads.box_roi_pool", "roi_heads.mask_roi_pool"}, true},
      {"mnasnet0_5", "stem=scaled"},
      {"mnasnet0_75", "stem=scaled"},
      {"mnasnet1_0", "stem=scaled"},
      {"mnasnet1_3", "stem=scaled"},
      {"mobilenet_v2"},
      {"mobilenet_v3_large"},
      {"mobilenet_v3_small"},
      {"regnet_y_400mf"},
      {"resnet101"},
      {"resnet152"},
      {"resnet18"},
      {"resnet34"},
      {"resnet50"},
      {"resnext101_32x8d"},
      {"resnext50_32x4d"},
      {"retinanet_resnet50_fpn", "", {}, true},
      {"shufflenet_v2_x0_5"},
      {"shufflenet_v2_x1_0"},
      {"shufflenet_v2_x1_5"},
      {"shufflenet_v2_x2_0"},
      {"squeezenet1_0"},
      {"squeezenet1_1"},
      // The export slices one axis at a time, and has paddings of zero width before that.
      {"swin_t",
       "",
       {"features.2.Pad", "features.2.Slice", "features.2.Concat", "features.4.Pad",
        "features.4.Slice", "features.4.Concat", "features.6.Pad", "features.6.Slice",
        "features.6.Concat"}},
      {"vgg11"},
      {"vgg11_bn"},
      {"vgg13"},
      {"vgg13_bn"},
      {"vgg16"},
      {"vgg16_bn"},
      {"vgg19"},
      {"vgg19_bn"},
      {"vit_b_16", "", {"Concat"}},  // the third of that name in an export
      {"wide_resnet101_2"},
      {"wide_resnet50_2"},
  };
  return kCases;
}

// `features.0 Conv 1×64×55×55`: path, kind, shape of what leaves the layer.
std::vector<std::string> layers_of(const Model& model, const Costs& costs, const Case& wanted) {
  const Layers layers = find_layers(model, costs);
  const LayerEdges edges(model, costs, layers);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < layers.list.size(); ++i) {
    const Layer& layer = layers.list[i];
    const NodeCost& cost = costs.nodes[layer.main].cost;
    if (layer.kind == LayerKind::Dropout || cost.folded || edges.outputs(i).empty()) continue;
    if (wanted.modules_only && layer.functional) continue;
    const std::string path = layer_path(model, costs, layer);
    const auto excepted = [&](std::string_view prefix) { return path.starts_with(prefix); };
    if (std::any_of(wanted.except.begin(), wanted.except.end(), excepted)) continue;
    std::string line = fmt::format("{} {}", path, name_of(layer.kind));
    for (TensorId id : edges.outputs(i))
      line += " " + text(costs.nodes[layer.main].graph->tensors[id].type->dims);
    lines.push_back(std::move(line));
  }
  return lines;
}

class Agreement : public testing::TestWithParam<Case> {};

TEST_P(Agreement, OfTheZooWithTorchvision) {
  const Case& wanted = GetParam();
  auto exported = read_model(fmt::format("{}/{}.onnx", STRATA_TEST_MODELS, wanted.network));
  ASSERT_TRUE(exported) << exported.error().message;
  ASSERT_TRUE(infer(*exported, {}));
  const auto ours = zoo::build(fmt::format("{}?{}", wanted.network, wanted.arguments));
  ASSERT_TRUE(ours) << ours.error().message;

  const Costs theirs = count(*exported), built = count(ours->model);
  EXPECT_EQ(built.total.params.text(), theirs.total.params.text());
  EXPECT_EQ(built.total.macs.text(), theirs.total.macs.text());
  EXPECT_FALSE(built.total.macs.is(0));

  const auto expected = layers_of(*exported, theirs, wanted);
  const auto found = layers_of(ours->model, built, wanted);
  for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i)
    ASSERT_EQ(found[i], expected[i]) << "layer " << i << " of " << expected.size();
  EXPECT_EQ(found.size(), expected.size());
}

INSTANTIATE_TEST_SUITE_P(Zoo, Agreement, testing::ValuesIn(cases()),
                         [](const auto& test) { return std::string(test.param.network); });

}  // namespace
}  // namespace strata
