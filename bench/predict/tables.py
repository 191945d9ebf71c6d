#!/usr/bin/env python3
"""Writes data/predict/index.json and the tables of docs/predict.md from the results of fit.py.

    python tables.py FOLDER
"""

from __future__ import annotations

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BEGIN, END = "<!-- errors: bench/predict/tables.py -->\n", "<!-- end of errors -->\n"
GPU, CPU = ["gpu", "edge", "accelerator", "laptop"], ["cpu", "board", "phone", "mcu"]
AMP, FP32 = ["fp16", "bf16"], ["fp32"]

# The published measurements have one GPU that ran compiled, and one processor: how much wider the
# interval is on another device is assumed.
UNSEEN = 1.3
GEMM_MEMORY = 0.8  # as in operators.py
OTHER_RUNTIME = 1.15  # assumed: whole networks were not measured on engines


def entry(name: str, made: dict, result: dict | None, runtime: str, kinds: list[str], precisions: list[str], device: str,
          fitted: list[str], said: str, unseen: list[float] | None = None) -> dict:  # fmt: skip
    spread = result["spread"] if result else unseen
    wide = unseen or [spread[0] / UNSEEN, spread[1] * UNSEEN]
    return {"name": name, "fitted_on": said, "runtime": runtime, "kinds": kinds, "precisions": precisions, "device": device,
            "fitted_devices": fitted, "fitted_kinds": kinds[:1], "usual_compute": 0.7, "usual_memory": 0.8,
            "spread": [round(value, 3) for value in spread], "spread_unseen": [round(value, 3) for value in wide], **made}  # fmt: skip


def engine_entries(compiled: dict, gemm: dict) -> list[dict]:
    """Engines on GPUs: products with weights as aiconfigurator measured them, all else as in compiled networks."""
    devices = [name for name in gemm if name != "all"]
    others = [gemm[name]["tiled"]["others"][0] for name in devices]
    said = {"": f"products with weights on {len(devices)} GPUs; with the device left out, their median error is "
                f"{min(others):.1f} to {max(others):.1f} %"}  # fmt: skip
    for name in devices:
        said[name] = (f"{gemm[name]['shapes']} products with weights on {name}, half of them left out with a median error of "
                      f"{gemm[name]['tiled']['own'][0]:.1f} %")  # fmt: skip
    keys = ("kinds", "precisions", "fitted_devices", "fitted_kinds")
    wide = [round(compiled["spread_unseen"][0] / OTHER_RUNTIME, 3), round(compiled["spread_unseen"][1] * OTHER_RUNTIME, 3)]
    return [{"name": f"{device or 'gpu'}-engine", "fitted_on": text + "; other kernels are those of gpu-compiled", "runtime": "engine",
             "device": device, "like": compiled["name"], **{key: compiled[key] for key in keys}, "fitted_devices": [],
             "spread": wide, "spread_unseen": wide, "products": gemm[device or "all"]["tiled"]["constants"]}
            for device, text in said.items()]  # fmt: skip


def gpu_entry(name: str, both: dict, suffix: str, what: str) -> dict:
    """Of the two cards together, for others."""
    return entry(name, both["constants"], None, "eager", GPU, AMP, "", [],
                 f"the networks of rtx-3090-eager and rtx-4090-eager{what}; from one of the two cards to the other, the median "
                 f"error is {both[f'to 4090 eager{suffix}']['median']:.1f} and {both[f'to 3090 eager{suffix}']['median']:.1f} %",
                 both["spread_unseen"])  # fmt: skip


def channels_last_entries(g30: dict, g40: dict, both: dict, backward: float) -> list[dict]:
    made = [entry(f"rtx-{card}-eager-nhwc", result["constants"], result["family_out"], "eager", GPU, AMP, f"rtx-{card}", [f"rtx-{card}"],
                  said_of(result, f"on an RTX {card} in mixed precision, in NHWC")) for card, result in ((3090, g30), (4090, g40))]  # fmt: skip
    return [one | {"channels_last": True, "backward": backward} for one in (*made, gpu_entry("gpu-eager-nhwc", both, " nhwc", " in NHWC"))]


def fp32_constants(images: dict, share: dict) -> dict:
    """Constants of operators of transformers, and of images for what transformers do not have."""
    ours = lambda kind: {name.removesuffix(kind): value for name, value in share.items() if name.endswith(kind)}
    compute, memory = ours("_compute"), ours("_memory") | {"gemm": GEMM_MEMORY}
    # Fused attention was not measured in fp32: it is taken to run as its products do.
    for one in (compute, memory):
        one["attention"] = one["batched_gemm"]
    return {"compute": images["compute"] | compute, "memory": images["memory"] | memory, "launch_s": 8e-6,
            "watts_per_tflops": share["watts_per_tflops"], "layers": "operators of transformers"}  # fmt: skip


def other_runtimes(eager: dict) -> list[dict]:
    """The same constants where kernels are fused."""
    keys = ("kinds", "precisions", "fitted_devices", "fitted_kinds", "device")
    wide = [round(eager["spread_unseen"][0] / OTHER_RUNTIME, 3), round(eager["spread_unseen"][1] * OTHER_RUNTIME, 3)]
    return [{"name": f"gpu-{runtime}-fp32", "fitted_on": "those of gpu-eager-fp32: networks that are fused were not measured in fp32",
             "runtime": runtime, "like": eager["name"], **{key: eager[key] for key in keys}, "fitted_devices": [],
             "spread": wide, "spread_unseen": wide} for runtime in ("compiled", "engine")]  # fmt: skip


def said_of(result: dict, what: str) -> str:
    out = result["family_out"]
    return (
        f"{out['networks']} image networks {what}; with their family left out, the median error is "
        f"{out['median']:.1f} % and 9 of 10 are within {out['p90']:.0f} %"
    )


def training_lines(steps: dict) -> list[str]:
    lines = ["", f"Training steps of {steps['networks']} of these networks on an RTX 3090 in mixed precision (PyTorch 1.12; forward, backward and "
             f"SGD), by the constants of `rtx-3090-eager`, with a factor for backward passes from other families ({steps['families']} families):",
             "", "| factor | median / mean / p90 | predicted / measured | inside the interval |", "|---|---|---|---|"]  # fmt: skip
    for key, factor in (("without", "1"), ("with", f"{steps['factor']:.2f} (used)")):
        out = steps[key]
        lines.append(f"| {factor} | {out['median']:.1f} / {out['mean']:.1f} / {out['p90']:.1f} % | {out['bias']:.2f} | {100 * out['inside']:.0f} % |")
    return lines


def fp32_lines(fp32: dict) -> list[str]:
    lines = ["", "Transformers in fp32, each device predicted by constants of the other five (41 networks; A100, V100, T4, P100, "
             "P4, MI210):", "", "| variant | median / mean / p90 | bias of each device | interval made of the others covers |",
             "|---|---|---|---|"]  # fmt: skip
    for variant, title in (("plain", "without a power limit"), ("power", "with a power limit (used)")):
        out = fp32[variant]
        bias = ", ".join(f"{name.replace('NVIDIA_', '').replace('AMD_Instinct_', '').replace('Tesla_', '').split('-')[0]} {value:+.0f} %"
                         for name, value in out["bias"].items())  # fmt: skip
        lines.append(f"| {title} | {out['median']:.1f} / {out['mean']:.1f} / {out['p90']:.1f} % | {bias} | {out['coverage']:.0f} % |")
    out = fp32["power"]
    whole = sum(one["share"] for one in out["operators"].values())
    lines += ["", "Their single operators, likewise:", "", "| class | operators | measured time | median / p90 |", "|---|---|---|---|"]
    lines += [f"| {name} | {one['rows']} | {100 * one['share'] / whole:.1f} % | {one['median']:.0f} / {one['p90']:.0f} % |"
              for name, one in sorted(out["operators"].items(), key=lambda item: -item[1]["share"])]  # fmt: skip
    steps = out["training"]
    return [*lines, "", f"Training steps of the same networks ({steps['rows']} on A100 80 GB, MI210 and V100; forward and backward, of which "
            f"nothing was fitted): {steps['median']:.1f} / {steps['mean']:.1f} / {steps['p90']:.1f} %."]  # fmt: skip


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    read = lambda name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    g30, g40, g40c, i9, both = (read(n) for n in ("3090-eager", "4090-eager", "4090-compiled", "i9-compiled", "transfer"))
    g30l, g40l, bothl = (read(n) for n in ("3090-eager-nhwc", "4090-eager-nhwc", "transfer-nhwc"))
    fp32, gemm = read("operators"), read("gemm")
    used = fp32["power"]  # the variant with the formula of the program
    slow = fp32_constants(both["constants"], used["constants"])
    wide = max(1 / used["spread"][0], used["spread"][1])
    entries = [
        entry("rtx-3090-eager", g30["constants"], g30["family_out"], "eager", GPU, AMP, "rtx-3090", ["rtx-3090"],
              said_of(g30, "on an RTX 3090 in mixed precision")),
        entry("rtx-4090-eager", g40["constants"], g40["family_out"], "eager", GPU, AMP, "rtx-4090", ["rtx-4090"],
              said_of(g40, "on an RTX 4090 in mixed precision")),
        gpu_entry("gpu-eager", both, "", ""),
        entry("gpu-eager-fp32", slow, {"spread": used["spread"]}, "eager", GPU, ["fp32"], "", ["a100-40", "t4", "p4", "mi210"],
              f"{sum(one['rows'] for one in used['operators'].values())} operators of transformers in fp32 on six GPUs; with the device "
              f"left out, the median error of {used['rows']} networks is {used['median']:.1f} %; convolutions are those of gpu-eager",
              [1 / wide, wide]),
        entry("gpu-compiled", g40c["constants"], g40c["family_out"], "compiled", GPU, AMP, "", ["rtx-4090"],
              said_of(g40c, "on an RTX 4090 in mixed precision with torch.compile")),
        entry("cpu-compiled", i9["constants"], i9["family_out"], "compiled", CPU, FP32, "", ["i9-10940x"],
              said_of(i9, "on a Core i9-10940X in fp32 at batch 1 with torch.compile")),
    ]  # fmt: skip
    steps = read("training")
    for one in entries:
        if one["precisions"] == AMP:
            one["backward"] = steps["factor"]
    compiled = next(one for one in entries if one["name"] == "gpu-compiled")
    entries += engine_entries(compiled, gemm)
    entries += channels_last_entries(g30l, g40l, bothl, steps["factor"])
    entries += other_runtimes(next(one for one in entries if one["name"] == "gpu-eager-fp32"))
    path = ROOT / "data" / "predict" / "index.json"
    path.write_text("[\n" + ",\n".join(json.dumps(one) for one in entries) + "\n]\n", encoding="utf-8")

    lines = ["| set | networks, families | this model: median / p90 | rank | interval covers | roofline alone | totals alone |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    for result, title in ((g30, "RTX 3090, eager, mixed"), (g40, "RTX 4090, eager, mixed"),
                          (g30l, "RTX 3090, eager, mixed, NHWC"), (g40l, "RTX 4090, eager, mixed, NHWC"),
                          (g40c, "RTX 4090, compiled, mixed"), (i9, "i9-10940X, compiled, fp32, batch 1")):  # fmt: skip
        out, roof, totals = result["family_out"], result["roofline"], result["totals"]
        lines.append(
            f"| {title} | {out['networks']}, {result['families']} | {out['median']:.1f} / {out['p90']:.1f} % | {out['rho']:.3f} "
            f"| {out['coverage']:.1f} % | {roof['median']:.1f} / {roof['p90']:.1f} % | {totals['median']:.1f} / {totals['p90']:.1f} % |"
        )  # fmt: skip
    lines += ["", "| fitted on → predicted | median / p90 | rank | interval made of the other transfer covers |", "|---|---|---|---|"]
    for one, other, order in (("3090", "4090", ""), ("4090", "3090", ""), ("3090", "4090", " nhwc"), ("4090", "3090", " nhwc")):
        out = (bothl if order else both)[f"to {other} eager{order}"]
        lines.append(f"| RTX {one} → RTX {other}, eager{order.replace(' nhwc', ', NHWC')} | {out['median']:.1f} / {out['p90']:.1f} % | {out['rho']:.3f} "
                     f"| {out['coverage_by_other_transfer']:.1f} % |")  # fmt: skip
    lines += ["", "Families with the largest bias (measured over predicted, median, when left out):", "", "| set | families |", "|---|---|"]
    for result in (g30, g40, g30l, g40l, g40c, i9):
        worst = sorted(result["bias"].items(), key=lambda item: -abs(item[1]))[:6]
        lines.append(f"| {result['name']} | " + ", ".join(f"{name} ×{2.718281828 ** value:.2f}" for name, value in worst) + " |")
    lines += [*training_lines(steps), *fp32_lines(fp32)]
    lines += ["", "Single matrix products in fp16 (aiconfigurator 0.8.0, vLLM; shapes that do not fit into the last cache), "
              "median / p90. Engines are predicted with tiles:", "",
              "| device | shapes | own constants | other devices' | with tiles: own | with tiles: others' |",
              "|---|---|---|---|---|---|"]  # fmt: skip
    pair = lambda found: f"{found[0]:.1f} / {found[1]:.1f} %"
    for name, out in gemm.items():
        if name == "all":
            continue
        cells = [pair(out[variant][whose]) for variant in ("roofline", "tiled") for whose in ("own", "others")]
        lines.append(f"| {name} | {out['shapes']} of {out['all']} | " + " | ".join(cells) + " |")
    page = ROOT / "docs" / "predict.md"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    page.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n\n" + END + rest.split(END)[1], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
