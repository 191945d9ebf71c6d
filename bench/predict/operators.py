#!/usr/bin/env python3
"""Constants of eager networks in fp32, from single operators of transformers on six GPUs.

    python operators.py --strata build/release/strata --recordings FOLDER --results FOLDER

Each device is predicted by constants of the other five: its operators, and its whole networks with the kernels that
the program finds in their recordings (record_transformers.py). Training steps are predicted as well; nothing is
fitted to a network or to a training step.
"""

from __future__ import annotations

import argparse
import ast
import csv
import dataclasses
import gzip
import json
import math
import pathlib
import re

import numpy

from kernels import table
from model import CACHED, CLASSES, HERE, MATRIX, SMOOTH, TILE
from search import search

NEUSIGHT = HERE / "measured" / "neusight"
LAUNCH = 8e-6
WATTS_OF_NM = 16  # the watts of an operation are stated for this process, and shrink with it
# What is fitted: shares of compute, shares of bandwidth, and the watts that 1 TFLOP/s takes.
COMPUTE, MEMORY = ("gemm", "batched_gemm"), ("batched_gemm", "pointwise", "softmax", "layer_norm", "copy")
START = numpy.log(numpy.array([0.85, 0.6, 0.4, 0.8, 0.7, 0.5, 0.7, 20.0]))
HIGHEST = numpy.array([0.0] * 7 + [9.0])
PULL = 0.02  # to the start
GEMM_MEMORY = 0.8  # products with weights in these networks are never bound by memory
POINTWISE = {"add", "truediv", "mul", "pow", "tanh", "where", "gelu", "masked_fill", "max", "activation_fn"}


@dataclasses.dataclass(frozen=True)
class Card:
    """Data sheets of the cards that were measured, which have PCIe where the name says so: operations/s of matrix
    units in fp32 and of vectors, bytes/s, bytes of the last cache, W, nm, cores."""

    matrix: float
    vector: float
    bandwidth: float
    cache: float
    watts: float
    process: float
    units: int


MIB = 2**20
CARDS = {
    "AMD_Instinct_MI210": Card(45.3e12, 22.6e12, 1638e9, 8 * MIB, 300, 6, 104),
    "NVIDIA_A100-PCIE-40GB": Card(19.5e12, 19.5e12, 1555e9, 40 * MIB, 250, 7, 108),
    "Tesla_P100-PCIE-16GB": Card(9.3e12, 9.3e12, 732e9, 4 * MIB, 250, 16, 56),
    "Tesla_P4": Card(5.5e12, 5.5e12, 192e9, 2 * MIB, 75, 16, 20),
    "Tesla_T4": Card(8.1e12, 8.1e12, 320e9, 4 * MIB, 70, 12, 40),
    "Tesla_V100-PCIE-32GB": Card(14e12, 14e12, 900e9, 6 * MIB, 250, 12, 80),
}
# Trained networks were measured on one more, which has the chip of another.
TRAINED = CARDS | {"NVIDIA_A100_80GB_PCIe": Card(19.5e12, 19.5e12, 1935e9, 40 * MIB, 300, 7, 108)}
SAME_CHIP = {"NVIDIA_A100_80GB_PCIe": "NVIDIA_A100-PCIE-40GB"}

# Kernels are rows of: class, operations, bytes of activations, bytes of weights, outputs, times.
KIND, OPERATIONS, ACTIVATIONS, WEIGHTS, OUTPUTS, TIMES = range(6)


def operator(row: dict[str, str]) -> tuple[float, ...] | None:
    """A measured operator as a kernel; nothing for views, lookups and modules that share their row with others."""
    name = re.sub(r" at 0x.*|>$|<(built-in )?(function|method) ", "", row["target"]).removesuffix(" of type object").split(".")[-1]
    inputs = ast.literal_eval(row["input_shapes"])
    output = ast.literal_eval(row["output_shape"])
    outputs, sizes = math.prod(output), [math.prod(shape) for shape in inputs]
    if outputs < 10_000:
        return None
    kernel = lambda kind, operations, read, weights=0: (
        CLASSES.index(kind), operations, 4 * (read + outputs), 4 * weights, outputs, 1)  # fmt: skip
    if name == "addmm":
        (rows, depth), columns = inputs[1], output[1]
        return kernel("gemm", 2 * rows * depth * columns, rows * depth, (depth + 1) * columns)
    if name in ("lm_head", "fc1", "fc2", "dense") and inputs[0][-1] != output[-1]:
        depth = inputs[0][-1]
        return kernel("gemm", 2 * outputs * depth, sizes[0], depth * output[-1])
    if name in ("matmul", "bmm"):
        return kernel("batched_gemm", 2 * outputs * inputs[0][-1], sizes[0] + sizes[1])
    if name in ("softmax", "final_layer_norm"):
        return kernel("softmax" if name == "softmax" else "layer_norm", 0, outputs)
    if name in POINTWISE:
        masks = {"where": 0, "masked_fill": 1}  # a byte an element
        return kernel("pointwise", 0, sum(s / 4 if masks.get(name) == i else s for i, s in enumerate(sizes) if s > 1))
    return kernel("copy", 0, outputs) if name in ("contiguous", "reshape") else None


def measured_operators() -> dict[str, tuple[numpy.ndarray, numpy.ndarray]]:
    """Kernels and seconds of each device, of networks that infer."""
    found: dict[str, tuple[list, list]] = {device: ([], []) for device in CARDS}
    with open(NEUSIGHT / "operators.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["device"] not in CARDS or not re.fullmatch(r"(bert|gpt|opt)\w+-inf-\d+-\d+", row["network"]):
                continue
            one, seconds = operator(row), float(row["mean_latency_ms"]) * 1e-3
            # Faster than the memory: nothing was copied.
            if one and not (one[KIND] == CLASSES.index("copy") and one[ACTIVATIONS] / seconds > CARDS[row["device"]].bandwidth):
                found[row["device"]][0].append(one)
                found[row["device"]][1].append(seconds)
    return {device: (numpy.array(rows, dtype=float), numpy.array(seconds)) for device, (rows, seconds) in found.items()}


def networks(strata: str, folder: pathlib.Path) -> dict[str, numpy.ndarray]:
    """The program's own kernels of each recording."""
    made = {}
    for path in sorted(folder.glob("*.gz")):
        rows = []
        for row in table(strata, gzip.decompress(path.read_bytes()), "eager"):
            number = {key: float(row[key]) for key in ("macs", "flops", "read_bytes", "write_bytes", "weight_bytes", "outputs", "runs")}
            rows.append((CLASSES.index(row["class"]), 2 * number["macs"] or number["flops"],
                         number["read_bytes"] + number["write_bytes"] - number["weight_bytes"], number["weight_bytes"],
                         number["outputs"], number["runs"]))  # fmt: skip
        made[path.name.removesuffix(".gz")] = numpy.array(rows)
    return made


def measured_networks(kind: str) -> list[tuple[str, str, float]]:
    with open(NEUSIGHT / "networks.csv", newline="", encoding="utf-8") as file:
        return [(row["device"], row["network"], float(row["e2e_latency"]) * 1e-3) for row in csv.DictReader(file)
                if re.fullmatch(rf"(bert|gpt|opt)\w+-{kind}-\d+-\d+", row["network"])]  # fmt: skip


class Formula:
    """The program's formula, with the constants of other classes from the networks of images."""

    def __init__(self, base: dict, with_power: bool) -> None:
        self.compute = numpy.array([base["compute"].get(name, 0.7) for name in CLASSES])
        self.memory = numpy.array([base["memory"].get(name, 0.8) for name in CLASSES])
        self.with_power = with_power
        self.matrix = numpy.array([name in MATRIX for name in CLASSES])

    def seconds(self, theta: numpy.ndarray, card: Card, rows: numpy.ndarray) -> numpy.ndarray:
        shares, kinds = numpy.exp(theta), rows[:, KIND].astype(int)
        compute, memory = self.compute.copy(), self.memory.copy()
        compute[[CLASSES.index(name) for name in COMPUTE]] = shares[:2]
        memory[[CLASSES.index(name) for name in MEMORY]] = shares[2:7]
        memory[CLASSES.index("gemm")] = GEMM_MEMORY
        if self.with_power:
            wanted = shares[7] * card.matrix * 1e-12 * card.process / WATTS_OF_NM
            compute = numpy.where(self.matrix, compute * min(1.0, card.watts / wanted), compute)
        is_matrix = self.matrix[kinds]
        used = numpy.where(is_matrix, numpy.clip(rows[:, OUTPUTS] / (TILE * card.units), 1 / card.units, 1), 1)
        peak = numpy.where(is_matrix, card.matrix, card.vector)
        moved = rows[:, ACTIVATIONS] + rows[:, WEIGHTS] - CACHED * numpy.clip(rows[:, ACTIVATIONS], 0, card.cache)
        work = numpy.maximum(rows[:, OPERATIONS] / (peak * compute[kinds] * used), moved / (card.bandwidth * memory[kinds]))
        return rows[:, TIMES] * (work + LAUNCH)

    def fit(self, operators: dict[str, tuple[numpy.ndarray, numpy.ndarray]]) -> numpy.ndarray:
        """Each class of each device counts the same. Products with weights alone say what power limits."""
        groups = [(int(kind), CARDS[device], rows[rows[:, KIND] == kind], seconds[rows[:, KIND] == kind])
                  for device, (rows, seconds) in operators.items() for kind in set(rows[:, KIND])]  # fmt: skip
        gemm, theta = CLASSES.index("gemm"), START.copy()
        for places, part in (([0, 7], [one for one in groups if one[0] == gemm]),
                             ([1, 2, 3, 4, 5, 6], [one for one in groups if one[0] != gemm])):  # fmt: skip
            theta[places] = search(lambda some: self._loss(theta, places, some, part), theta[places], HIGHEST[places])
        return theta

    def _loss(self, theta: numpy.ndarray, places: list[int], some: numpy.ndarray, groups: list) -> float:
        theta = theta.copy()
        theta[places] = some
        total = PULL * ((theta - START) ** 2).sum()
        for _, card, rows, seconds in groups:
            off = numpy.log(self.seconds(theta, card, rows) / seconds)
            total += numpy.sqrt(off**2 + SMOOTH**2).mean()
        return float(total)


def percentages(errors: list[float]) -> dict:
    size = numpy.abs(errors) * 100
    return {"rows": len(errors), "median": float(numpy.median(size)), "mean": float(size.mean()),
            "p90": float(numpy.percentile(size, 90))}  # fmt: skip


def coverage(ratios: list[list[float]]) -> tuple[list[float], float]:
    """An interval that counts each device the same, and the share of each device that one made of the others holds."""
    alike = [numpy.interp(numpy.linspace(0, 1, 101), numpy.linspace(0, 1, len(own)), sorted(own)) for own in ratios]
    inside = []
    for i, own in enumerate(ratios):  # as wide on both sides
        low, high = numpy.quantile(numpy.concatenate(alike[:i] + alike[i + 1 :]), (0.05, 0.95))
        wide = max(1 / low, high)
        inside.append(numpy.mean([1 / wide <= ratio <= wide for ratio in own]))
    return [float(q) for q in numpy.quantile(numpy.concatenate(alike), (0.05, 0.95))], float(numpy.mean(inside) * 100)


def judged(formula: Formula, operators: dict, found: dict[str, numpy.ndarray]) -> dict:
    without = {device: formula.fit({d: one for d, one in operators.items() if d != device}) for device in CARDS}
    time = lambda device, network: float(formula.seconds(without[SAME_CHIP.get(device, device)], TRAINED[device], found[network]).sum())
    errors = {kind: [(device, time(device, network) / seconds - 1) for device, network, seconds in measured_networks(kind)
                     if device in TRAINED] for kind in ("inf", "train")}  # fmt: skip
    own = {device: [error for d, error in errors["inf"] if d == device] for device in CARDS}
    spread, covered = coverage([[1 / (1 + error) for error in own[device]] for device in CARDS])
    single: dict[str, list[tuple[float, float]]] = {}
    for device, (rows, seconds) in operators.items():
        for row, expected, was in zip(rows, formula.seconds(without[device], CARDS[device], rows), seconds):
            single.setdefault(CLASSES[int(row[KIND])], []).append((expected, was))
    theta = formula.fit(operators)
    names = [f"{name}_compute" for name in COMPUTE] + [f"{name}_memory" for name in MEMORY] + ["watts_per_tflops"]
    return percentages([error for _, error in errors["inf"]]) | {
        "bias": {device: float(numpy.median(own[device]) * 100) for device in CARDS}, "spread": spread, "coverage": covered,
        "training": percentages([error for _, error in errors["train"]]),
        "operators": {name: percentages([e / w - 1 for e, w in pairs]) | {"share": sum(w for _, w in pairs)} for name, pairs in single.items()},
        "constants": dict(zip(names, (round(float(v), 4) for v in numpy.exp(theta))))}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strata", required=True)
    parser.add_argument("--recordings", type=pathlib.Path, required=True)
    parser.add_argument("--results", type=pathlib.Path, required=True, help="has transfer.json, of fit.py")
    options = parser.parse_args()
    base = json.loads((options.results / "transfer.json").read_text(encoding="utf-8"))["constants"]
    operators, found = measured_operators(), networks(options.strata, options.recordings)
    made = {}
    for variant in ("plain", "power"):
        made[variant] = judged(Formula(base, variant == "power"), operators, found)
        print(variant, json.dumps(made[variant]), flush=True)
    (options.results / "operators.json").write_text(json.dumps(made, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
