"""Mask R-CNN on C4 and Cascade R-CNN on FPN, both with ResNet-50, which torchvision does not have: built from torchvision's
parts, for 80 classes, as Detectron2 and MMDetection publish them."""

import torch
from torch import nn
from torchvision.models import resnet50
from torchvision.models.detection import FasterRCNN, MaskRCNN
from torchvision.models.detection._utils import BoxCoder
from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
from torchvision.models.detection.faster_rcnn import TwoMLPHead
from torchvision.models.detection.rpn import AnchorGenerator
from torchvision.ops import MultiScaleRoIAlign, clip_boxes_to_image

CLASSES = 81  # with the background


class Conv5(nn.Module):
    """The last stage of a ResNet on each box; boxes and masks share it."""

    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def forward(self, x):
        return self.layers(x)


class Pooled(nn.Module):
    """The mean over the features of a box."""

    def __init__(self, head):
        super().__init__()
        self.head = head

    def forward(self, x):
        return self.head(x).mean([2, 3])


def mask_rcnn_c4(**how):
    """Boxes and masks from 14x14 features of one size, with the ResNet's last stage as their head."""
    network = resnet50(weights=None)
    backbone = nn.Sequential(network.conv1, network.bn1, network.relu, network.maxpool,
                             network.layer1, network.layer2, network.layer3)  # fmt: skip
    backbone.out_channels = 1024
    conv5 = Conv5(network.layer4)
    predictor = nn.Sequential(nn.ConvTranspose2d(2048, 256, 2, 2), nn.ReLU(inplace=True), nn.Conv2d(256, CLASSES - 1, 1))

    class Masks(nn.Module):
        """A mask for each class but the background, which has an empty one."""

        def __init__(self):
            super().__init__()
            self.layers = predictor

        def forward(self, x):
            masks = self.layers(x)
            return torch.cat([torch.zeros_like(masks[:, :1]), masks], 1)

    class Boxes(nn.Module):
        def __init__(self):
            super().__init__()
            self.cls_score, self.bbox_pred = nn.Linear(2048, CLASSES), nn.Linear(2048, 4 * CLASSES)

        def forward(self, x):
            return self.cls_score(x), self.bbox_pred(x)

    return MaskRCNN(
        backbone, rpn_anchor_generator=AnchorGenerator(((32, 64, 128, 256, 512),), ((0.5, 1.0, 2.0),)),
        box_roi_pool=MultiScaleRoIAlign(["0"], 14, 0), box_head=Pooled(conv5), box_predictor=Boxes(),
        mask_roi_pool=MultiScaleRoIAlign(["0"], 14, 0), mask_head=conv5, mask_predictor=Masks(), **how)  # fmt: skip


class Stage(nn.Module):
    """One of the cascade's box heads. Its corrections are the same for all classes."""

    def __init__(self, weights):
        super().__init__()
        self.box_head = TwoMLPHead(256 * 7 * 7, 1024)
        self.cls_score, self.bbox_pred = nn.Linear(1024, CLASSES), nn.Linear(1024, 4)
        self.coder = BoxCoder(weights)

    def forward(self, x):
        x = self.box_head(x)
        return self.cls_score(x), self.bbox_pred(x)


class CascadeHeads(nn.Module):
    """Each stage looks at the boxes that the one before has corrected; the scores of all three are averaged."""

    def __init__(self, usual):
        super().__init__()
        self.box_roi_pool = usual.box_roi_pool
        self.stages = nn.ModuleList(Stage(weights) for weights in
                                    ((10.0, 10.0, 5.0, 5.0), (20.0, 20.0, 10.0, 10.0), (30.0, 30.0, 15.0, 15.0)))  # fmt: skip
        self._usual = [usual]  # for its choice among the boxes; its weights are not ours

    def forward(self, features, proposals, image_shapes, targets=None):
        boxes, scores = proposals, []
        for stage in self.stages:
            logits, corrections = stage(self.box_roi_pool(features, boxes, image_shapes))
            scores.append(logits.softmax(-1))
            counts = [each.shape[0] for each in boxes]
            moved = stage.coder.decode(corrections, boxes)[:, 0].split(counts)
            boxes = [clip_boxes_to_image(each, shape) for each, shape in zip(moved, image_shapes)]
        mean = torch.stack(scores).mean(0)
        # Logarithms become the same scores again, and no correction leaves the boxes where they are.
        nothing = torch.zeros(mean.shape[0], 4 * CLASSES)
        found = self._usual[0].postprocess_detections(mean.log(), nothing, boxes, image_shapes)
        return [{"boxes": each, "labels": labels, "scores": scores} for each, scores, labels in zip(*found)], {}


def cascade_rcnn(**how):
    """Three box heads, one after the other."""
    backbone = resnet_fpn_backbone("resnet50", None, norm_layer=nn.BatchNorm2d, trainable_layers=5)
    detector = FasterRCNN(backbone, CLASSES, **how)
    detector.roi_heads = CascadeHeads(detector.roi_heads)
    return detector
