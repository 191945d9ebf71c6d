#!/usr/bin/env python3
"""ResNet-50, ViT-B/16 and BERT (12 layers, 128 tokens), made faster by strata.optimize: in fp32, or also in others.

    modules.py [--only NAME] [--engines onnxruntime,openvino,compile] [--precisions fp32,bf16,int8 --min-quality 20]

Needs torch 2 and transformers. Weights are random (bench/published/classifiers.py). Prints a row of JSON for each, with
every way that was timed, and the receipt.
"""

import argparse
import json
import pathlib
import sys
import time

import torch

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "published"))

import classifiers  # noqa: E402
import strata  # noqa: E402

NETWORKS = ("resnet50", "vit_b_16", "bert")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--engines", default="onnxruntime,openvino")
    parser.add_argument("--max-time", type=float, default=1800)
    parser.add_argument("--precisions", default="fp32")
    parser.add_argument("--min-quality", type=float, help="in dB; has to be given for bf16 and int8")
    args = parser.parse_args()
    torch.set_num_threads(1)
    for name in NETWORKS:
        if args.only not in name:
            continue
        torch.manual_seed(0)
        model, calls = classifiers.make(name), [(classifiers.example(name, 1),), (classifiers.example(name, 1),)]
        began = time.process_time()
        strata.optimize(model, calls, threads=1, engines=args.engines.split(","), max_time=args.max_time,
                        precisions=args.precisions.split(","), min_quality=args.min_quality)
        receipt = model.strata.receipt
        print(json.dumps({
            "model": name, "torch": torch.__version__, "speedup": receipt.speedup and receipt.speedup._asdict(),
            "quality": receipt.quality, "why_not": receipt.why_not, "replaced": model.strata.replaced(),
            "ways": {f"{each.engine} {each.precision}": [str(each.speedup), each.quality and round(each.quality, 1)]
                     for each in receipt.tried if each.speedup and not each.module},
            "cpu_s": round(time.process_time() - began)}), flush=True)
        print(receipt, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
