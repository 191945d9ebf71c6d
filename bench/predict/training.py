#!/usr/bin/env python3
"""How much longer backward passes take than the constants of inference say: one factor, from timm's training steps.

    python training.py --kernels train.npz --results FOLDER

The kernels are those of training steps (record.py --train, kernels.py). The factor is a median over networks; each
network is judged by the factor of the other families.
"""

from __future__ import annotations

import argparse
import csv
import json
import pathlib

import numpy

from fit import TIMM, errors, family_of, machine
from model import CLASSES, OUTPUTS, Networks, Problem, predict

TABLE = "benchmark-train-amp-nchw-pt112-cu113-rtx3090.csv"


def measured() -> dict[str, tuple[float, float]]:
    with open(TIMM / TABLE, newline="", encoding="utf-8") as file:
        return {f"{row['model']}@{row['train_img_size']}": (float(row["train_batch_size"]),
                float(row["train_batch_size"]) / float(row["train_samples_per_sec"])) for row in csv.DictReader(file)}  # fmt: skip


def seconds_of(path: pathlib.Path, theta: numpy.ndarray, backward: bool) -> tuple[Problem, numpy.ndarray]:
    networks = Networks(path)
    is_backward = numpy.load(path)["phases"] == "backward"
    networks.figures[is_backward, OUTPUTS] = 1e12  # libraries split the sums of gradients over all cores
    networks.figures[is_backward != backward] = 0
    problem = Problem(networks, machine("rtx-3090", "fp16", 2), measured())
    return problem, predict(problem, theta)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=pathlib.Path, required=True)
    parser.add_argument("--results", type=pathlib.Path, required=True, help="has 3090-eager.json, of fit.py")
    options = parser.parse_args()
    made = json.loads((options.results / "3090-eager.json").read_text(encoding="utf-8"))["constants"]
    shares = [made[kind].get(name, usual) for kind, usual in (("compute", 0.7), ("memory", 0.8)) for name in CLASSES]
    theta = numpy.log(numpy.array([*shares, made["launch_s"]]))
    path = options.kernels.with_suffix(".eager.npz")
    problem, forward = seconds_of(path, theta, backward=False)
    _, backward = seconds_of(path, theta, backward=True)
    groups, wanted = family_of(problem), (problem.seconds - forward) / backward
    factor = numpy.array([numpy.median(wanted[groups != group]) for group in groups])
    report = {"networks": len(groups), "families": len(set(groups)), "factor": round(float(numpy.median(wanted)), 3)}
    for name, seconds in (("without", forward + backward), ("with", forward + factor * backward)):
        median, mean, p90, _ = errors(problem, seconds)
        ratio = problem.seconds / seconds
        report[name] = {"median": median, "mean": mean, "p90": p90, "bias": float(numpy.median(1 / ratio)),
                        "inside": float(((ratio > 0.807) & (ratio < 1.436)).mean())}  # fmt: skip
    print(json.dumps(report))
    (options.results / "training.json").write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
