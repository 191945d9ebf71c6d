// Faster R-CNN: regions are proposed first, then classified.
#include "zoo/detection.h"

namespace strata::zoo {

void fasterrcnn(Builder& net, const Arguments& arguments) {
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
                 .least_score = static_cast<float>(arguments.real("score"))});
  output_detections(net, found, sizes);
}

}  // namespace strata::zoo
