// fasterrcnn_payload.csv: the published list of tensors between the parts of Faster R-CNN
// at 1×3×224×224, to the byte.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "published.h"
#include "strata/cost/boundary.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

enum Direction { kIn, kOut };
constexpr int kSum = -1;

// The name that strata uses for a line of the publication.
struct Line {
  const char* published;
  const char* path;
  std::uint32_t call;
  Direction way;
  int index;
};

constexpr Line kLines[] = {
    {"transform_in([input])", "transform", 0, kIn, 0},
    {"transform_out([images])", "transform", 0, kOut, 0},
    {"backbonefpn_body_out([x])[0]", "backbone.body", 0, kOut, 0},
    {"backbonefpn_body_out([x])[1]", "backbone.body", 0, kOut, 1},
    {"backbonefpn_body_out([x])[2]", "backbone.body", 0, kOut, 2},
    {"backbonefpn_body_out([x])[3]", "backbone.body", 0, kOut, 3},
    {"backbonefpn_body_out([x])", "backbone.body", 0, kOut, kSum},
    {"backbonefpn_fpn_inner_3_in", "backbone.fpn.inner_blocks.3", 0, kIn, 0},
    {"backbonefpn_fpn_inner_3_out", "backbone.fpn.inner_blocks.3", 0, kOut, 0},
    {"backbonefpn_fpn_layer_3_in", "backbone.fpn.layer_blocks.3", 0, kIn, 0},
    {"backbonefpn_fpn_layer_3_out", "backbone.fpn.layer_blocks.3", 0, kOut, 0},
    {"backbonefpn_fpn_inner_2_in", "backbone.fpn.inner_blocks.2", 0, kIn, 0},
    {"backbonefpn_fpn_inner_2_out", "backbone.fpn.inner_blocks.2", 0, kOut, 0},
    {"fpn_interpolate2_in", "backbone.fpn.Resize", 0, kIn, 0},
    {"fpn_interpolate2_out", "backbone.fpn.Resize", 0, kOut, 0},
    {"sum2_topdown", "backbone.fpn.Add", 0, kIn, 1},
    {"sum2_lateral", "backbone.fpn.Add", 0, kIn, 0},
    {"backbonefpn_fpn_layer_2_in", "backbone.fpn.layer_blocks.2", 0, kIn, 0},
    {"backbonefpn_fpn_layer_2_out", "backbone.fpn.layer_blocks.2", 0, kOut, 0},
    {"backbonefpn_fpn_inner_1_in", "backbone.fpn.inner_blocks.1", 0, kIn, 0},
    {"backbonefpn_fpn_inner_1_out", "backbone.fpn.inner_blocks.1", 0, kOut, 0},
    {"fpn_interpolate1_in", "backbone.fpn.Resize_1", 0, kIn, 0},
    {"fpn_interpolate1_out", "backbone.fpn.Resize_1", 0, kOut, 0},
    {"sum1_topdown", "backbone.fpn.Add_1", 0, kIn, 1},
    {"sum1_lateral", "backbone.fpn.Add_1", 0, kIn, 0},
    {"backbonefpn_fpn_layer_1_in", "backbone.fpn.layer_blocks.1", 0, kIn, 0},
    {"backbonefpn_fpn_layer_1_out", "backbone.fpn.layer_blocks.1", 0, kOut, 0},
    {"backbonefpn_fpn_inner_0_in", "backbone.fpn.inner_blocks.0", 0, kIn, 0},
    {"backbonefpn_fpn_inner_0_out", "backbone.fpn.inner_blocks.0", 0, kOut, 0},
    {"fpn_interpolate0_in", "backbone.fpn.Resize_2", 0, kIn, 0},
    {"fpn_interpolate0_out", "backbone.fpn.Resize_2", 0, kOut, 0},
    {"sum0_topdown", "backbone.fpn.Add_2", 0, kIn, 1},
    {"sum0_lateral", "backbone.fpn.Add_2", 0, kIn, 0},
    {"backbonefpn_fpn_layer_0_in", "backbone.fpn.layer_blocks.0", 0, kIn, 0},
    {"backbonefpn_fpn_layer_0_out", "backbone.fpn.layer_blocks.0", 0, kOut, 0},
    {"rpn_head_in[0]", "rpn.head", 0, kIn, 0},
    {"rpn_head_in[1]", "rpn.head", 0, kIn, 1},
    {"rpn_head_in[2]", "rpn.head", 0, kIn, 2},
    {"rpn_head_in[3]", "rpn.head", 0, kIn, 3},
    {"rpn_head_in[4]", "rpn.head", 0, kIn, 4},
    {"rpn_head_in", "rpn.head", 0, kIn, kSum},
    {"rpn_head_conv_in(on feature[0])", "rpn.head.conv", 0, kIn, 0},
    {"rpn_head_conv_out(on feature[0])", "rpn.head.conv", 0, kOut, 0},
    {"rpn_head_logits_in(on feature[0])", "rpn.head.cls_logits", 0, kIn, 0},
    {"rpn_head_logits_out(on feature[0])", "rpn.head.cls_logits", 0, kOut, 0},
    {"rpn_head_bbox_in(on feature[0])", "rpn.head.bbox_pred", 0, kIn, 0},
    {"rpn_head_bbox_out(on feature[0])", "rpn.head.bbox_pred", 0, kOut, 0},
    {"rpn_head_conv_in(on feature[1])", "rpn.head.conv", 1, kIn, 0},
    {"rpn_head_conv_out(on feature[1])", "rpn.head.conv", 1, kOut, 0},
    {"rpn_head_logits_in(on feature[1])", "rpn.head.cls_logits", 1, kIn, 0},
    {"rpn_head_logits_out(on feature[1])", "rpn.head.cls_logits", 1, kOut, 0},
    {"rpn_head_bbox_in(on feature[1])", "rpn.head.bbox_pred", 1, kIn, 0},
    {"rpn_head_bbox_out(on feature[1])", "rpn.head.bbox_pred", 1, kOut, 0},
    {"rpn_head_conv_in(on feature[2])", "rpn.head.conv", 2, kIn, 0},
    {"rpn_head_conv_out(on feature[2])", "rpn.head.conv", 2, kOut, 0},
    {"rpn_head_logits_in(on feature[2])", "rpn.head.cls_logits", 2, kIn, 0},
    {"rpn_head_logits_out(on feature[2])", "rpn.head.cls_logits", 2, kOut, 0},
    {"rpn_head_bbox_in(on feature[2])", "rpn.head.bbox_pred", 2, kIn, 0},
    {"rpn_head_bbox_out(on feature[2])", "rpn.head.bbox_pred", 2, kOut, 0},
    {"rpn_head_conv_in(on feature[3])", "rpn.head.conv", 3, kIn, 0},
    {"rpn_head_conv_out(on feature[3])", "rpn.head.conv", 3, kOut, 0},
    {"rpn_head_logits_in(on feature[3])", "rpn.head.cls_logits", 3, kIn, 0},
    {"rpn_head_logits_out(on feature[3])", "rpn.head.cls_logits", 3, kOut, 0},
    {"rpn_head_bbox_in(on feature[3])", "rpn.head.bbox_pred", 3, kIn, 0},
    {"rpn_head_bbox_out(on feature[3])", "rpn.head.bbox_pred", 3, kOut, 0},
    {"rpn_head_conv_in(on feature[4])", "rpn.head.conv", 4, kIn, 0},
    {"rpn_head_conv_out(on feature[4])", "rpn.head.conv", 4, kOut, 0},
    {"rpn_head_logits_in(on feature[4])", "rpn.head.cls_logits", 4, kIn, 0},
    {"rpn_head_logits_out(on feature[4])", "rpn.head.cls_logits", 4, kOut, 0},
    {"rpn_head_bbox_in(on feature[4])", "rpn.head.bbox_pred", 4, kIn, 0},
    {"rpn_head_bbox_out(on feature[4])", "rpn.head.bbox_pred", 4, kOut, 0},
    {"rpn_anchor_out([proposals])[0]", "rpn", 0, kOut, 0},
    {"rpn_anchor_out([proposals])", "rpn", 0, kOut, kSum},
    {"roi_head_box_roi_pool", "roi_heads.box_roi_pool", 0, kOut, 0},
    {"roi_heads_box_head_in", "roi_heads.box_head", 0, kIn, 0},
    {"roi_heads_box_head_out", "roi_heads.box_head", 0, kOut, 0},
    {"roi_heads_box_predictor_cls_scores_in", "roi_heads.box_predictor.cls_score", 0, kIn, 0},
    {"roi_heads_box_predictor_bbox_pred_in", "roi_heads.box_predictor.bbox_pred", 0, kIn, 0},
    {"roi_heads_box_predictor_cls_scores_out", "roi_heads.box_predictor.cls_score", 0, kOut, 0},
    {"roi_heads_box_predictor_bbox_pred_out", "roi_heads.box_predictor.bbox_pred", 0, kOut, 0},
    {"roi_heads_box_head_fc6_in", "roi_heads.box_head.fc6", 0, kIn, 0},
    {"roi_heads_box_head_fc6_out", "roi_heads.box_head.fc6", 0, kOut, 0},
    {"roi_heads_box_head_fc7_in", "roi_heads.box_head.fc7", 0, kIn, 0},
    {"roi_heads_box_head_fc7_out", "roi_heads.box_head.fc7", 0, kOut, 0},
};

// Sizes that depend on the data are those for the most proposals, 1000, as in the publication.
struct Payload {
  std::string shape;  // 1x3x224x224
  std::int64_t bytes;
};

Payload payload_of(const TypeInfo& type) {
  Payload payload;
  for (const Expr& size : type.dims) {
    if (!payload.shape.empty()) payload.shape += "x";
    payload.shape += std::to_string(upper_bound(size).value_or(-1));
  }
  payload.bytes = upper_bound(tensor_bytes(type)).value_or(-1);
  return payload;
}

class FasterRcnn : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto network = zoo::build("fasterrcnn_resnet50_fpn");
    ASSERT_TRUE(network) << network.error().message;
    const Costs costs = count(network->model);
    const Layers layers = find_layers(network->model, costs);
    const Boundaries found = find_boundaries(network->model, costs, layers);
    for (const Boundary& boundary : found.list) {
      const Scope& scope = network->model.scopes[boundary.scope];
      const std::string path = boundary.is_operation
                                   ? layer_path(network->model, costs, layers.list[boundary.layer])
                                   : std::string(scope.path);
      for (const BoundaryTensor& tensor : found.inputs_of(boundary))
        tensors_[{path, scope.call, kIn}].push_back(payload_of(tensor.get().type));
      for (const BoundaryTensor& tensor : found.outputs_of(boundary))
        tensors_[{path, scope.call, kOut}].push_back(payload_of(tensor.get().type));
    }
  }
  static void TearDownTestSuite() { tensors_.clear(); }

  static std::vector<Payload> at(const std::string& path, std::uint32_t call, Direction way) {
    const auto found = tensors_.find({path, call, way});
    EXPECT_NE(found, tensors_.end()) << path << " " << call;
    return found == tensors_.end() ? std::vector<Payload>() : found->second;
  }
  static std::int64_t sum(const std::vector<Payload>& tensors) {
    std::int64_t total = 0;
    for (const Payload& tensor : tensors) total += tensor.bytes;
    return total;
  }
  // Shape and bytes, as the CSV has them.
  static Row cells_of(const std::vector<Payload>& tensors, int index) {
    if (index == kSum) return {"total", std::to_string(sum(tensors))};
    const auto i = static_cast<std::size_t>(index);
    if (i >= tensors.size()) return {"none", ""};
    return {tensors[i].shape, std::to_string(tensors[i].bytes)};
  }

 private:
  using Key = std::tuple<std::string, std::uint32_t, Direction>;
  static inline std::map<Key, std::vector<Payload>> tensors_;
};

TEST_F(FasterRcnn, EveryPublishedTensor) {
  std::map<std::string, Row> ours;
  for (const Line& line : kLines)
    ours[line.published] = cells_of(at(line.path, line.call, line.way), line.index);

  // The publication lists what the pyramid reads under the name of what it returns: the four
  // tensors of the body, and, as the fifth, for the extra pooling level (every second row and
  // column), one made from the body's last tensor, with 2048 channels instead of the pyramid's 256.
  std::vector<Payload> mistaken = at("backbone.body", 0, kOut);
  const std::vector<Payload> pooled = at("backbone.fpn.extra_blocks", 0, kOut);
  ASSERT_EQ(pooled.size(), 1u);
  ASSERT_EQ(pooled[0].shape, "1x256x13x13");
  mistaken.push_back({"1x2048x13x13", pooled[0].bytes / 256 * 2048});
  for (int i = 0; i < 5; ++i)
    ours["backbone_fpn_out([features])[" + std::to_string(i) + "]"] = cells_of(mistaken, i);
  ours["backbone_fpn_out([features])"] = cells_of(mistaken, kSum);

  const std::vector<Row> published = without_header("fasterrcnn_payload.csv");
  EXPECT_EQ(published.size(), 90u);
  EXPECT_EQ(ours.size(), published.size());
  for (const Row& row : published) {
    ASSERT_EQ(row.size(), 3u);
    EXPECT_EQ(ours[row[0]], (Row{row[1], row[2]})) << row[0];
  }
}

// The pyramid's outputs equal those that the publication lists at the entry of
// the proposal network's head.
TEST_F(FasterRcnn, PyramidReturnsWhatTheHeadReads) {
  const std::vector<Payload> returned = at("backbone.fpn", 0, kOut);
  ASSERT_EQ(returned.size(), 5u);
  std::map<std::string, std::int64_t> by_shape;
  for (const Payload& tensor : returned) by_shape[tensor.shape] = tensor.bytes;
  EXPECT_EQ(sum(returned), 54573056);
  std::size_t compared = 0;
  for (const Row& row : without_header("fasterrcnn_payload.csv"))
    if (row[0].starts_with("rpn_head_in[")) {
      EXPECT_EQ(std::to_string(by_shape[row[1]]), row[2]) << row[1];
      ++compared;
    }
  EXPECT_EQ(compared, 5u);
}

}  // namespace
}  // namespace strata
