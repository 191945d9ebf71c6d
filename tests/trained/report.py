"""build/trained/report.md: tables of all networks that were run."""

import json
import math

import cases
import findings

HEADINGS = {"exits": "exits of MBConv", "neither": "neither norm nor activation",
            "first": "first", "last": "last", "sum": "R, drops over that of all"}


def number(value, digits=1):
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.{digits}f}"


def milliseconds(seconds):
    return "–" if seconds is None else f"{1000 * seconds:.3g}"


def times(speed_up):
    """`2.03× [1.79, 2.31]`; an interval is withheld where a machine was too busy."""
    if not speed_up or speed_up.get("median") is None:
        return "–"
    interval = speed_up.get("interval")
    shown = f"{speed_up['median']:.2f}×"
    return shown + (f" [{interval[0]:.2f}, {interval[1]:.2f}]" if interval else " (no interval)")


def mebibytes(count):
    return f"{count / 2**20:.2f}"


def variants(bench):
    found = {variant["precision"]: variant for variant in bench["models"][0]["variants"]}
    return found.get("fp32", {}), found.get("int8", {})


def kept(quantized):
    floats = [layer["layer"] for layer in quantized["layers"] if not layer["int8"]]
    return f"{len(floats)} of {len(quantized['layers'])}"


def main_row(name, result):
    case = cases.load(name)
    whole, auto = result["int8"], result["auto"]
    before, after = variants(result["bench"])
    ok = "failed" not in whole
    own = [number(result["quality"]["quality"])]
    for kind in ("int8_quality", "auto_quality"):
        own.append(number(result[kind]["quality"]) if kind in result else "–")
    sqnr = [number(result[kind]["sqnr_db"]) if kind in result else "–"
            for kind in ("int8_quality", "auto_quality")]
    return [name, case.WHAT, str(len(result["sensitivity"]["layers"])),
            milliseconds(before.get("summary", {}).get("median_s")),
            milliseconds(after.get("summary", {}).get("median_s")), times(after.get("speed_up")),
            " / ".join(sqnr), f"{' / '.join(own)} {case.MEASURE}",
            kept(auto) if "failed" not in auto else auto["failed"],
            f"{mebibytes(whole['float_bytes'])} → {mebibytes(whole['int8_bytes'])}" if ok else "–"]


def finding_text(name, finding):
    if finding.ratio is None:
        return "none there" if name != "sum" else "–"
    word = "holds" if finding.holds else "does not"
    p = f", p {finding.p:.2g}" if finding.p is not None else ""
    ratio = f"{finding.ratio:.3g}" if name == "sum" else f"{finding.ratio:.3g}×{p} ({finding.layers})"
    return f"{word}: {ratio}"


def finding_row(name, result):
    run = result["sensitivity"]
    found = findings.find(run)
    joint = run["joint"]["value"]
    joint = float(joint) if joint is not None else math.nan
    return [name, number(joint), *(finding_text(key, found[key]) for key in HEADINGS)]


def worst_row(name, result):
    layers = [layer for layer in result["sensitivity"]["layers"] if layer["drop"] is not None]
    layers.sort(key=lambda layer: -layer["drop"])
    shown = [f"`{layer['block'] or layer['path']}` {number(float(layer['value']))}"
             for layer in layers[:3]]
    return [name, ", ".join(shown)]


def table(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def text(results):
    parts = ["# Trained networks\n",
             "SQNR and own measure: on samples held out, by ONNX Runtime's Python package and numpy; "
             "all layers in int8 / `--keep-float auto`. Times by `strata bench`, 1 thread.\n",
             table(["network", "what", "layers", "float ms", "int8 ms", "speed-up [95 %]",
                    "SQNR dB", "own measure: float / int8 / auto", "kept by auto", "size MiB"],
                   [main_row(name, result) for name, result in results.items()]),
             "## Which published findings hold\n",
             "Median drop of the group over that of the other layers, rank-sum p, number of layers.\n",
             table(["network", "all layers, dB", *HEADINGS.values()],
                   [finding_row(name, result) for name, result in results.items()]),
             "## The three layers that lose most, dB alone\n",
             table(["network", "layers"],
                   [worst_row(name, result) for name, result in results.items()]),
             "## Where they come from\n",
             table(["network", "source and licence"],
                   [[name, cases.load(name).SOURCE] for name in results])]
    return "\n".join(parts)


def write(at):
    results = {}
    for name in cases.NAMES:
        path = at.out / "runs" / name / "result.json"
        if path.exists():
            results[name] = json.loads(path.read_text())
    (at.out / "report.md").write_text(text(results))
