#!/usr/bin/env python3
"""Single matrix products in fp16, as aiconfigurator publishes them: own constants, and those of other devices.

    pip download --no-deps --requirement requirements.txt
    python gemm.py --wheel aiconfigurator-0.8.0-py3-none-any.whl --results FOLDER

Own constants are fitted to half of the shapes, chosen by lot, and judged on the other half. Shapes whose operands
fit into the last cache are left out: the benchmark repeats one product, so they never leave it.
"""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import json
import pathlib
import tomllib
import zipfile

import numpy

from fit import number
from model import HERE
from search import search

FOLDERS = {"a100-80": "a100_sxm/vllm/0.12.0", "h100": "h100_sxm/vllm/0.12.0", "h200": "h200_sxm/vllm/0.12.0",
           "b200": "b200_sxm/vllm/0.14.1", "l40s": "l40s/vllm/0.12.0"}  # fmt: skip
TILES = ((256, 128), (128, 256), (128, 128), (128, 64), (64, 128), (64, 64), (64, 256), (256, 64), (32, 128), (16, 128), (128, 32))
SPLITS = (1, 2, 4)  # parts of the depth that tiles of their own compute
NAMES = ("compute", "memory", "launch_s", "small", "depth", "waves")  # as in data/predict
START = numpy.log(numpy.array([0.8, 0.8, 5e-6, 0.1, 64.0, 0.5]))
HIGHEST = numpy.array([0, 0, numpy.log(1e-4), 1, 9.0, 0])


class Card:
    def __init__(self, device: str, wheel: zipfile.ZipFile) -> None:
        facts = tomllib.loads((HERE.parent.parent / "data" / "devices" / f"{device}.toml").read_text(encoding="utf-8"))
        self.peak, self.bandwidth = number(facts["fp16"]), number(facts["bandwidth"])
        self.units, cache = int(facts["units"]), number(facts["l2"])
        text = wheel.read(f"aiconfigurator/systems/data/{FOLDERS[device]}/gemm_perf.txt").decode()
        rows = [row for row in csv.DictReader(io.StringIO(text)) if row["gemm_dtype"] == "float16"]
        sizes = numpy.array([[float(row[key]) for key in ("m", "n", "k", "latency")] for row in rows])
        size = 2 * (sizes[:, 0] * sizes[:, 2] + sizes[:, 1] * sizes[:, 2] + sizes[:, 0] * sizes[:, 1])
        kept = size >= cache
        self.m, self.n, self.k, self.seconds = (*sizes[kept, :3].T, sizes[kept, 3] * 1e-3)
        self.bytes, self.all = size[kept], len(rows)
        self.half = numpy.random.default_rng(1).random(len(self.m)) < 0.5


def predict(theta: numpy.ndarray, card: Card, tiled: bool) -> numpy.ndarray:
    compute, memory, launch, small, depth, incomplete = numpy.exp(theta)
    moving = card.bytes / (card.bandwidth * memory)
    arithmetic = 2 * card.m * card.n * card.k / (card.peak * compute)
    if tiled:  # the best tile; cores that have none are idle, and a wave that is not full costs a part of a full one
        choices = []
        for (high, wide), parts in itertools.product(TILES, SPLITS):
            tiles = parts * numpy.ceil(card.m / high) * numpy.ceil(card.n / wide) / card.units
            busy = numpy.maximum(1, tiles)
            waves = busy + incomplete * (numpy.ceil(tiles) - busy)
            operations = waves * card.units * 2 * high * wide * (card.k / parts + depth)
            choices.append(operations / (card.peak * compute * (high * wide / (256 * 128)) ** small))
        arithmetic = numpy.min(choices, axis=0)
    return (arithmetic**4 + moving**4) ** 0.25 + launch


def fit(cards: list[tuple[Card, numpy.ndarray]], tiled: bool) -> numpy.ndarray:
    def loss(theta: numpy.ndarray) -> float:
        total = 0.02 * ((theta - START) ** 2).mean()
        for card, mask in cards:
            off = numpy.log(predict(theta, card, tiled)[mask] / card.seconds[mask])
            total += numpy.sqrt(off**2 + 0.03**2).mean()
        return float(total)

    return search(loss, START, HIGHEST)


def errors(theta: numpy.ndarray, card: Card, mask: numpy.ndarray, tiled: bool) -> tuple[float, float]:
    off = numpy.abs(predict(theta, card, tiled)[mask] / card.seconds[mask] - 1) * 100
    return float(numpy.median(off)), float(numpy.percentile(off, 90))


def named(theta: numpy.ndarray) -> dict[str, float]:
    return {name: float(f"{value:.4g}") for name, value in zip(NAMES, numpy.exp(theta))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=pathlib.Path, required=True)
    parser.add_argument("--results", type=pathlib.Path, required=True)
    options = parser.parse_args()
    with zipfile.ZipFile(options.wheel) as wheel:
        cards = {name: Card(name, wheel) for name in FOLDERS}
    made: dict[str, dict] = {}
    for variant in ("roofline", "tiled"):
        for name, card in cards.items():
            every = {other: numpy.ones(len(one.m), bool) for other, one in cards.items()}
            own = fit([(card, card.half)], variant == "tiled")
            others = fit([(one, every[other]) for other, one in cards.items() if other != name], variant == "tiled")
            made.setdefault(name, {"shapes": len(card.m), "all": card.all})[variant] = {
                "own": errors(own, card, ~card.half, variant == "tiled"),
                "others": errors(others, card, every[name], variant == "tiled"),
                "constants": named(own)}  # fmt: skip
            print(variant, name, made[name][variant], flush=True)
    every = [(card, numpy.ones(len(card.m), bool)) for card in cards.values()]
    made["all"] = {"tiled": {"constants": named(fit(every, tiled=True))}}
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "gemm.json").write_text(json.dumps(made, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
