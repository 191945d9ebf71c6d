#!/usr/bin/env python3
"""Predictions beside published tables that do not say on what machine they were measured.

    python published.py --strata build/release/strata --page docs/predict.md

Without the machine, times can only be compared in proportion: as shares of a network, or up to one factor.
"""

from __future__ import annotations

import argparse
import csv
import json
import pathlib
import subprocess

import numpy

from fit import ranks
from model import HERE

GOLDEN = HERE.parent.parent / "tests" / "golden"
BEGIN, END = "<!-- published: bench/predict/published.py -->\n", "<!-- end of published -->\n"
DEVICE = "i7-8700k"


def rows_of(name: str) -> list[dict[str, str]]:
    with open(GOLDEN / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def predicted(strata: str, network: str) -> tuple[float, dict[str, float]]:
    words = [strata, "predict", f"zoo:{network}", "--on", DEVICE, "--runtime", "eager", "--format", "json"]
    made = json.loads(subprocess.run(words, capture_output=True, check=True, text=True).stdout)["tables"]
    layers: dict[str, float] = {}
    for row in made["kernels"]["rows"]:
        layers[row["layer"]] = layers.get(row["layer"], 0) + (row["time"] or 0)
    return made["devices"]["rows"][0]["latency"], layers


def rasp(strata: str) -> list[str]:
    rows = rows_of("rasp_torchvision_models.csv")
    ours = numpy.array([predicted(strata, row["model"])[0] for row in rows])
    theirs = numpy.array([float(row["latency_ms_x86"]) * 1e-3 for row in rows])
    factor = float(numpy.median(theirs / ours))
    off = theirs / ours / factor
    rho = numpy.corrcoef(ranks(ours), ranks(theirs))[0, 1]
    worst = sorted(zip(off, (row["model"] for row in rows)), key=lambda pair: -abs(numpy.log(pair[0])))[:6]
    errors = numpy.abs(1 / off - 1) * 100
    return [
        f"RASP, {len(rows)} networks on a processor (\"x86\"): it took {factor:.1f} times as long as predicted for an {DEVICE}. With this "
        f"factor taken out, the median error is {numpy.median(errors):.0f} % (p90 {numpy.percentile(errors, 90):.0f} %), rank correlation "
        f"{rho:.2f}. Farthest: " + ", ".join(f"{name} ×{value:.2f}" for value, name in worst) + ".",
    ]  # fmt: skip


PARTS = (("transform", "transform"), ("backbonefpn_body", "backbone.body"), ("backbonefpn_fpn", "backbone.fpn"),
         ("rpn_head_on_5_features", "rpn.head"), ("roi_heads_box_roi_pool", "roi_heads.box_roi_pool"),
         ("roi_heads_box_head", "roi_heads.box_head"), ("roi_heads_box_predictor", "roi_heads.box_predictor"))  # fmt: skip


def fasterrcnn(strata: str) -> list[str]:
    rows = {row["component"]: row for row in rows_of("fasterrcnn_time_memory.csv")}
    _, layers = predicted(strata, "fasterrcnn_resnet50_fpn")
    parts = []
    for theirs, ours in PARTS:
        seconds = sum(time for layer, time in layers.items() if layer == ours or layer.startswith(ours + "."))
        if seconds > 0:
            parts.append((ours, seconds, *(float(rows[theirs][key]) for key in ("cpu_seconds", "cuda_seconds"))))
    sums = [sum(part[i] for part in parts) for i in (1, 2, 3)]
    lines = ["| part of Faster R-CNN | predicted share | published, processor | published, GPU |", "|---|---|---|---|"]
    lines += ["| " + " | ".join([part[0], *(f"{100 * part[i + 1] / sums[i]:.1f} %" for i in range(3))]) + " |" for part in parts]
    return lines


def torchstat(strata: str) -> list[str]:
    rows = rows_of("torchstat_swiftnet_rn18.csv")
    _, layers = predicted(strata, "swiftnet_rn18")
    pairs = [(row["module"], layers[row["module"]], float(row["duration_pct"])) for row in rows if row["module"] in layers]
    ours, theirs = (sum(pair[i] for pair in pairs) for i in (1, 2))
    rho = numpy.corrcoef(ranks(numpy.array([pair[1] for pair in pairs])), ranks(numpy.array([pair[2] for pair in pairs])))[0, 1]
    lines = [f"torchstat, SwiftNet-RN18 at 1024×1024 ({len(pairs)} of {len(rows)} modules have a kernel; rank correlation {rho:.2f}):",
             "", "| module | predicted share | published share |", "|---|---|---|"]  # fmt: skip
    for name, one, other in sorted(pairs, key=lambda pair: -pair[2])[:8]:
        lines.append(f"| {name} | {100 * one / ours:.1f} % | {100 * other / theirs:.1f} % |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strata", required=True)
    parser.add_argument("--page", type=pathlib.Path, required=True)
    options = parser.parse_args()
    text = "\n".join([*rasp(options.strata), "", *fasterrcnn(options.strata), "", *torchstat(options.strata)]) + "\n"
    print(text)
    before, rest = options.page.read_text(encoding="utf-8").split(BEGIN)
    options.page.write_text(before + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
