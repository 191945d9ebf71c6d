#!/usr/bin/env python3
"""Times of ten networks, in turns: with the engine's optimizations off (`strata stat --time --view source`), as
`strata stat --time` measures by default, and as `strata bench` does. The last two are of the same run of the engine,
so their intervals should overlap.

    bench/views.py --strata build/release/strata [--max-time 3s]
"""

import argparse
import json
import subprocess
import sys

NETWORKS = ["alexnet", "densenet121", "efficientnet_b0", "googlenet", "mobilenet_v2", "mobilenet_v3_large", "resnet18",
            "resnet50", "shufflenet_v2_x1_0", "squeezenet1_1"]


def document(words):
    done = subprocess.run([*words, "--format", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def measured(strata, network, view, seconds):
    """The median with its interval, or None for what was withheld."""
    if view == "bench":
        found = document([strata, "bench", f"zoo:{network}", "--precision", "fp32", "--threads", "1", "--max-time", seconds])
        row = found["tables"]["variants"]["rows"][0]
        return (row["median_s"], *(row["median_interval_s"] or (None, None)))
    words = [strata, "stat", f"zoo:{network}", "--time", "--view", view, "--max-time", seconds, "--report", "root"]
    timing = document(words)["facts"]["timing"]
    return (timing["median_s"], *(timing["median_interval_s"] or (None, None)))


def text(found):
    middle, low, high = found
    return f"{1e3 * middle:.2f}" + (f" [{1e3 * low:.2f}, {1e3 * high:.2f}]" if low else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strata", required=True)
    parser.add_argument("--max-time", default="3s")
    args = parser.parse_args()
    print("| network | optimizations off, ms | `stat --time`, ms | `bench`, ms | stat / bench | intervals overlap |")
    print("|---|---:|---:|---:|---:|---|")
    for network in NETWORKS:
        source, stat, bench = (measured(args.strata, network, view, args.max_time)
                               for view in ("source", "optimized", "bench"))
        both = stat[1] and bench[1]
        overlap = ("yes" if stat[1] <= bench[2] and bench[1] <= stat[2] else "no") if both else "?"
        print(f"| {network} | {text(source)} | {text(stat)} | {text(bench)} | {stat[0] / bench[0]:.3f} | {overlap} |",
              flush=True)


if __name__ == "__main__":
    main()
