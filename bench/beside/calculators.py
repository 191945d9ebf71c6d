"""llm-analysis on published speeds of gpt-fast that strata is judged by: calculators.py PACKAGES ROWS.

PACKAGES is a folder with bench/beside/requirements.txt (pip install --target); ROWS is what
`llm_test --gtest_filter=Measured.OtherPublishedRows` prints, strata's own predictions.
llm-analysis runs as it comes: its configurations, its A100, its efficiencies.
"""

from __future__ import annotations

import csv
import logging
import re
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from llm_analysis import config  # noqa: E402
from llm_analysis.analysis import LLMAnalysis  # noqa: E402

PUBLISHED = Path(__file__).parents[2] / "tests/llm/independent.csv"
CONFIGURATIONS = {"llama-2-7b": "NousResearch_Llama-2-7b-hf", "llama-2-70b": "upstage_Llama-2-70b-instruct-v2"}
TYPES = {"bf16": "w16a16e16", "int8": "w8a16e16", "int4": "w4a16e16"}


def strata_rows(path: str) -> dict[tuple[str, ...], float]:
    """Tokens a second by devices, network and type of weights."""
    row = re.compile(r"G \S+ +(\d) (\S+) +(\S+) +decode .* [\d.]+ +([\d.]+) +[+-][\d.]+ %")
    found = (row.match(line) for line in Path(path).read_text().splitlines())
    return {one.groups()[:3]: float(one[4]) for one in found if one}


def analysed(network: str, weights: str = "bf16", devices: int = 1) -> LLMAnalysis:
    return LLMAnalysis(
        config.get_model_config_by_name(CONFIGURATIONS[network]),
        config.get_gpu_config_by_name("a100-sxm-80gb"),
        config.get_dtype_config_by_name(TYPES[weights]),
        config.ParallelismConfig(tp_size=devices),
    )


def main() -> None:
    logging.disable(logging.CRITICAL)
    predictions = strata_rows(sys.argv[2])
    ratios: dict[str, list[float]] = {"llm-analysis": [], "strata": []}
    with PUBLISHED.open() as file:
        rows = [row for row in csv.DictReader(file) if row["engine"] == "gpt-fast" and row["model"] in CONFIGURATIONS]
    for row in rows:
        inference = analysed(row["model"], row["weights"], int(row["tp"])).inference(
            batch_size_per_gpu=1, seq_len=int(row["prompt"]), num_tokens_to_generate=200
        )
        found = {
            "llm-analysis": inference["decode_tokens_per_sec"],
            "strata": predictions[row["tp"], row["model"], row["weights"]],
        }
        for tool, value in found.items():
            ratios[tool].append(value / float(row["measured"]))
        said = ", ".join(f"{tool} {value:.1f} ({ratios[tool][-1] - 1:+.0%})" for tool, value in found.items())
        print(f"{row['model']} {row['weights']} on {row['tp']}: measured {row['measured']}, {said}")
    for tool, values in ratios.items():
        errors = {factor: sum(abs(factor * value - 1) for value in values) for factor in (i / 1000 for i in range(200, 1001))}
        best = min(errors, key=lambda factor: errors[factor])
        print(f"{tool}: mean error {errors[1.0] / len(values):.1%}, {errors[best] / len(values):.1%} if all were {best} times")
    for network in CONFIGURATIONS:
        print(f"{network}: {analysed(network).get_num_params_total():,.0f} parameters")


main()
