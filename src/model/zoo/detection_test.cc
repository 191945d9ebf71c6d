// The expected values from torchvision (sizes, anchors, decoded boxes, parameter counts) were
// printed by torchvision 0.14 itself. Its answers and those of the exported networks on ONNX
// Runtime were compared by hand, with the same weights.
#include "zoo/detection.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/cost/cost.h"

namespace strata::zoo {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

const Network& faster() {
  static const Network kNetwork = *build("fasterrcnn_resnet50_fpn");
  return kNetwork;
}
const Network& retina() {
  static const Network kNetwork = *build("retinanet_resnet50_fpn");
  return kNetwork;
}

const Network& masked() {
  static const Network kNetwork = *build("maskrcnn_resnet50_fpn");
  return kNetwork;
}

// The output shapes of a module's last operator, one per call.
std::vector<std::string> shapes(const Network& network, std::string_view path) {
  std::map<ScopeId, std::string> last;
  const Graph& graph = network.model.graph();
  for (const Node& node : graph.nodes)
    if (network.model.scopes[node.scope].path == path)
      last[node.scope] = text(graph.tensors[node.outputs[0]].type->dims);
  std::vector<std::string> all;
  all.reserve(last.size());
  for (auto& [scope, shape] : last) all.push_back(shape);
  return all;
}

std::vector<std::string> output_shapes(const Network& network) {
  std::vector<std::string> all;
  for (const TensorId id : network.model.graph().outputs) {
    const Tensor& tensor = network.model.graph().tensors[id];
    all.push_back(fmt::format("{} {}", tensor.name, text(tensor.type->dims)));
  }
  return all;
}

TEST(FasterRcnn, HasThePublishedShapesAtItsModules) {
  const auto at = [](std::string_view path) { return shapes(faster(), path); };
  EXPECT_THAT(at("transform"), ElementsAre("1×3×800×800"));
  EXPECT_THAT(at("backbone.body.layer1.2.relu").back(), "1×256×200×200");
  EXPECT_THAT(at("backbone.body.layer2.3.relu").back(), "1×512×100×100");
  EXPECT_THAT(at("backbone.body.layer3.5.relu").back(), "1×1024×50×50");
  EXPECT_THAT(at("backbone.body.layer4.2.relu").back(), "1×2048×25×25");
  for (const char* list : {"inner_blocks", "layer_blocks"}) {
    EXPECT_THAT(at(fmt::format("backbone.fpn.{}.0.0", list)), ElementsAre("1×256×200×200"));
    EXPECT_THAT(at(fmt::format("backbone.fpn.{}.1.0", list)), ElementsAre("1×256×100×100"));
    EXPECT_THAT(at(fmt::format("backbone.fpn.{}.2.0", list)), ElementsAre("1×256×50×50"));
    EXPECT_THAT(at(fmt::format("backbone.fpn.{}.3.0", list)), ElementsAre("1×256×25×25"));
  }
  EXPECT_THAT(at("backbone.fpn.extra_blocks"), ElementsAre("1×256×13×13"));
  EXPECT_THAT(at("rpn.head.conv.0.1"), ElementsAre("1×256×200×200", "1×256×100×100", "1×256×50×50",
                                                   "1×256×25×25", "1×256×13×13"));
  EXPECT_THAT(at("rpn.head.cls_logits"),
              ElementsAre("1×3×200×200", "1×3×100×100", "1×3×50×50", "1×3×25×25", "1×3×13×13"));
  EXPECT_THAT(at("rpn.head.bbox_pred"), ElementsAre("1×12×200×200", "1×12×100×100", "1×12×50×50",
                                                    "1×12×25×25", "1×12×13×13"));
  EXPECT_THAT(at("rpn.anchor_generator"), ElementsAre("159882×4"));
  EXPECT_THAT(at("rpn"), ElementsAre("min(boxes, 1000)×4"));
  EXPECT_THAT(at("roi_heads.box_roi_pool"), ElementsAre("min(boxes, 1000)×256×7×7"));
  EXPECT_THAT(at("roi_heads.box_head.fc6"), ElementsAre("min(boxes, 1000)×1024"));
  EXPECT_THAT(at("roi_heads.box_head"), ElementsAre("min(boxes, 1000)×1024"));
  EXPECT_THAT(at("roi_heads.box_predictor.cls_score"), ElementsAre("min(boxes, 1000)×91"));
  EXPECT_THAT(at("roi_heads.box_predictor.bbox_pred"), ElementsAre("min(boxes, 1000)×364"));
  EXPECT_THAT(output_shapes(faster()),
              ElementsAre("boxes min(boxes_2, 100)×4", "labels min(boxes_2, 100)",
                          "scores min(boxes_2, 100)"));
}

TEST(RetinaNet, HasItsLevelsFromTheThirdToTheSeventh) {
  const auto at = [](std::string_view path) { return shapes(retina(), path); };
  EXPECT_THAT(at("backbone.fpn.inner_blocks.0.0"), ElementsAre("1×256×100×100"));
  EXPECT_THAT(at("backbone.fpn.extra_blocks.p6"), ElementsAre("1×256×13×13"));
  EXPECT_THAT(at("backbone.fpn.extra_blocks.p7"), ElementsAre("1×256×7×7"));
  EXPECT_THAT(
      at("head.classification_head.cls_logits"),
      ElementsAre("1×819×100×100", "1×819×50×50", "1×819×25×25", "1×819×13×13", "1×819×7×7"));
  EXPECT_THAT(at("head.classification_head"), ElementsAre("1×120087×91"));
  EXPECT_THAT(at("head.regression_head"), ElementsAre("1×120087×4"));
  EXPECT_THAT(at("anchor_generator"), ElementsAre("120087×4"));
  EXPECT_THAT(
      output_shapes(retina()),
      ElementsAre("boxes min(boxes, 300)×4", "labels min(boxes, 300)", "scores min(boxes, 300)"));
}

// Like FasterRcnn, up to the boxes.
TEST(MaskRcnn, DrawsWhatItFinds) {
  const auto at = [](std::string_view path) { return shapes(masked(), path); };
  EXPECT_THAT(at("roi_heads.box_predictor.bbox_pred"), ElementsAre("min(boxes, 1000)×364"));
  EXPECT_THAT(at("roi_heads.mask_roi_pool"), ElementsAre("min(boxes_2, 100)×256×14×14"));
  for (int i = 0; i < 4; ++i)
    EXPECT_THAT(at(fmt::format("roi_heads.mask_head.{}.1", i)),
                ElementsAre("min(boxes_2, 100)×256×14×14"));
  EXPECT_THAT(at("roi_heads.mask_predictor.conv5_mask"),
              ElementsAre("min(boxes_2, 100)×256×28×28"));
  EXPECT_THAT(at("roi_heads.mask_predictor.mask_fcn_logits"),
              ElementsAre("min(boxes_2, 100)×91×28×28"));
  EXPECT_THAT(at("roi_heads"), ElementsAre("min(boxes_2, 100)×1×28×28"));
  EXPECT_THAT(output_shapes(masked()),
              ElementsAre("boxes min(boxes_2, 100)×4", "labels min(boxes_2, 100)",
                          "scores min(boxes_2, 100)", "masks min(boxes_2, 100)×1×224×224"));
  const auto wide = build("maskrcnn_resnet50_fpn?height=240&width=427&detections=10");
  ASSERT_TRUE(wide) << wide.error().message;
  EXPECT_THAT(output_shapes(*wide).back(), "masks min(boxes_2, 10)×1×240×427");
}

// The published figures exclude the gains and shifts of the backbone's 53 norms, which are frozen
// in trained networks.
TEST(Detectors, HaveThePublishedParameters) {
  constexpr std::int64_t kOfNorms = 2 * 26560;
  EXPECT_EQ(count(faster().model).total.params, Expr(41755286 + kOfNorms));
  EXPECT_EQ(count(masked().model).total.params, Expr(44401393 + kOfNorms));
  EXPECT_EQ(count(retina().model).total.params, Expr(34014999 + kOfNorms));
}

TEST(Detectors, AHeadHasItsWeightsOnce) {
  for (const auto* network : {&faster(), &masked(), &retina()}) {
    std::vector<std::string_view> names;
    for (const TensorData& data : network->model.stored)
      if (!data.name.empty()) names.push_back(data.name);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  }
}

// Only sizes that depend on data have no bound, and they are cut off in the next step.
TEST(Detectors, EverySizeHasABound) {
  for (const auto* network : {&faster(), &masked(), &retina()}) {
    const Graph& graph = network->model.graph();
    const auto is_cut = [&](const Node& node) {
      if (node.op == "NonZero" || node.op == "NonMaxSuppression") return true;
      if (node.op != "Squeeze") return false;
      const NodeId from = graph.tensors[node.inputs[0]].producer;
      return from != kNone && graph.nodes[from].op == "NonZero";
    };
    for (const Node& node : graph.nodes) {
      if (is_cut(node)) continue;
      for (const TensorId id : node.outputs)
        for (const Expr& size : graph.tensors[id].type->dims)
          EXPECT_TRUE(upper_bound(size)) << node.name << ": " << size.text();
    }
  }
}

TEST(Detectors, ResizeAsTorchvisionDoes) {
  struct Case {
    std::string_view arguments, resized, padded;
  };
  constexpr Case kCases[] = {
      {"resolution=224", "1×3×800×800", "1×3×800×800"},
      {"height=300&width=400", "1×3×800×1066", "1×3×800×1088"},
      {"height=480&width=640", "1×3×800×1066", "1×3×800×1088"},
      {"height=100&width=1000", "1×3×133×1333", "1×3×160×1344"},
      {"height=240&width=427", "1×3×749×1332", "1×3×768×1344"},
      {"resolution=320&min_size=320", "1×3×320×320", "1×3×320×320"},
  };
  for (const Case& c : kCases) {
    const auto network = build(fmt::format("fasterrcnn_resnet50_fpn?{}", c.arguments));
    ASSERT_TRUE(network) << network.error().message;
    EXPECT_THAT(shapes(*network, "transform"), ElementsAre(c.padded));
    for (const Node& node : network->model.graph().nodes)
      if (node.name == "/transform/Resize") {
        const Tensor& made = network->model.graph().tensors[node.outputs[0]];
        EXPECT_EQ(text(made.type->dims), c.resized);
      }
  }
}

// Twice the images are twice the work, if as many boxes are found in each.
TEST(Detectors, TakeSeveralImages) {
  const auto macs = [](const Network& network) {
    return count(network.model).total.macs.evaluate([](std::string_view) { return 5000.0; });
  };
  for (const auto* one : {&faster(), &masked(), &retina()}) {
    const auto three = build(fmt::format("{}?batch=3", one->model.graph().name));
    ASSERT_TRUE(three) << three.error().message;
    EXPECT_EQ(macs(*three), 3 * *macs(*one));
    EXPECT_EQ(count(three->model).total.params, count(one->model).total.params);
    EXPECT_EQ(three->model.graph().outputs.size(), 3 * one->model.graph().outputs.size());
  }
}

TEST(FasterRcnn, SharesItsLayersBetweenImages) {
  const auto two = build("fasterrcnn_resnet50_fpn?batch=2");
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_THAT(shapes(*two, "transform"), ElementsAre("2×3×800×800"));
  EXPECT_THAT(shapes(*two, "rpn.head.cls_logits").front(), "2×3×200×200");
  EXPECT_THAT(shapes(*two, "roi_heads.box_head.fc6"),
              ElementsAre("(min(boxes, 1000) + min(boxes_2, 1000))×1024"));
  EXPECT_THAT(output_shapes(*two),
              ElementsAre("boxes_0 min(boxes_3, 100)×4", "labels_0 min(boxes_3, 100)",
                          "scores_0 min(boxes_3, 100)", "boxes_1 min(boxes_4, 100)×4",
                          "labels_1 min(boxes_4, 100)", "scores_1 min(boxes_4, 100)"));
}

TEST(Detectors, SayWhatTheyCannotBe) {
  const auto error_of = [](std::string_view name) {
    const auto network = build(name);
    return network ? "no error" : network.error().message;
  };
  EXPECT_THAT(error_of("fasterrcnn_resnet50_fpn?batch=N"), HasSubstr("batch=N must be"));
  EXPECT_THAT(error_of("retinanet_resnet50_fpn?height=1&width=5000"),
              HasSubstr("an image of 1×5000 would be resized to 0×"));
}

// ---- The pieces, tested with numbers.

using Rows = std::vector<std::vector<float>>;

Var rows(Builder& net, const Rows& items) {
  std::vector<float> flat;
  for (const auto& row : items) flat.insert(flat.end(), row.begin(), row.end());
  const auto count = static_cast<std::int64_t>(items.size());
  return net.table(flat, {count, static_cast<std::int64_t>(flat.size()) / count});
}

std::vector<float> numbers(const Network& network, TensorId id) {
  std::vector<float> all;
  const Value* value = network.model.graph().tensors[id].value;
  if (value == nullptr) return all;
  for (const Scalar& item : value->items) all.push_back(static_cast<float>(*item.number()));
  return all;
}

template <class Piece>
std::vector<float> run(const Piece& piece) {
  Builder net("Piece");
  net.output("output", piece(net));
  const auto network = std::move(net).finish();
  EXPECT_TRUE(network) << network.error().message;
  return network ? numbers(*network, network->model.graph().outputs[0]) : std::vector<float>();
}

Var feature(Builder& net, std::int64_t h, std::int64_t w) {
  return net.input(fmt::format("{}x{}", h, w), {1, 256, h, w});
}

TEST(Anchors, AreTorchvisions) {
  constexpr std::int64_t kSizes[] = {32, 64, 512};
  const auto anchors = run([&](Builder& net) {
    const Var features[] = {feature(net, 1, 2), feature(net, 2, 1), feature(net, 1, 1)};
    const AnchorSizes sizes[] = {{kSizes, 1}, {kSizes + 1, 1}, {kSizes + 2, 1}};
    return anchor_boxes(net, features, sizes, {32, 64});
  });
  EXPECT_EQ(anchors, (std::vector<float>{
                         -23,  -11,  23,  11,  -16,  -16,  16,  16,  -11,  -23,  11,  23,   //
                         9,    -11,  55,  11,  16,   -16,  48,  16,  21,   -23,  43,  23,   //
                         -45,  -23,  45,  23,  -32,  -32,  32,  32,  -23,  -45,  23,  45,   //
                         -45,  -7,   45,  39,  -32,  -16,  32,  48,  -23,  -29,  23,  61,   //
                         -362, -181, 362, 181, -256, -256, 256, 256, -181, -362, 181, 362,  //
                     }));
}

TEST(Anchors, AreByShapeThenBySize) {
  constexpr std::int64_t kSizes[] = {32, 40, 50};
  const auto anchors = run([&](Builder& net) {
    const Var features[] = {feature(net, 1, 1)};
    const AnchorSizes sizes[] = {kSizes};
    return anchor_boxes(net, features, sizes, {32, 32});
  });
  EXPECT_EQ(anchors, (std::vector<float>{
                         -23, -11, 23, 11, -28, -14, 28, 14, -35, -18, 35, 18,  //
                         -16, -16, 16, 16, -20, -20, 20, 20, -25, -25, 25, 25,  //
                         -11, -23, 11, 23, -14, -28, 14, 28, -18, -35, 18, 35,  //
                     }));
}

TEST(Boxes, AreDecodedAsTorchvisionDoes) {
  const Rows boxes = {{10, 20, 30, 60}, {0, 0, 100, 50}};
  const Rows deltas = {{0.5F, -0.25F, 0, 1}, {0, 0, 10, -1}};
  const auto decoded = [&](BoxWeights weights) {
    return run([&](Builder& net) {
      return decode_boxes(net, rows(net, deltas), rows(net, boxes), weights);
    });
  };
  const auto near = [](float x) { return FloatNear(x, 1e-3F); };
  EXPECT_THAT(decoded({}), ElementsAre(near(20), near(-24.36563F), near(40), near(84.36563F),
                                       near(-3075), near(15.80301F), near(3175), near(34.19699F)));
  EXPECT_THAT(decoded({.center = 10, .size = 5}),
              ElementsAre(near(11), near(14.57195F), near(31), near(63.42805F), near(-319.4528F),
                          near(4.53173F), near(419.4528F), near(45.46827F)));
}

TEST(Boxes, EndAtTheImage) {
  const auto clipped = run([](Builder& net) {
    return clip_boxes(net, rows(net, {{-5, 3, 50, 70}, {61, 33, 90, 34}}), {32, 64});
  });
  EXPECT_THAT(clipped, ElementsAre(0, 3, 50, 32, 61, 32, 64, 32));
}

TEST(Boxes, AreSuppressedWithinTheirGroup) {
  const Rows boxes = {{0, 0, 10, 10}, {0, 0, 10, 9}, {0, 0, 10, 8}, {20, 20, 30, 30}};
  const auto kept = [&](std::vector<std::int64_t> groups, std::int64_t most) {
    return run([&](Builder& net) {
      constexpr float kScores[] = {0.5F, 0.75F, 0.25F, 0.125F};
      return suppress_boxes(net, rows(net, boxes), net.table(kScores, {4}), net.integers(groups),
                            {.groups = 5, .image = {32, 32}, .overlap = 0.5F, .most = most});
    });
  };
  EXPECT_THAT(kept({0, 0, 0, 0}, 10), ElementsAre(1, 3));
  EXPECT_THAT(kept({0, 1, 0, 0}, 10), ElementsAre(1, 0, 3));
  EXPECT_THAT(kept({4, 3, 2, 2}, 10), ElementsAre(1, 0, 2, 3));
  EXPECT_THAT(kept({4, 3, 2, 2}, 2), ElementsAre(1, 0));
}

}  // namespace
}  // namespace strata::zoo
