#!/usr/bin/python3
"""Scripted detectors of Debian's torchvision, against the eager modules under forward hooks: the calls of
modules and their order, the shapes of convolutions' and linear layers' outputs, and their products."""

import argparse
import csv
import pathlib
import sys
import tempfile

import numpy
import torch
import torchvision

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

from program import Judge, Strata  # noqa: E402

DETECTORS = [
    "fasterrcnn_resnet50_fpn",
    "maskrcnn_resnet50_fpn",
    "retinanet_resnet50_fpn",
    "ssd300_vgg16",
]
SIDE = 96  # the shorter side that images are resized to; SSD has its own


ROOT = pathlib.Path(__file__).parent.parent.parent


def make(name):
    torch.manual_seed(0)
    sizes = {} if name.startswith("ssd") else {"min_size": SIDE, "max_size": 2 * SIDE}
    module = getattr(torchvision.models.detection, name)(
        weights=None, weights_backbone=None, **sizes
    )
    return module.eval()


def products(module, result):
    """MACs of a convolution or a linear layer, by arithmetic."""
    if isinstance(module, torch.nn.Linear):
        return result.numel() * module.in_features
    window = module.kernel_size[0] * module.kernel_size[1]
    if isinstance(module, torch.nn.ConvTranspose2d):
        taken = result.numel() // module.out_channels // (module.stride[0] * module.stride[1])
        return taken * module.in_channels * module.out_channels * window
    return result.numel() * module.in_channels // module.groups * window


def watch(module, image):
    """Calls that hooks see in one eager run: (path, call) -> (shape, products), in order; and the shapes that
    interpolating to the nearest pixel gives, in which the feature pyramid differs from the resizing of images."""
    seen, calls, resized = {}, {}, []
    kinds = (torch.nn.Conv2d, torch.nn.ConvTranspose2d, torch.nn.Linear)

    def hook(path):
        def record(own, inputs, result):
            calls[path] = calls.get(path, 0) + 1
            seen[path, calls[path]] = ([list(result.shape)], products(own, result))

        return record

    for path, own in module.named_modules():
        if isinstance(own, kinds):
            own.register_forward_hook(hook(path))
    functional = torch.nn.functional
    whole = functional.interpolate

    def interpolate(*words, **named):
        result = whole(*words, **named)
        if named.get("mode") == "nearest":
            resized.append([list(result.shape)])
        return result

    functional.interpolate = interpolate
    try:
        with torch.no_grad():
            module([image])
    finally:
        functional.interpolate = whole
    return seen, resized


def check_study(strata, judge, folder):
    """All 30 components of the published study (bench/published/study.py) have a row with time and memory."""
    sys.path.insert(0, str(ROOT / "bench" / "published"))
    import study

    file, pixels = folder / "study.pt", folder / "study.npy"
    torch.jit.script(study.split_detector(make("fasterrcnn_resnet50_fpn")).eval()).save(str(file))
    numpy.save(pixels, torch.rand(3, 120, 100, generator=torch.Generator().manual_seed(1)).numpy())
    rows = strata.rows(
        str(file), "--input", f"images={pixels}", "--time", "--memory", "--runs", "4", "--engine", "torch",
        "--report", "tree", "--depth", "5", "--columns", study.COLUMNS)
    by_layer = {row["layer"]: row for row in reversed(rows)}
    with study.PUBLISHED.open() as table:
        published = [row["component"] for row in csv.DictReader(table)]
    judge.equal("components of the study", sorted(study.COMPONENTS), sorted(published))
    known = {layer: by_layer.get(layer, {}) for layer in study.COMPONENTS.values()}
    untimed = [layer for layer, row in known.items() if not row.get("time") or row.get("mem_alloc") is None]
    judge.equal("components of the study without time or memory", untimed, [])
    file.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strata", required=True)
    parser.add_argument("--engines", required=True)
    parser.add_argument("--models", help="not read: the files are made here")
    args = parser.parse_args()
    torch.set_num_threads(1)
    strata = Strata(args.strata, args.engines)
    judge = Judge()
    with tempfile.TemporaryDirectory() as folder:
        check_study(strata, judge, pathlib.Path(folder))
        for name in DETECTORS:
            file = pathlib.Path(folder) / f"{name}.pt"
            torch.jit.script(make(name)).save(str(file))
            image = torch.rand(3, 120, 100, generator=torch.Generator().manual_seed(1))
            pixels = pathlib.Path(folder) / "image.npy"
            numpy.save(pixels, image.numpy())
            document = strata.document(
                "stat", str(file), "--input", f"images={pixels}", "--time", "--memory", "--runs", "4",
                "--engine", "torch", "--columns", "layer,call,type,output,params,macs,time")
            rows = document["tables"]["layers"]["rows"]
            wanted, resized = watch(make(name), image)
            found = {
                (row["layer"], row["call"]): (row["output"], row["macs"])
                for row in rows
                if row["type"] in ("Conv2d", "ConvTranspose2d", "Linear")
            }
            judge.equal(f"{name}, layers in order", list(found), list(wanted))
            for key, (shape, macs) in wanted.items():
                judge.equal(f"{name}, {key}", found.get(key), (shape, macs))
            judge.equal(
                f"{name}, parameters",
                sum(row["params"] for row in rows),
                sum(parameter.numel() for parameter in make(name).parameters()),
            )
            untimed = [row["layer"] for row in rows if row["macs"] and not row["time"]]
            judge.equal(f"{name}, layers with work and no time", untimed, [])
            upsampled = [row for row in rows if "upsample_nearest" in row["layer"]]
            judge.equal(f"{name}, interpolations", [row["output"] for row in upsampled], resized)
            judge.true(f"{name}, interpolations have times", all(row["time"] for row in upsampled))
            if name in ("fasterrcnn_resnet50_fpn", "maskrcnn_resnet50_fpn"):
                last = [row for row in rows if row["layer"] == "roi_heads.postprocess_detections"]
                judge.equal(f"{name}, a method with a row", [row["type"] for row in last], ["method"])
                judge.true(f"{name}, its time", all(row["time"] for row in last))
            if name == "fasterrcnn_resnet50_fpn":
                five = [row["call"] for row in rows if row["layer"] == "rpn.head.cls_logits"]
                judge.equal("calls of the RPN's head", five, [1, 2, 3, 4, 5])
            file.unlink()
    return judge.finish()


if __name__ == "__main__":
    sys.exit(main())
