"""Which of several ways to do the same is faster: by turns, and surely so or not."""

from __future__ import annotations

import math
import time
from typing import Any, Callable, NamedTuple, Sequence


class Speedup(NamedTuple):
    """How many times as fast, as the median of the ratios of neighbouring runs, with a 95 % interval."""

    median: float
    low: float
    high: float
    runs: int
    least: float = 0.0

    @property
    def is_sure(self) -> bool:
        """True if the interval lies above 1."""
        return self.low > 1

    @property
    def is_likely(self) -> bool:
        """True if it is sure, or was at least 3 % in each of a few runs, which are all that a slow module gets."""
        return self.is_sure or 3 <= self.runs < 6 and self.least > 1.03

    def __str__(self) -> str:
        if self.runs < 6:
            return f"{self.median:.2f}× (at least {self.least:.2f} in {self.runs} pairs of runs)"
        return f"{self.median:.2f}× ({self.low:.2f} to {self.high:.2f}, {self.runs} pairs of runs)"


def rank_for(count: int, confidence: float = 0.95) -> int:
    """How many of the smallest of `count` values lie below the interval for their median; -1: too few values.

    Each value is above the true median with probability one half, whatever its distribution.

    >>> [rank_for(count) for count in (5, 6, 10, 20)]
    [-1, 0, 1, 5]
    """
    below, rank = 0.0, -1
    for k in range(count // 2):
        below += math.comb(count, k) / 2**count
        if 2 * below > 1 - confidence:
            break
        rank = k
    return rank


def speedup_of(ratios: Sequence[float]) -> Speedup:
    """From ratios old / new. With fewer than six, nothing is sure."""
    ordered = sorted(ratios)
    count = len(ordered)
    middle = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    rank = rank_for(count)
    low, high = (0.0, math.inf) if rank < 0 else (ordered[rank], ordered[count - 1 - rank])
    return Speedup(middle, low, high, count, ordered[0])


def clock_for(threads: int) -> Callable[[], float]:
    """At one thread, the processor time of this process, which other work on the machine does not lengthen."""
    return time.process_time if threads == 1 else time.perf_counter


def by_turns(
    old: Callable[[], Any], others: Sequence[Callable[[], Any]], threads: int, seconds: float, fewest: int = 6,
    most: int = 40,
) -> list[Speedup]:  # fmt: skip
    """Speedups of `others` over `old`. All take turns, in an order that alternates, so that all meet the same machine."""
    clock = clock_for(threads)
    for each in (old, *others):
        each()
    ratios: list[list[float]] = [[] for _ in others]
    start = time.perf_counter()
    while len(ratios[0]) < most and (len(ratios[0]) < fewest or time.perf_counter() - start < seconds):
        times = {}
        ways = list(enumerate((old, *others)))
        for number, way in ways if len(ratios[0]) % 2 == 0 else reversed(ways):
            began = clock()
            way()
            times[number] = max(clock() - began, 1e-9)
        for number in range(len(others)):
            ratios[number].append(times[0] / times[number + 1])
    return [speedup_of(each) for each in ratios]
