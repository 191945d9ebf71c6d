#!/usr/bin/python3
"""torchvision's detectors, made faster by strata.optimize: a row of JSON for each precision, and the receipt.

    detectors.py [--only NAME] [--precisions fp32,bf16,int8] [--engines onnxruntime,openvino] [--height 480 --width 640] [--max-time SECONDS]

Weights are random, with the deviations of a trained detector's last layers (bench/published/detectors.py), so that the
speedups hold, but the share of matched boxes does not carry over to trained ones: trained.py measures those. In fp32 all
boxes and masks have to match; in bf16 and int8 whatever matches is only reported. Each detector takes minutes.
"""

import argparse
import json
import pathlib
import sys
import time

import torch

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "published"))

import detectors as published  # noqa: E402
import strata  # noqa: E402


def images(count, height, width):
    """Smooth pictures: neighbouring pixels of photographs are alike."""
    random = torch.Generator().manual_seed(1)
    for _ in range(count):
        small = torch.rand(1, 3, height // 8, width // 8, generator=random)
        yield torch.nn.functional.interpolate(small, size=(height, width), mode="bilinear")[0].clamp(0, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--precisions", default="fp32,bf16,int8")
    parser.add_argument("--height", type=int, default=published.HEIGHT)
    parser.add_argument("--width", type=int, default=published.WIDTH)
    parser.add_argument("--engines", default="onnxruntime,openvino")
    parser.add_argument("--max-time", type=float, default=3600)
    args = parser.parse_args()
    torch.set_num_threads(1)
    published.HEIGHT, published.WIDTH = args.height, args.width
    for name in published.NAMES:
        if args.only not in name:
            continue
        for precision in args.precisions.split(","):
            model = published.make(name)
            calls = [([each],) for each in images(3, args.height, args.width)]
            began = time.process_time()
            strata.optimize(model, calls, threads=1, precisions=[precision], max_time=args.max_time,
                            engines=args.engines.split(","),
                            min_quality=1.0 if precision == "fp32" else 0.0)
            receipt = model.strata.receipt
            print(json.dumps({
                "model": name, "image": [args.height, args.width], "precision": precision,
                "speedup": receipt.speedup and receipt.speedup._asdict(), "matched": receipt.quality,
                "replaced": model.strata.replaced(), "why_not": receipt.why_not,
                "fallbacks": model.strata.fallbacks(), "cpu_s": round(time.process_time() - began)}), flush=True)
            print(receipt, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
