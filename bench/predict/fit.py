#!/usr/bin/env python3
"""Fits the predictor's constants to published measurements and leaves whole families out, one at a time.

    python fit.py --kernels kernels.npz --results FOLDER

tables.py makes data/predict and the tables of docs/predict.md of the results.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import json
import pathlib
import sys
import tomllib

import numpy

from model import CLASSES, HERE, K, Machine, Networks, Problem, families, fit, predict, start

ROOT = HERE.parent.parent
TIMM = HERE / "measured" / "timm"
MOST_OTHER_MACS = 0.1  # networks whose MACs differ more from the table's are other versions


def number(text: str) -> float:
    value, _, unit = text.partition(" ")
    scale = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}.get(unit[:1], 1) if unit else 1
    return float(value) * (2.0**20 if unit == "MiB" else scale)


def machine(name: str, matrix: str, element_bytes: float) -> Machine:
    facts = tomllib.loads((ROOT / "data" / "devices" / f"{name}.toml").read_text(encoding="utf-8"))
    gpu = facts["kind"] in ("gpu", "edge", "laptop")
    return Machine(name, number(facts[matrix]), number(facts["fp32"]), number(facts["bandwidth"]),
                   int(facts["units"]) if gpu else 0, element_bytes, number(facts["l2"]) if gpu else 0)  # fmt: skip


SETS = {
    "3090 eager": ("rtx-3090", "fp16", 2, "eager", "benchmark-infer-amp-nchw-pt240-cu124-rtx3090.csv"),
    "4090 eager": ("rtx-4090", "fp16", 2, "eager", "benchmark-infer-amp-nchw-pt240-cu124-rtx4090.csv"),
    "3090 eager nhwc": ("rtx-3090", "fp16", 2, "eager", "benchmark-infer-amp-nhwc-pt240-cu124-rtx3090.csv"),
    "4090 eager nhwc": ("rtx-4090", "fp16", 2, "eager", "benchmark-infer-amp-nhwc-pt240-cu124-rtx4090.csv"),
    "4090 compiled": ("rtx-4090", "fp16", 2, "compiled", "benchmark-infer-amp-nchw-pt240-cu124-rtx4090-dynamo.csv"),
    "i9 compiled": ("i9-10940x", "fp32", 4, "compiled", "benchmark-infer-fp32-nchw-pt240-cpu-i9_10940x-dynamo.csv"),
}  # fmt: skip


def problem_of(kernels: pathlib.Path, name: str, cached: bool = True) -> Problem:
    device, matrix, element, runtime, table = SETS[name]
    networks = Networks(kernels.with_suffix(f".{runtime}.npz"))
    measured, gmacs = {}, {}
    with open(TIMM / table, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = f"{row['model']}@{row['infer_img_size']}"
            batch, speed = float(row["infer_batch_size"]), float(row["infer_samples_per_sec"])
            if speed > 0:
                measured[key], gmacs[key] = (batch, batch / speed), float(row["infer_gmacs"] or 0)
    on = machine(device, matrix, element)
    on = on if cached else dataclasses.replace(on, cache=0)
    problem = Problem(networks, on, measured)
    counted = {n: m / measured[n][0] / 1e9 for n, m in zip(problem.names, problem.macs)}
    other = [n for n in problem.names if gmacs[n] > 0.05 and abs(counted[n] / gmacs[n] - 1) > MOST_OTHER_MACS]
    if other:
        problem = Problem(networks, problem.machine, {n: m for n, m in measured.items() if n not in other})
    problem.left_out = other
    return problem


def family_of(problem: Problem) -> numpy.ndarray:
    known = families()
    return numpy.array([known.get(name.rsplit("@", 1)[0], "?") for name in problem.names])


def held_out(problem: Problem, theta0: numpy.ndarray, also: list[Problem] = ()) -> numpy.ndarray:
    """Each network's time, by constants that were fitted without its family."""
    groups = family_of(problem)
    others = [(one, family_of(one)) for one in also]
    everything = [(problem, numpy.ones(len(groups)))] + [(one, numpy.ones(len(g))) for one, g in others]
    begin = fit(everything, theta0)
    out = numpy.zeros(len(groups))
    for family in sorted(set(groups)):
        masks = [(problem, (groups != family) * 1.0)] + [(one, (g != family) * 1.0) for one, g in others]
        theta = fit(masks, theta0, begin, rounds=8)
        out[groups == family] = predict(problem, theta)[groups == family]
    return out


def ranks(values: numpy.ndarray) -> numpy.ndarray:
    return numpy.argsort(numpy.argsort(values)).astype(float)


def errors(problem: Problem, seconds: numpy.ndarray) -> tuple[float, float, float, float]:
    relative = numpy.abs(seconds / problem.seconds - 1) * 100
    batch = problem.seconds  # ranks of times
    rho = numpy.corrcoef(ranks(seconds), ranks(batch))[0, 1]
    return float(numpy.median(relative)), float(relative.mean()), float(numpy.percentile(relative, 90)), float(rho)


def by_totals(problem: Problem) -> numpy.ndarray:
    """The baseline that any newcomer could fit: a line through MACs, bytes written and kernels, one family out."""
    groups = family_of(problem)
    facts = numpy.stack([problem.macs, problem.written, problem.launches], axis=1)
    facts = facts / facts.mean(axis=0)
    out = numpy.zeros(len(groups))
    for family in set(groups):
        keep = groups != family
        weights = 1 / problem.seconds[keep]
        solution, *_ = numpy.linalg.lstsq(facts[keep] * weights[:, None], problem.seconds[keep] * weights, rcond=None)
        out[groups == family] = facts[~keep] @ solution
    return numpy.maximum(out, 1e-6)


def spread_of(groups: numpy.ndarray, ratio: numpy.ndarray, share: float = 0.9) -> tuple[float, float]:
    """Measured over predicted: between these for `share`, where each family counts the same."""
    order = numpy.argsort(ratio)
    size = {family: (groups == family).sum() for family in set(groups)}
    weight = numpy.array([1 / size[g] for g in groups])[order]
    along = (numpy.cumsum(weight) - weight / 2) / weight.sum()
    values = ratio[order]
    return (float(numpy.interp((1 - share) / 2, along, values)), float(numpy.interp((1 + share) / 2, along, values)))


def coverage(groups: numpy.ndarray, ratio: numpy.ndarray) -> float:
    """Share of networks inside an interval made of the other families, averaged over families."""
    shares = []
    for family in set(groups):
        low, high = spread_of(groups[groups != family], ratio[groups != family])
        inside = ratio[groups == family]
        shares.append(((inside >= low) & (inside <= high)).mean())
    return float(numpy.mean(shares) * 100)


TRANSFERS = {"transfer": ("3090 eager", "4090 eager"), "transfer nhwc": ("3090 eager nhwc", "4090 eager nhwc")}
LAUNCH = {"eager": 15e-6, "compiled": 10e-6}


def report_of(problem: Problem, seconds: numpy.ndarray, groups: numpy.ndarray, with_interval: bool = True) -> dict:
    median, mean, p90, rho = errors(problem, seconds)
    out = {"networks": len(problem.names), "median": median, "mean": mean, "p90": p90, "rho": rho}
    if with_interval:
        ratio = problem.seconds / seconds
        out |= {"spread": spread_of(groups, ratio), "coverage": coverage(groups, ratio)}
    return out


def constants(theta: numpy.ndarray) -> dict:
    rounded = lambda values: {k: round(float(v), 4) for k, v in zip(CLASSES, numpy.exp(values)) if k != "unknown"}
    return {"compute": rounded(theta[:K]), "memory": rounded(theta[K : 2 * K]), "launch_s": float(f"{numpy.exp(theta[2 * K]):.3g}")}


def one_set(options, name: str) -> dict:
    problem = problem_of(options.kernels, name)
    theta0, groups = start(LAUNCH[SETS[name][3]]), family_of(problem)
    theta = fit([(problem, numpy.ones(len(groups)))], theta0)
    seconds = held_out(problem, theta0)
    worst = {g: float(numpy.median(numpy.log(problem.seconds / seconds)[groups == g])) for g in sorted(set(groups))}
    return {"name": name, "families": len(set(groups)), "left_out": problem.left_out, "constants": constants(theta),
            "roofline": report_of(problem, problem_of(options.kernels, name, cached=False).roofline(), groups, False),
            "totals": report_of(problem, by_totals(problem), groups, False),
            "in_sample": report_of(problem, predict(problem, theta), groups, False),
            "family_out": report_of(problem, seconds, groups), "bias": worst}  # fmt: skip


def transfer(options, one: str, other: str) -> dict:
    """From one device to the other and back, and the constants of both together."""
    problems = [problem_of(options.kernels, name) for name in (one, other)]
    theta0 = start(LAUNCH["eager"])
    out, ratios = {"name": f"{one} and {other}"}, []
    for a, b in ((0, 1), (1, 0)):
        theta = fit([(problems[a], numpy.ones(len(problems[a].names)))], theta0)
        seconds = predict(problems[b], theta)
        out[f"to {(one, other)[b]}"] = report_of(problems[b], seconds, family_of(problems[b]))
        ratios.append((family_of(problems[b]), problems[b].seconds / seconds))
    # The interval for a device that was never measured is that of the other transfer, made as wide
    # on both sides: what one new device does too fast, the next may do too slowly.
    sides = []
    for groups, ratio in ratios:
        low, high = spread_of(groups, ratio)
        wide = max(1 / low, high)
        sides.append((1 / wide, wide))
    for (low, high), (groups, ratio), name in zip(sides[::-1], ratios, (other, one)):
        inside = [((ratio[groups == g] >= low) & (ratio[groups == g] <= high)).mean() for g in set(groups)]
        out[f"to {name}"]["coverage_by_other_transfer"] = float(numpy.mean(inside) * 100)
    out["spread_unseen"] = [min(low for low, _ in sides), max(high for _, high in sides)]
    both = fit([(problem, numpy.ones(len(problem.names))) for problem in problems], theta0)
    out["constants"] = constants(both)
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=pathlib.Path, required=True)
    parser.add_argument("--results", type=pathlib.Path, required=True, help="a folder; a file for each set")
    parser.add_argument("--only", action="append", help="a set or a transfer")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    for name in options.only or [*SETS, *TRANSFERS]:
        made = transfer(options, *TRANSFERS[name]) if name in TRANSFERS else one_set(options, name)
        (options.results / f"{name.replace(' ', '-')}.json").write_text(json.dumps(made, indent=1), encoding="utf-8")
        for kind, each in made.items():
            if isinstance(each, dict) and "median" in each:
                print(name, kind, {k: each[k] for k in each}, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
