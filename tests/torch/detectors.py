#!/usr/bin/python3
"""Scripted detectors of Debian's torchvision, against the eager modules under forward hooks: the calls of
modules and their order, the shapes of convolutions' and linear layers' outputs, and their products."""

import argparse
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


def make(name):
    torch.manual_seed(0)
    sizes = {} if name.startswith("ssd") else {"min_size": SIDE, "max_size": 2 * SIDE}
    module = getattr(torchvision.models.detection, name)(
        weights=None, weights_backbone=None, **sizes
    )
    return module.eval()


def products(module, result):
    """Of a convolution or a linear layer, by arithmetic."""
    if isinstance(module, torch.nn.Linear):
        return result.numel() * module.in_features
    window = module.kernel_size[0] * module.kernel_size[1]
    if isinstance(module, torch.nn.ConvTranspose2d):
        taken = result.numel() // module.out_channels // (module.stride[0] * module.stride[1])
        return taken * module.in_channels * module.out_channels * window
    return result.numel() * module.in_channels // module.groups * window


def watch(module, image):
    """What hooks see in one eager run: (path, call) -> (shape, products), in order."""
    seen, calls = {}, {}
    kinds = (torch.nn.Conv2d, torch.nn.ConvTranspose2d, torch.nn.Linear)

    def hook(path):
        def record(own, inputs, result):
            calls[path] = calls.get(path, 0) + 1
            seen[path, calls[path]] = ([list(result.shape)], products(own, result))

        return record

    for path, own in module.named_modules():
        if isinstance(own, kinds):
            own.register_forward_hook(hook(path))
    with torch.no_grad():
        module([image])
    return seen


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
            wanted = watch(make(name), image)
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
            if name == "fasterrcnn_resnet50_fpn":
                five = [row["call"] for row in rows if row["layer"] == "rpn.head.cls_logits"]
                judge.equal("calls of the RPN's head", five, [1, 2, 3, 4, 5])
            file.unlink()
    return judge.finish()


if __name__ == "__main__":
    sys.exit(main())
