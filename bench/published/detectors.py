"""Makes the detectors of the published benchmark with Debian's torch 1.13 and torchvision 0.14: RetinaNet,
Faster R-CNN, Mask R-CNN (on FPN and on C4) and Cascade R-CNN with random weights, each traced and as ONNX, and those of
torchvision scripted, too.

    detectors.py --out FOLDER [--only NAME]

What is there already is not made again.
"""

import argparse
import copy
import json
import pathlib
import warnings

import numpy
import torch
import torchvision

import two_stage
from kept import Kept, chosen

HEIGHT, WIDTH = 256, 384
BATCHES = (1, 2)
OWN = {"maskrcnn_resnet50_c4": two_stage.mask_rcnn_c4, "cascadercnn_resnet50_fpn": two_stage.cascade_rcnn}
NAMES = ["retinanet_resnet50_fpn", "fasterrcnn_resnet50_fpn", "maskrcnn_resnet50_fpn", *OWN]
# torchvision 0.14 writes RoiAlign without its mode, and from opset 16 on the usual one is another.
OPSET = 13


class Flat(torch.nn.Module):
    """A batch of images as one tensor, and the detections as a tuple: what can be traced.

    Without `last`, boxes stay those of the resized image, and masks those of the boxes, as the network gives them.
    """

    def __init__(self, detector, last=True):
        super().__init__()
        self.detector = detector
        if not last:
            self.detector = copy.copy(detector)
            self.detector._modules = {**detector._modules, "transform": copy.copy(detector.transform)}
            self.detector.transform.postprocess = lambda found, shapes, sizes: found

    def forward(self, images):
        values = []
        for found in self.detector(list(images.unbind(0))):
            values += list(found.values())
        return tuple(values)


def scale(detector, layers, images):
    """Scales the weights of each layer so that its outputs have the deviation beside it, one layer after
    the other: with the small numbers that training starts from, thousands of boxes are as good as equal,
    and rounding chooses among them."""
    for layer, deviation in layers:
        seen = []
        hook = layer.register_forward_hook(lambda own, inputs, result: seen.append(result.flatten()))
        with torch.no_grad():
            detector(images)
            hook.remove()
            own = torch.cat(seen)
            layer.weight.mul_(deviation / float(own.std()))


def heads(detector):
    """The last layers, in the order in which they run, with deviations as of a trained detector."""
    if hasattr(detector.roi_heads if hasattr(detector, "roi_heads") else None, "stages"):
        return [(detector.rpn.head.cls_logits, 1.0), (detector.rpn.head.bbox_pred, 0.2),
                *((layer, deviation) for stage in detector.roi_heads.stages
                  for layer, deviation in ((stage.cls_score, 2.0), (stage.bbox_pred, 1.0)))]  # fmt: skip
    if hasattr(detector, "head"):
        return [(detector.head.classification_head.cls_logits, 1.0),
                (detector.head.regression_head.bbox_reg, 0.2)]
    return [(detector.rpn.head.cls_logits, 1.0), (detector.rpn.head.bbox_pred, 0.2),
            (detector.roi_heads.box_predictor.cls_score, 2.0),
            (detector.roi_heads.box_predictor.bbox_pred, 1.0)]


def make(name):
    torch.manual_seed(0)
    sizes = {"min_size": HEIGHT, "max_size": WIDTH}
    if name in OWN:
        detector = OWN[name](**sizes).eval()
    else:
        detector = getattr(torchvision.models.detection, name)(weights=None, weights_backbone=None, **sizes).eval()
    # Statistics of random images, as a trained network has those of its own: with none, the signal grows
    # or fades from layer to layer.
    norms = [own for own in detector.modules() if isinstance(own, torch.nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None
        norm.train()
    with torch.no_grad():
        detector.backbone(torch.randn(4, 3, HEIGHT, WIDTH))
    detector.eval()
    scale(detector, heads(detector), list(torch.rand(1, 3, HEIGHT, WIDTH)))
    return detector


def export_raw(detector, images, folder):
    """The detector without what follows the network."""
    raw = Flat(detector, last=False).eval()
    with torch.no_grad():
        if folder.is_new("raw.traced.pt"):
            torch.jit.trace(raw, images, check_trace=False).save(str(folder / "raw.traced.pt"))
        if folder.is_new("raw.onnx"):
            outputs = [f"0.{key}" for key in detector(list(images))[0]]
            torch.onnx.export(raw, (images,), str(folder / "raw.onnx"), opset_version=OPSET, input_names=["images"],
                              output_names=outputs)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    names, out = chosen(parser, NAMES)
    warnings.filterwarnings("ignore")
    for name in names:
        folder = Kept(pathlib.Path(out), name)
        detector = make(name)
        if name not in OWN and folder.is_new(f"{name}.scripted.pt"):
            torch.jit.script(detector).save(str(folder / f"{name}.scripted.pt"))
        for batch in BATCHES[:1] if name in OWN else BATCHES:
            images = torch.rand(batch, 3, HEIGHT, WIDTH, generator=torch.Generator().manual_seed(1))
            if folder.is_new(f"b{batch}.images.npy"):
                numpy.save(folder / f"b{batch}.images.npy", images.numpy())
            with torch.no_grad():
                # A traced file has the number of images fixed.
                traced = f"{name}.traced.pt" if batch == 1 else f"b{batch}.traced.pt"
                if folder.is_new(traced):
                    torch.jit.trace(Flat(detector).eval(), images, check_trace=False).save(
                        str(folder / traced))
                if folder.is_new(f"b{batch}.onnx"):
                    found = detector(list(images))
                    outputs = [f"{i}.{key}" for i, one in enumerate(found) for key in one]
                    torch.onnx.export(Flat(detector).eval(), (images,), str(folder / f"b{batch}.onnx"),
                                      opset_version=OPSET, input_names=["images"], output_names=outputs)
        if name == "maskrcnn_resnet50_fpn":
            images = torch.rand(1, 3, HEIGHT, WIDTH, generator=torch.Generator().manual_seed(1))
            export_raw(detector, images, folder)
        why = "the published table has it traced, and its definition here is not written for the compiler of TorchScript"
        (folder / "notes.json").write_text(json.dumps({"scripted": why if name in OWN else ""}))


if __name__ == "__main__":
    main()
