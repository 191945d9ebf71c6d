"""The memory of a training step by phase, as the native core found it in the recording."""

from __future__ import annotations

from typing import Any, NamedTuple


class PhasePeak(NamedTuple):
    """The most memory that a phase holds at once, and what it consists of, in bytes.

    `activations` are what autograd keeps for the backward pass, and the inputs; `other` is all else that
    is alive at that moment: results in use, temporary tensors, gradients on their way.
    """

    phase: str
    peak_bytes: int
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
    return [PhasePeak(*(each[name] for name in PhasePeak._fields)) for each in memory["phases"]]
