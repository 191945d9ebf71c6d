#!/usr/bin/python3
"""The published study of Faster R-CNN, redone: profiles torchvision's detector, scripted by Debian's torch 1.13, and
writes docs/faster-rcnn-study.md.

    study.py --strata build/published/program/strata --out build/published

The study runs one image of 224×224, which the detector resizes to 800×800, and lists time and memory of its
components. Weights are random, and so are the boxes; the sizes of all tensors up to the region proposals, and the
number of proposals, are those of the study.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import warnings

from page import seconds_text

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
PUBLISHED = ROOT / "tests" / "golden" / "fasterrcnn_time_memory.csv"
SIDE, RESIZED = 224, 800
# The study's names of components, and ours.
COMPONENTS = {
    "get_original_images_sizes": "get_original_image_sizes",
    "transform": "transform",
    "backbonefpn_body": "backbone.body",
    "backbonefpn_fpn": "backbone.fpn",
    **{f"backbonefpn_fpn_{own}_{i}": f"backbone.fpn.{own}_blocks.{i}"
       for i in (3, 2, 1, 0) for own in ("inner", "layer")},
    **{f"backbonefpn_fpn_interpolate{2 - i}": f"backbone.fpn.upsample_nearest2d{f'_{i}' if i else ''}" for i in range(3)},
    "backbonefpn_fpn_extra": "backbone.fpn.extra_blocks",
    "rpn_head_on_5_features": "rpn.head",
    "rpn_head_details_conv_per_feature": "rpn.head.conv",
    "rpn_head_details_logits_per_feature": "rpn.head.cls_logits",
    "rpn_head_details_regression_per_feature": "rpn.head.bbox_pred",
    "rpn_anchor_generator": "rpn.anchor_generator",
    "roi_heads": "roi_heads",
    "roi_heads_box_roi_pool": "roi_heads.box_roi_pool",
    "roi_heads_box_head": "roi_heads.box_head",
    "roi_heads_box_head_fc6": "roi_heads.box_head.fc6",
    "roi_heads_box_head_fc7": "roi_heads.box_head.fc7",
    "roi_heads_postprocess_detections": "roi_heads.postprocess_detections",
    "roi_heads_box_predictor": "roi_heads.box_predictor",
    "roi_heads_box_predictor_cls_score(linear)": "roi_heads.box_predictor.cls_score",
    "roi_heads_box_predictor_bbox_pred(linear)": "roi_heads.box_predictor.bbox_pred",
}
COLUMNS = "layer,type,call,calls,output,macs,flops,time,mem_alloc,mem_scratch,mem_held,mem_peak,write"

START = """# The study of Faster R-CNN, redone

This page is written by `make published`; do not edit it.

A published study times the components of torchvision's Faster R-CNN (ResNet-50, FPN) and lists the memory that each
takes, on a processor and on a GPU. Its figures are in `tests/golden/fasterrcnn_time_memory.csv`, and
[`strata lint`](lint.md) says which of them cannot be true: GPU times were taken without waiting for the GPU, and memory
was added up over nested events. This is the same table on a processor, from the scripted detector as TorchScript runs it:

    strata stat fasterrcnn.pt --input images=images.npy --time --memory --report tree

- One image of 224×224, resized to 800×800 by the detector; random weights. Times of rows are medians of recorded runs
  without the cost of recording; a module's time includes those of its modules, once.
- *Taken* is what the module and its modules took from libtorch's allocator, *scratch* what they gave back before
  the module ended, and *peak* the most that was held at once while it ran, with all that was held before.
- The study's machine was another one, so that times are to be compared as shares: on a processor they agree. Its
  memory does not: `× output` is the study's memory of a convolution over the bytes of its output. A convolution takes its
  output and, for some algorithms, a copy of its input; the study's is five times the output, because each of five nested
  events of the profiler has it.
"""


def split_detector(detector):
    """The detector in the study's parts: torchvision collects the sizes of the images in a loop of its own forward(), the
    study in a function. What has a method of its own has a row."""
    from typing import List, Tuple

    import torch

    class FasterRCNN(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.transform, self.backbone = detector.transform, detector.backbone
            self.rpn, self.roi_heads = detector.rpn, detector.roi_heads

        def get_original_image_sizes(self, images: List[torch.Tensor]) -> List[Tuple[int, int]]:
            sizes: List[Tuple[int, int]] = []
            for image in images:
                sizes.append((image.shape[-2], image.shape[-1]))
            return sizes

        def forward(self, images: List[torch.Tensor]):
            sizes = self.get_original_image_sizes(images)
            batch, _ = self.transform(images, None)
            features = self.backbone(batch.tensors)
            proposals, _ = self.rpn(batch, features, None)
            found, _ = self.roi_heads(features, proposals, batch.image_sizes, None)
            return self.transform.postprocess(found, batch.image_sizes, sizes)

    return FasterRCNN()


def make(folder):
    """The scripted detector and its image, if they are not there."""
    model, image = folder / "fasterrcnn.pt", folder / "images.npy"
    if model.exists() and image.exists():
        return model, image
    import numpy
    import torch
    import torchvision

    warnings.filterwarnings("ignore")
    torch.manual_seed(0)
    folder.mkdir(parents=True, exist_ok=True)
    detector = torchvision.models.detection.fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None)
    torch.jit.script(split_detector(detector).eval()).save(str(model))
    numpy.save(image, torch.rand(1, 3, SIDE, SIDE).numpy())
    return model, image


def profile(strata, engines, model, image, report, output, seconds):
    words = [strata, "stat", model, "--input", f"images={image}", "--time", "--memory", "--report", report,
             "--columns", COLUMNS, "--max-time", f"{seconds}s", "-o", output]
    if report == "tree":
        words += ["--depth", "5"]
    subprocess.run(list(map(str, words)), check=True, env={**os.environ, "STRATA_ENGINE_PATH": str(engines)})
    return json.loads(output.read_text())


def megabytes(count):
    return "–" if count is None else f"{count / 1e6:.2f} MB"


def component_rows(document, published):
    rows = document["tables"]["layers"]["rows"]
    whole = document["facts"]["timing"]["median_s"]
    by_layer = {}
    for row in rows:
        by_layer.setdefault(row["layer"], row)
    theirs = sum(float(published[name]["cpu_seconds"]) for name in
                 ("transform", "backbonefpn_body", "backbonefpn_fpn", "rpn_head_on_5_features", "rpn_anchor_generator",
                  "roi_heads"))
    for name, layer in COMPONENTS.items():
        row, own = by_layer[layer], published[name]
        seconds, megabytes_taken = float(own["cpu_seconds"]), float(own["cpu_mb"])
        if "per_feature" in name:  # an average, of which the study does not say over what
            said = [f"{seconds_text(seconds)} a feature", f"{megabytes_taken:.2f} MB a feature"]
        else:
            said = [f"{seconds_text(seconds)}, {100 * seconds / theirs:.1f} %", f"{megabytes_taken:.2f} MB"]
        # The profiler prints KiB below 1 MiB, which the study divides by 1,000.
        unit = 1024 * 1000 if row["write"] < 1 << 20 else 1 << 20
        if row["type"] == "Conv2dNormActivation":
            said[1] += f", {megabytes_taken * unit / row['write']:.1f}× output"
        yield [f"`{layer}`", row["type"], str(row["calls"]), f"{(row['macs'] or 0) / 1e9:.2f}",
               seconds_text(row["time"]), f"{100 * row['time'] / whole:.1f} %",
               said[0], megabytes(row["mem_alloc"]), megabytes(row["mem_scratch"]), megabytes(row["mem_peak"]), said[1]]


def head_rows(document):
    """The five calls of the RPN's head, one for each size of features."""
    for row in document["tables"]["layers"]["rows"]:
        if row["layer"].startswith("rpn.head.conv") and row["type"] == "Conv2d":
            shape = "×".join(map(str, row["output"][0])) if row["output"] else ""
            yield [str(row["call"]), shape, f"{row['macs'] / 1e9:.2f}", seconds_text(row["time"]),
                   f"{row['flops'] / row['time'] / 1e9:.0f}", megabytes(row["mem_alloc"])]


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "|".join("---" if i < 2 else "---:" for i in range(len(heads))) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def timing_text(document):
    timing, machine = document["facts"]["timing"], document["machine"]
    low_high = timing["median_interval_s"]
    sure = (f"95 %: {seconds_text(low_high[0])} to {seconds_text(low_high[1])}" if low_high
            else f"no interval: {timing['withheld']}")
    return (f"One inference takes **{seconds_text(timing['median_s'])}** ({sure}; median of {timing['runs']} runs, sessions: "
            f"{timing['sessions']}), on {timing['engine']}, {timing['threads']} thread, {machine['cpu']}.\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--strata", type=pathlib.Path, required=True)
    parser.add_argument("--engines", type=pathlib.Path, help="with Debian's torch 1.13; beside the program")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs" / "faster-rcnn-study.md")
    args = parser.parse_args()
    folder = args.out.resolve() / "study"
    strata = args.strata.resolve()
    engines = args.engines or sorted(strata.parent.glob("engines-torch*"))[0]
    model, image = make(folder)
    tree = profile(strata, engines, model, image, "tree", folder / "tree.json", args.seconds)
    calls = profile(strata, engines, model, image, "calls", folder / "calls.json", args.seconds)
    with PUBLISHED.open() as file:
        published = {row["component"]: row for row in csv.DictReader(file)}
    args.page.write_text("".join([
        START, "\n## Components\n\n", timing_text(tree), "\n",
        table(["Component", "Class", "Calls", "GMACs", "Time", "Share", "The study", "Taken", "Scratch", "Peak",
               "The study"], component_rows(tree, published)),
        "\n## The five calls of the RPN's convolution\n\n"
        "The study has their average. Each is a row of its own in `--report calls`:\n\n",
        table(["Call", "Output", "GMACs", "Time", "GFLOP/s", "Taken"], head_rows(calls))]))


if __name__ == "__main__":
    main()
