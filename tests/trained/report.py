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
    found = {variant["precision"]: variant for variant in bench["facts"]["models"][0]["variants"]}
    return found.get("fp32", {}), found.get("int8", {})


def kept(quantized):
    layers = quantized["tables"]["layers"]["rows"]
    floats = [layer["layer"] for layer in layers if layer["written"] != "int8"]
    return f"{len(floats)} of {len(layers)}"


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
    return [name, case.WHAT, str(len(result["sensitivity"]["tables"]["layers"]["rows"])),
            milliseconds(before.get("summary", {}).get("median_s")),
            milliseconds(after.get("summary", {}).get("median_s")), times(after.get("speed_up")),
            " / ".join(sqnr), f"{' / '.join(own)} {case.MEASURE}",
            kept(auto) if "failed" not in auto else "target not met" if auto["exit_code"] == 3
            else "failed",
            f"{mebibytes(whole['facts']['float_bytes'])} → {mebibytes(whole['facts']['int8_bytes'])}" if ok else "–"]


def finding_text(name, finding):
    if finding.ratio is None:
        return "none there" if name != "sum" else "–"
    word = "holds" if finding.holds else "does not"
    p = f", p {finding.p:.2g}" if finding.p is not None else ""
    more = "" if name == "sum" else f"×{p} ({finding.layers})"
    return f"{word}: {finding.ratio:.3g}{more}"


def finding_row(name, result):
    run = result["sensitivity"]
    found = findings.find(run)
    joint = run["facts"]["joint"]["value"]
    joint = float(joint) if joint is not None else math.nan
    return [name, number(joint), *(finding_text(key, found[key]) for key in HEADINGS)]


def worst_row(name, result):
    layers = [layer for layer in result["sensitivity"]["tables"]["layers"]["rows"] if layer["drop"] is not None]
    layers.sort(key=lambda layer: -layer["drop"])
    shown = [f"`{layer['block'] or layer['layer']}` {number(float(layer['value']))}"
             for layer in layers[:3]]
    return [name, ", ".join(shown)]


def table(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def tables(results):
    def rows(make):
        return [make(name, result) for name, result in results.items()]
    return "\n".join([
        table(["network", "what", "layers", "float ms", "int8 ms", "speedup [95 %]", "SQNR dB",
               "own measure: float / int8 / auto", "kept by auto", "size MiB"], rows(main_row)),
        "### Which published findings hold\n",
        table(["network", "all layers, dB", *HEADINGS.values()], rows(finding_row)),
        "### The three layers that lose most, dB alone\n",
        table(["network", "layers"], rows(worst_row))])


def sources():
    return table(["network", "what", "source and licence"],
                 [[name, cases.load(name).WHAT, cases.load(name).SOURCE] for name in cases.NAMES])


def complete(at):
    results = {}
    for name in cases.NAMES:
        path = at.out / "runs" / name / "result.json"
        if path.exists():
            results[name] = json.loads(path.read_text())
    return results


def machine(results):
    """Facts of the last benchmark: the processor, and the load that it began with."""
    if not results:
        return ""
    found = list(results.values())[-1]["bench"]
    text = (f"{found['machine']['cpu']}, {found['machine']['cores']} cores, load "
            f"{found['machine']['load']} at the last benchmark; {found['tool']['name']} {found['tool']['version']}.")
    if len({result.get("strata") for result in results.values()}) > 1:
        text += " NOT ALL OF ONE BUILD: run `make models` again."
    return text


def write(at):
    results = complete(at)
    parts = ["# Trained networks\n", machine(results) + "\n", tables(results), sources()]
    (at.out / "report.md").write_text("\n".join(parts))


def put_into(page, at):
    """Between the two comments of the page, in place of what is there."""
    results = complete(at)
    begin, end = "<!-- figures -->\n", "<!-- end of figures -->\n"
    before, rest = page.read_text().split(begin)
    after = rest.split(end)[1]
    page.write_text(f"{before}{begin}\n{machine(results)}\n\n{tables(results)}\n{end}{after}")
