#!/usr/bin/env python3
"""Records the networks of the published measurements on meta tensors, without weights or a run.

    python record.py --out FOLDER [--share 0.5] [--train] [measured.csv ...]

Each network is recorded at two batches. Costs are affine in the batch, so that two recordings give
the costs of any batch. Needs torch, timm and strata's own Python package; a network that cannot be
made or recorded is listed in failed.txt and left out.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import pathlib
import sys

BATCHES = (2, 4)


def wanted(tables: list[str]) -> list[tuple[str, int]]:
    """The pairs of network and image size of all tables, in an order that depends on names alone."""
    pairs = set()
    for table in tables:
        with open(table, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                size = row.get("infer_img_size") or row.get("train_img_size")
                if size:
                    pairs.add((row["model"], int(size)))
    return sorted(pairs, key=lambda pair: hashlib.sha256(repr(pair).encode()).hexdigest())


def recordings(name: str, size: int, train: bool):
    """The recordings of one network, one for each batch; and the file of timm that defines it. Of a training step
    with SGD, if it trains."""
    import torch
    from strata import _record

    for operator in ("nms", "qnms"):
        # timm imports torchvision, whose compiled part pip has for CUDA only; nothing calls it here.
        if not hasattr(torch.ops.torchvision, operator):
            torch.library.define(f"torchvision::{operator}", "(Tensor a, Tensor b, float c) -> Tensor")
    import timm

    with torch.device("meta"):
        try:
            model = timm.create_model(name, pretrained=False, img_size=size)
        except TypeError:  # it takes any size
            model = timm.create_model(name, pretrained=False)
    channels = model.default_cfg.get("input_size", (3, size, size))[0]
    source = type(model).__module__.rsplit(".", 1)[-1]
    step = {"backward": True, "optimizer": "sgd"} if train else {}
    made = [_record.record(model.train(train), (batch, channels, size, size), mode="meta", **step) for batch in BATCHES]
    return source, made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--share", type=float, default=1.0, help="record only this part of the networks")
    parser.add_argument("--part", default="0/1", help="record every n-th network: i/n")
    parser.add_argument("--train", action="store_true", help="record training steps")
    parser.add_argument("tables", nargs="*")
    options = parser.parse_args()
    here = pathlib.Path(__file__).parent
    tables = options.tables or sorted(str(path) for path in (here / "measured" / "timm").glob(f"*-{'train' if options.train else 'infer'}-*.csv"))
    pairs = wanted(tables)
    pairs = pairs[: round(len(pairs) * options.share)]
    index, parts = (int(each) for each in options.part.split("/"))
    options.out.mkdir(parents=True, exist_ok=True)
    for name, size in pairs[index::parts]:
        stem = f"{name}@{size}"
        if (options.out / f"{stem}.{BATCHES[-1]}.gz").exists():
            continue
        try:
            source, made = recordings(name, size, options.train)
        except Exception as error:  # noqa: BLE001: any network may fail in its own way
            with open(options.out / "failed.txt", "a", encoding="utf-8") as file:
                print(stem, type(error).__name__, str(error).split("\n")[0][:160], sep="\t", file=file)
            continue
        for batch, one in zip(BATCHES, made):
            (options.out / f"{stem}.{batch}.gz").write_bytes(gzip.compress(one, 1))
        with open(options.out / "sources.tsv", "a", encoding="utf-8") as file:
            print(name, size, source, sep="\t", file=file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
