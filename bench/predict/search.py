"""A search along the axes and diagonals of a few constants, for losses that have kinks."""

from __future__ import annotations

import collections.abc

import numpy


def search(loss: collections.abc.Callable[[numpy.ndarray], float], start: numpy.ndarray, highest: numpy.ndarray,
           step: float = 0.4) -> numpy.ndarray:  # fmt: skip
    axes = numpy.eye(len(start))
    pairs = [axes[i] + sign * axes[j] for i in range(len(start)) for j in range(i) for sign in (1, -1)]
    directions = [sign * one for one in (*axes, *pairs) for sign in (1, -1)]
    theta, best = start.copy(), loss(start)
    while step > 0.005:
        better = False
        for direction in directions:
            there = numpy.minimum(theta + step * direction, highest)
            if (now := loss(there)) < best - 1e-9:
                theta, best, better = there, now, True
        if not better:
            step /= 2
    return theta
