#!/usr/bin/env python3
"""Compares predictions for this machine with what an engine takes here: the 34 networks of the zoo's table.

    strata calibrate-device -o mine.toml
    python here.py --strata build/release/strata --device mine.toml --out here.json
    python here.py --out here.json --page docs/predict.md

Networks are measured in two passes over the list, so that a slow moment of the machine does not fall on one
network alone; the faster pass counts. Times leave out the waiting for a processor (docs/limits.md).
Layers are those of `strata stat --time`, whose kernels the engine times itself.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tomllib

BEGIN, END = "<!-- this machine: bench/predict/here.py -->\n", "<!-- end of this machine -->\n"


def run(*words: str) -> str:
    return subprocess.run(words, capture_output=True, check=True, text=True).stdout


def networks(strata: str) -> list[str]:
    return [row["model"] for row in csv.DictReader(io.StringIO(run(strata, "zoo", "table", "--format", "csv")))]


def measured(strata: str, name: str, seconds: str, threads: str) -> tuple[float, dict[str, float], str]:
    words = ["stat", f"zoo:{name}", "--time", "--threads", threads, "--max-time", seconds, "--format", "json"]
    made = json.loads(run(strata, *words))
    layers: dict[str, float] = {}
    for row in made["tables"]["layers"]["rows"]:
        if row.get("time"):
            layers[row["layer"]] = layers.get(row["layer"], 0) + row["time"]
    return made["facts"]["timing"]["median_s"], layers, made["facts"]["timing"]["engine"]


def predicted(strata: str, name: str, device: pathlib.Path) -> tuple[float, list[float], dict[str, tuple[float, str]]]:
    words = ["predict", f"zoo:{name}", "--on", device.stem, "--device-file", str(device), "--format", "json"]
    made = json.loads(run(strata, *words))["tables"]
    layers: dict[str, tuple[float, str]] = {}
    for row in made["kernels"]["rows"]:
        before, kind = layers.get(row["layer"], (0.0, row["class"]))
        layers[row["layer"]] = (before + (row["time"] or 0), kind)
    whole = made["devices"]["rows"][0]
    return whole["latency"], whole["latency_interval"], layers


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def off(ours: float, theirs: float) -> float:
    return abs(ours / theirs - 1) * 100


def page(made: dict) -> str:
    rows, layers = made["networks"], made["layers"]
    errors = [off(row["predicted"], row["measured"]) for row in rows]
    inside = sum(row["low"] <= row["measured"] <= row["high"] for row in rows)
    lines = [
        f"{made['engine']} with {made['threads']} thread on {made['processor']}: over {len(rows)} networks, the median error is "
        f"{statistics.median(errors):.1f} %, 9 of 10 are within {quantile(errors, 0.9):.0f} %, and the interval holds {inside}. "
        f"The machine was shared: {made['load']}.", "",
        "| network | predicted | measured | error |", "|---|---|---|---|",
    ]  # fmt: skip
    for row in rows:
        error = (row["predicted"] / row["measured"] - 1) * 100
        lines.append(f"| {row['network']} | {row['predicted'] * 1e3:.1f} ms | {row['measured'] * 1e3:.1f} ms | {error:+.0f} % |")
    of_time = sum(layer["measured"] for layer in layers)
    matched = [layer for layer in layers if layer["predicted"] > 0]
    by_kind: dict[str, list[dict]] = {}
    for layer in matched:
        by_kind.setdefault(layer["class"], []).append(layer)
    every = [off(layer["predicted"], layer["measured"]) for layer in matched]
    long = [off(layer["predicted"], layer["measured"]) for layer in matched if layer["measured"] >= 1e-4]
    share = 100 * sum(layer["measured"] for layer in matched) / of_time
    lines += [
        "", f"Layers: {len(matched)} of {len(layers)} layers with a time of their own, {share:.0f} % of the measured time, have a "
        f"predicted time. Their median error is {statistics.median(every):.0f} %; of the {len(long)} that take at least 0.1 ms, "
        f"it is {statistics.median(long):.0f} %.", "",
        "| class | layers | measured time | median error | predicted / measured in all |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for kind, members in sorted(by_kind.items(), key=lambda item: -sum(layer["measured"] for layer in item[1])):
        theirs, ours = (sum(layer[key] for layer in members) for key in ("measured", "predicted"))
        error = statistics.median(off(layer["predicted"], layer["measured"]) for layer in members)
        lines.append(f"| {kind} | {len(members)} | {100 * theirs / of_time:.1f} % | {error:.0f} % | {ours / theirs:.2f} |")
    return "\n".join(lines) + "\n"


def compare(strata: str, device: pathlib.Path, seconds: str, threads: str) -> dict:
    names = networks(strata)
    passes = [{name: measured(strata, name, seconds, threads) for name in names} for _ in range(2)]
    made: dict = {"networks": [], "layers": [], "threads": int(threads), "engine": passes[0][names[0]][2]}
    made["processor"] = tomllib.loads(device.read_text(encoding="utf-8"))["title"]
    made["load"] = f"its load was {os.getloadavg()[0]:.0f} at the end of the measurement, on {os.cpu_count()} processors"
    for name in names:
        total, theirs, _ = min((one[name] for one in passes), key=lambda one: one[0])
        latency, (low, high), ours = predicted(strata, name, device)
        made["networks"].append({"network": name, "predicted": latency, "low": low, "high": high, "measured": total,
                                 "passes": [one[name][0] for one in passes]})  # fmt: skip
        for layer, time in theirs.items():
            own, kind = ours.get(layer, (0.0, "none"))
            made["layers"].append({"network": name, "layer": layer, "class": kind, "predicted": own, "measured": time})
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strata")
    parser.add_argument("--device", type=pathlib.Path)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--seconds", default="1s", help="to measure each network, twice")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--page", type=pathlib.Path, help="write the tables into this page")
    options = parser.parse_args()
    if options.strata:
        made = compare(options.strata, options.device, options.seconds, options.threads)
        options.out.write_text(json.dumps(made, indent=1), encoding="utf-8")
    text = page(json.loads(options.out.read_text(encoding="utf-8")))
    print(text)
    if options.page:
        before, rest = options.page.read_text(encoding="utf-8").split(BEGIN)
        options.page.write_text(before + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
