"""Looks for published findings about EfficientViT-SAM in a sensitivity run's figures.

Published: exit convolutions of MBConv blocks, which have no activation, convolutions with neither
norm nor activation, the first and the last layers dip; the drops of single layers do not add up.

A group dips if its median drop is at least twice that of the other layers and, where it has three
layers or more, a rank-sum test finds its drops larger (one-sided, p ≤ 0.05). Drops do not add up if
their sum is outside of half to twice the drop of all layers together.
"""

import dataclasses
import math
import statistics
import typing

TWICE, CLEAR = 2.0, 0.05


@dataclasses.dataclass(frozen=True)
class Finding:
    layers: int
    ratio: typing.Optional[float]  # of medians, or R; None: there is no such layer
    p: typing.Optional[float]
    holds: typing.Optional[bool]


def rank_sum(group, others):
    """One-sided p that `group` is not larger: normal approximation of Mann and Whitney's test, with
    ranks shared by what is equal."""
    every = sorted(group + others)
    rank = {value: 1 + every.index(value) + (every.count(value) - 1) / 2 for value in set(every)}
    n, m = len(group), len(others)
    u = sum(rank[value] for value in group) - n * (n + 1) / 2
    spread = math.sqrt(n * m * (n + m + 1) / 12)
    return 0.5 * math.erfc((u - n * m / 2 - 0.5) / spread / math.sqrt(2))


def group(layers, belongs):
    inside = [layer["drop"] for layer in layers if belongs(layer)]
    others = [layer["drop"] for layer in layers if not belongs(layer)]
    if not inside or not others:
        return Finding(len(inside), None, None, None)
    middle = statistics.median(others)
    ratio = statistics.median(inside) / middle if middle > 0 else math.inf
    p = rank_sum(inside, others) if len(inside) >= 3 else None
    return Finding(len(inside), ratio, p, ratio >= TWICE and (p is None or p <= CLEAR))


def places(layer):
    return layer["place"].split(", ")


def is_exit(layer):
    """With a norm, as all exits have: strata also calls convolutions of squeeze-and-excitation so
    where their bias is an Add behind them."""
    return "BatchNormalization" in layer["operators"] and any(
        word in ("exit of MBConv", "exit of fused MBConv") for word in places(layer))


def find(run):
    """Figures of the findings by name; `run` is what `strata sensitivity --format json` prints."""
    layers = [layer for layer in run["tables"]["layers"]["rows"] if layer["drop"] is not None]
    added_up = run["facts"]["additivity"]
    return {
        "exits": group(layers, is_exit),
        "neither": group(layers, lambda layer: layer["operators"] == "Conv"),
        "first": group(layers, lambda layer: "first" in places(layer)),
        "last": group(layers, lambda layer: "last" in places(layer)),
        "sum": Finding(len(layers), added_up, None,
                       None if added_up is None else not 0.5 <= added_up <= 2),
    }
