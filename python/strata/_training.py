"""The memory of a training step by phase, as the native core found it in the recording."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._cells import AtLeast


class PhasePeak(NamedTuple):
    """The most memory that a phase holds at once, and what it consists of, in bytes.

    `activations` are what autograd keeps for the backward pass, and the inputs; `other` is all else that
    is alive at that moment: results in use, temporary tensors, gradients on their way. If the run takes memory
    that the recording does not see, the peak is an AtLeast, and its parts are those of the memory that is seen.
    """

    phase: str
    peak_bytes: int | AtLeast
    weights: int
    gradients: int
    optimizer_state: int
    activations: int
    other: int


def phase_peaks(memory: dict[str, Any]) -> list[PhasePeak]:
    """Those of a profile's `facts["memory"]`.

    >>> phase_peaks({"phases": [{"phase": "forward", "peak_bytes": 12, "weights": 4, "gradients": 0,
    ...                          "optimizer_state": 0, "activations": 8, "other": 0}]})[0].activations
    8
    """
    bound = memory.get("certainty", "exact") != "exact"
    peaks = []
    for each in memory["phases"]:
        parts = {name: each[name] for name in PhasePeak._fields}
        if bound:
            parts["peak_bytes"] = AtLeast(each["peak_bytes"])
        peaks.append(PhasePeak(**parts))
    return peaks
