// The region proposal network: which anchors may contain an object of any class.
#include <algorithm>

#include "zoo/detection.h"

namespace strata::zoo {

namespace {

constexpr std::int64_t kSizes[] = {32, 64, 128, 256, 512};  // one per level
constexpr float kOverlap = 0.7F;
constexpr float kLeastSide = 1e-3F;

struct HeadOutput {
  Var logits, deltas;
};

// One head for all levels: it is called for each, with the same weights.
std::vector<HeadOutput> head(Builder& net, std::span<const Var> features) {
  const auto module = net.module("head", "RPNHead");
  std::vector<HeadOutput> outputs;
  for (Var x : features) {
    const std::int64_t width = net.channels(x);
    {
      const auto conv = net.module("conv", "Sequential");
      const auto block = net.module(0, "Conv2dNormActivation");
      x = net.relu("1", net.conv("0", x, width, {.kernel = 3, .pad = 1}));
    }
    const Var logits = net.conv("cls_logits", x, kAspectRatios);
    outputs.push_back({logits, net.conv("bbox_pred", x, 4 * kAspectRatios)});
  }
  return outputs;
}

// The best anchors of every level: their logits, indices among all anchors, and levels.
struct Candidates {
  Var logits, anchors, levels;
  std::int64_t count = 0;
};

Candidates best(Builder& net, std::span<const HeadOutput> outputs, std::int64_t image,
                std::int64_t most) {
  Candidates all;
  std::vector<Var> logits, anchors;
  std::vector<std::int64_t> levels;
  std::int64_t before = 0;
  for (std::size_t level = 0; level < outputs.size(); ++level) {
    const std::int64_t rows = net.number(outputs[level].logits, 1);
    const std::int64_t count = std::min(most, rows);
    Var flat = outputs[level].logits;
    if (net.number(flat, 0) > 1) flat = of_image(net, flat, image);
    flat = net.reshape(flat, {rows});
    const auto top = net.ops("TopK", {flat, net.integers({count})}, 2, {{"axis", 0}});
    logits.push_back(top[0]);
    anchors.push_back(before == 0 ? top[1] : net.add(top[1], net.integer(before)));
    levels.insert(levels.end(), static_cast<std::size_t>(count), static_cast<std::int64_t>(level));
    before += rows;
    all.count += count;
  }
  all.logits = net.concat(logits, 0);
  all.anchors = net.concat(anchors, 0);
  all.levels = net.integers(levels);
  return all;
}

}  // namespace

std::vector<Var> region_proposals(Builder& net, std::span<const Var> features,
                                  const ImageSizes& sizes, const ProposalOptions& options) {
  const auto rpn = net.module("rpn", "RegionProposalNetwork");
  auto outputs = head(net, features);
  std::vector<AnchorSizes> anchor_sizes;
  for (const std::int64_t& size : kSizes) anchor_sizes.emplace_back(&size, 1);
  const Var anchors = anchor_boxes(net, features, anchor_sizes, sizes.padded);

  std::vector<Var> deltas;
  for (HeadOutput& level : outputs) {
    level.logits = by_anchor(net, level.logits, 1);
    deltas.push_back(by_anchor(net, level.deltas, 4));
  }
  const Var moves = net.concat(deltas, 1);
  std::vector<Var> proposals;
  for (std::int64_t image = 0; image < net.number(moves, 0); ++image) {
    Var boxes = decode_boxes(net, of_image(net, moves, image), anchors);
    const Candidates candidates = best(net, outputs, image, options.candidates);
    boxes = clip_boxes(net, net.gather(boxes, candidates.anchors, 0), sizes.resized);
    const Var large = rows_where(net, is_box_of(net, boxes, kLeastSide), candidates.count);
    boxes = net.gather(boxes, large, 0);
    const Var scores = net.sigmoid(net.gather(candidates.logits, large, 0));
    const Var kept = suppress_boxes(net, boxes, scores, net.gather(candidates.levels, large, 0),
                                    {.groups = static_cast<std::int64_t>(features.size()),
                                     .image = sizes.resized,
                                     .overlap = kOverlap,
                                     .most = options.proposals});
    proposals.push_back(net.gather(boxes, kept, 0));
  }
  return proposals;
}

}  // namespace strata::zoo
