"""Measures the overhead of timing the layers of ResNet-50: recorded runs against unrecorded ones that take turns.

    python bench/timing_overhead.py [--seconds 20] [--size 224]

The first ratio is what the marks cost; the second is what is left after strata took that cost off.
"""
from __future__ import annotations

import argparse
import random
import statistics

import torch
from networks import network


def interval(ratios: list) -> str:
    """The median of ratios and a bootstrap interval of it."""
    draws = sorted(statistics.median(random.choices(ratios, k=len(ratios))) for _ in range(2000))
    return f"{statistics.median(ratios):.4f} [{draws[50]:.4f}, {draws[1949]:.4f}]"


def main() -> None:
    from strata._timing import measure

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    model, _ = network("resnet50")
    measured = measure(model, (1, 3, options.size, options.size), seconds=options.seconds)
    calls = len(measured.calls)
    # The runs took turns, so that the n-th of each kind met the same machine. Waiting is taken off both.
    alone = options.threads == 1 and measured.waits
    plain = [run - wait for run, wait in zip(measured.runs, measured.waits)] if alone else measured.runs
    recorded = [run - wait for run, wait in zip(measured.recorded, measured.recorded_waits)] if alone else (
        measured.recorded)
    marks = calls * measured.probe.total
    median = statistics.median(plain)
    inside = sum(statistics.median(times) for times in measured.calls.values())
    print(f"ResNet-50, {len(plain)} pairs of runs, {calls} module calls, median {median * 1e3:.2f} ms")
    print(f"recorded over unrecorded               {interval([one / two for one, two in zip(recorded, plain)])}")
    net = [(one - marks) / two for one, two in zip(recorded, plain)]
    print(f"the same with the overhead taken off   {interval(net)}")
    print(f"outside layers                         {100 * (median - inside) / median:.2f} %")


if __name__ == "__main__":
    main()
