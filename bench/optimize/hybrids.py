#!/usr/bin/python3
"""torchvision's Faster or Mask R-CNN with an engine in its modules and RoI align by rows, by turns with torch: a row of JSON.

    hybrids.py [--model maskrcnn_resnet50_fpn] [--engine openvino] [--precision int8] [--height 480 --width 640] [--pairs 8]

The modules are named here, where detectors.py lets strata.optimize search for them, which takes ten times as long.
Weights are random; int8 is calibrated on the one image that is timed. `rows` is RoI align alone, whose boxes have to
match torch's; the boxes of int8 would say nothing about a trained detector.
"""

import argparse
import json
import pathlib
import sys
import tempfile
import time

import numpy
import torch

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "published"))

import detectors as published  # noqa: E402
import strata  # noqa: E402
from strata._optimize._export import export  # noqa: E402
from strata._optimize._flat import Example, tensors  # noqa: E402
from strata._optimize._forward import EngineForward  # noqa: E402
from strata._optimize._judge import matched_boxes  # noqa: E402
from strata._optimize._measure import speedup_of  # noqa: E402
from strata._optimize._record import record_calls  # noqa: E402
from strata._optimize._roi import RoiForward, is_roi_align  # noqa: E402
from strata._optimize._sessions import open_session  # noqa: E402

PARTS = ["backbone", "rpn.head", "roi_heads.box_head", "roi_heads.mask_head", "roi_heads.mask_predictor"]


def on_engine(model, image, engine, precision, folder):
    """The forward of each part in the engine."""
    names = [name for name in PARTS if name in dict(model.named_modules())]
    modules = [model.get_submodule(name) for name in names]
    forwards = {}
    for name, module, calls in zip(names, modules, record_calls(model, modules, [Example(([image],), {})])):
        path = str(folder / f"{name}.onnx")
        exported = export(module, calls, path, batch=1)
        if precision == "int8":
            data = folder / f"{name}.data"
            data.mkdir()
            for number, each in enumerate(calls):
                given = tensors((each.args, each.kwargs))
                numpy.savez(data / f"{number}.npz", **{f"input{i}": each.contiguous().numpy() for i, each in enumerate(given)})
            path = str(folder / f"{name}.int8.onnx")
            strata.quantize(exported.path, path, data=data, engine=engine, no_time=True)
        session = open_session(engine, path, "bf16" if precision == "bf16" else "fp32", 1)
        forwards[name] = EngineForward(module, exported, session)
    return forwards


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", default="maskrcnn_resnet50_fpn")
    parser.add_argument("--engine", default="openvino")
    parser.add_argument("--precision", default="int8", choices=["fp32", "bf16", "int8"])
    parser.add_argument("--height", type=int, default=480)
    parser.add_argument("--width", type=int, default=640)
    parser.add_argument("--pairs", type=int, default=8)
    args = parser.parse_args()
    torch.set_num_threads(1)
    model = published.make(args.model)
    model.transform.min_size, model.transform.max_size = (args.height,), args.width
    random = torch.Generator().manual_seed(1)
    small = torch.rand(1, 3, args.height // 8, args.width // 8, generator=random)
    image = torch.nn.functional.interpolate(small, size=(args.height, args.width), mode="bilinear")[0].clamp(0, 1)
    with tempfile.TemporaryDirectory() as folder:
        engines = on_engine(model, image, args.engine, args.precision, pathlib.Path(folder))
    rows = {name: RoiForward(each) for name, each in model.named_modules() if is_roi_align(each)}

    def run(forwards):
        for name in (*engines, *rows):
            model.get_submodule(name).__dict__.pop("forward", None)
        for name, each in forwards.items():
            model.get_submodule(name).__dict__["forward"] = each
        began = time.process_time()
        with torch.no_grad():
            found = model([image])
        return time.process_time() - began, found

    ways = {"torch": {}, "rows": rows, "engines": engines, "both": {**engines, **rows}}
    found = {name: run(forwards)[1] for name, forwards in ways.items()}
    seconds = {name: [] for name in ways}
    for turn in range(args.pairs):
        for name in ways if turn % 2 else reversed(ways):
            seconds[name].append(run(ways[name])[0])
    print(json.dumps({
        "model": args.model, "image": [args.height, args.width], "engine": args.engine, "precision": args.precision,
        "torch_s": round(sorted(seconds["torch"])[args.pairs // 2], 3),
        **{name: str(speedup_of([a / b for a, b in zip(seconds["torch"], seconds[name])])) for name in ("rows", "engines", "both")},
        "matched": {name: round(matched_boxes(found["torch"], found[name]), 3) for name in ("rows", "engines", "both")},
        "fallbacks": {name: dict(each.fallbacks) for name, each in ways["both"].items() if each.fallbacks}}), flush=True)


if __name__ == "__main__":
    main()
