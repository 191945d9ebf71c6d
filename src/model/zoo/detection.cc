// The detectors, and the parameters they can be built with.
#include "zoo/detection.h"

namespace strata::zoo {

namespace {

// The findings in each image are sorted out on their own, in nodes of their own: an open number of
// images cannot be built.
constexpr Parameter kImages{"batch", ParameterKind::Whole, "1", "images at once", 1, 256};
constexpr Parameter kHeight{
    "height", ParameterKind::Whole, "0", "height of the image; 0: resolution", 0, 65536};
constexpr Parameter kWidth{
    "width", ParameterKind::Whole, "0", "width of the image; 0: resolution", 0, 65536};
constexpr Parameter kLabels{
    "classes", ParameterKind::Whole, "91", "labels, the background among them", 2, 65536};
constexpr Parameter kMinSize{
    "min_size", ParameterKind::Whole, "800", "what the shorter side is resized to", 32, 8192};
constexpr Parameter kMaxSize{
    "max_size", ParameterKind::Whole, "1333", "what the longer side is at most", 32, 8192};
constexpr Parameter kCandidates{
    "candidates", ParameterKind::Whole, "1000", "best anchors of a level", 1, 100000};
constexpr Parameter kScore{"score", ParameterKind::Real, "0.05", "what a score must pass", 0, 1};

constexpr Parameter kFasterRcnn[] = {
    kImages,
    kResolution,
    kHeight,
    kWidth,
    kLabels,
    kMinSize,
    kMaxSize,
    kCandidates,
    {"proposals", ParameterKind::Whole, "1000", "regions that are looked at, at most", 1, 100000},
    {"detections", ParameterKind::Whole, "100", "boxes that come out, at most", 1, 100000},
    kScore};
constexpr Parameter kRetinaNet[] = {
    kImages,
    kResolution,
    kHeight,
    kWidth,
    kLabels,
    kMinSize,
    kMaxSize,
    kCandidates,
    {"detections", ParameterKind::Whole, "300", "boxes that come out, at most", 1, 100000},
    kScore};

constexpr Entry kDetectionNetworks[] = {
    {"fasterrcnn_resnet50_fpn", "detector of two stages, 2015; the image is resized to 800",
     "FasterRCNN", kFasterRcnn, fasterrcnn},
    {"maskrcnn_resnet50_fpn", "fasterrcnn_resnet50_fpn with masks, 2017", "MaskRCNN", kFasterRcnn,
     maskrcnn},
    {"retinanet_resnet50_fpn", "detector of one stage, 2017; the image is resized to 800",
     "RetinaNet", kRetinaNet, retinanet},
};

}  // namespace

std::span<const Entry> detection_networks() { return kDetectionNetworks; }

}  // namespace strata::zoo
