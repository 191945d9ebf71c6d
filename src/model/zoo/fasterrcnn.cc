// Faster R-CNN: regions are proposed first, then classified. Mask R-CNN also draws what it finds.
#include "zoo/detection.h"

namespace strata::zoo {

namespace {

void rcnn(Builder& net, const Arguments& arguments, bool masks) {
  const ImageSizes sizes = image_sizes(net, arguments);
  Var x = net.input("input", {arguments.whole("batch"), 3, sizes.given.h, sizes.given.w});
  x = transform(net, x, sizes);
  const auto features = backbone_with_fpn(net, x, TopLevels::Pool);
  const std::int64_t most = arguments.whole("proposals");
  const std::vector<Var> proposals = region_proposals(
      net, features, sizes, {.candidates = arguments.whole("candidates"), .proposals = most});
  const std::vector<Detections> found =
      roi_heads(net, features, proposals, sizes,
                {.proposals = most,
                 .classes = arguments.whole("classes"),
                 .detections = arguments.whole("detections"),
                 .least_score = static_cast<float>(arguments.real("score")),
                 .masks = masks});
  output_detections(net, found, sizes);
}

}  // namespace

void fasterrcnn(Builder& net, const Arguments& arguments) { rcnn(net, arguments, false); }
void maskrcnn(Builder& net, const Arguments& arguments) { rcnn(net, arguments, true); }

}  // namespace strata::zoo
