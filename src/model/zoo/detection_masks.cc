// A mask for every detection: features under its box, four convolutions, and one map of 28×28 for
// each class, of which the detection's own is kept.
#include "zoo/detection.h"

namespace strata::zoo {

namespace {

constexpr RoiPool kMaskPool{"mask_roi_pool", 14};
constexpr std::int64_t kMaskWidth = 256;
constexpr std::int64_t kMaskSide = 2 * kMaskPool.side;

Var mask_logits(Builder& net, Var x, std::int64_t classes) {
  {
    const auto head = net.module("mask_head", "MaskRCNNHeads");
    for (std::int64_t i = 0; i < 4; ++i) {
      const auto block = net.module(i, "Conv2dNormActivation");
      x = net.relu("1", net.conv("0", x, kMaskWidth, {.kernel = 3, .pad = 1}));
    }
  }
  const auto predictor = net.module("mask_predictor", "MaskRCNNPredictor");
  {
    const auto doubling = net.module("conv5_mask", "ConvTranspose2d");
    const Var weight = net.weight("weight", {kMaskWidth, kMaskWidth, 2, 2});
    x = net.op("ConvTranspose", {x, weight, net.weight("bias", {kMaskWidth})},
               {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}});
  }
  return net.conv("mask_fcn_logits", net.relu("relu", x), classes);
}

}  // namespace

void mask_heads(Builder& net, std::span<const Var> features, std::span<Detections> images,
                const RoiOptions& options) {
  std::vector<Var> boxes, labels;
  for (const Detections& image : images) {
    boxes.push_back(image.boxes);
    labels.push_back(image.labels);
  }
  const Var pooled = roi_pool(net, features, boxes, kMaskPool, options.detections);
  const Var all = net.sigmoid(mask_logits(net, pooled, options.classes));
  const Var label = labels.size() == 1 ? labels[0] : net.concat(labels, 0);
  const Var own = net.op("GatherND", {all, net.unsqueeze(label, {1})}, {{"batch_dims", 1}});
  const auto masks = by_image(net, net.unsqueeze(own, {1}), boxes);
  for (std::size_t i = 0; i < images.size(); ++i) images[i].masks = masks[i];
}

// A mask gets a margin of zeros, its box grows by as much, in whole pixels, and every pixel of the
// image looks up its place between the mask's elements: torchvision's resizing of one mask after
// another, for all at once.
Var paste_masks(Builder& net, Var masks, Var boxes, Pair image) {
  constexpr std::int64_t kMargin = 1;
  constexpr auto kGrowth = static_cast<float>(kMaskSide + 2 * kMargin) / kMaskSide;
  const Var wide =
      net.op("Pad", {masks, net.integers({0, 0, kMargin, kMargin, 0, 0, kMargin, kMargin})});
  const auto corners = net.split(boxes, 1, 2);
  const Var half = net.mul(net.sub(corners[1], corners[0]), net.number(0.5F * kGrowth));
  const Var center = net.mul(net.add(corners[1], corners[0]), net.number(0.5F));
  const auto whole = [&](Var x) { return net.cast(net.cast(x, DType::I64), net.dtype()); };
  const Var first = whole(net.sub(center, half));
  const Var last = whole(net.add(center, half));
  const Var sides = net.add(net.sub(last, first), net.number(1));
  const auto starts = net.split(first, 1, 2);
  const auto lengths = net.split(net.op("Max", {sides, net.number(1)}), 1, 2);

  // From -1 at one end of the box to 1 at the other: n×size.
  const auto places = [&](std::size_t axis, std::int64_t size) {
    std::vector<float> middles;
    for (std::int64_t i = 0; i < size; ++i) middles.push_back(static_cast<float>(i) + 0.5F);
    const Var inside = net.sub(net.table(middles, {1, size}), starts[axis]);
    const Var parts = net.div(net.mul(inside, net.number(2)), lengths[axis]);
    return net.sub(parts, net.number(1));
  };
  constexpr float kIsX[] = {1, 0};
  constexpr float kIsY[] = {0, 1};
  const Var across = net.mul(net.unsqueeze(places(0, image.w), {1, 3}), net.table(kIsX, {2}));
  const Var down = net.mul(net.unsqueeze(places(1, image.h), {2, 3}), net.table(kIsY, {2}));
  return net.op("GridSample", {wide, net.add(across, down)},
                {{"align_corners", 0}, {"mode", "bilinear"}, {"padding_mode", "zeros"}});
}

}  // namespace strata::zoo
