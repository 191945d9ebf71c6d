"""The memory of a training step by phase, from a recording's storages.

A storage is taken by the call that makes its first tensor and given back when the last tensor or saved
tensor that looks at it is gone. Weights, buffers and inputs are there from the start.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Union

PHASES = ("forward", "backward", "optimizer")
ROLES = ("weights", "gradients", "optimizer state", "activations", "other")


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


def saved_activations(recording: Union[bytes, dict[str, Any]]) -> dict[int, int]:
    """Bytes that autograd keeps for the backward pass, by module call; each storage at the first that keeps it.

    Weights are not counted: they are kept anyway.
    """
    made = _read(recording)
    fixed = _of_tensors(made, [row[0] for row in made["parameters"] + made["buffers"]])
    seen = set(fixed)
    by_module: dict[int, int] = {}
    for tensor, module in made.get("saved", []):
        storage = made["tensors"][tensor][3]
        if storage not in seen:
            seen.add(storage)
            by_module[module] = by_module.get(module, 0) + made["storages"][storage][0]
    return by_module


def memory_by_phase(recording: Union[bytes, dict[str, Any]]) -> list[PhasePeak]:
    """The peak of each phase of a recorded training step."""
    made = _read(recording)
    sizes = [size for size, _ in made["storages"]]
    roles = _roles(made)
    freed: dict[int, list[int]] = {}
    for storage, after in made["frees"]:
        freed.setdefault(after, []).append(storage)
    held = dict.fromkeys(ROLES, 0)
    alive = set()

    def take(storage: int) -> None:
        if storage not in alive and storage not in gone:
            alive.add(storage)
            held[roles[storage]] += sizes[storage]

    gone: set[int] = set()
    for row in made["parameters"] + made["buffers"] + made["inputs"]:
        take(made["tensors"][row[0]][3])
    peaks: dict[int, dict[str, int]] = {}
    for number, (_, _, _, outputs, _, phase) in enumerate(made["calls"]):
        for output in outputs:
            if output is not None:
                take(made["tensors"][output][3])
        place = 1 if phase == 3 else phase
        if place not in peaks or sum(held.values()) > sum(peaks[place].values()):
            peaks[place] = dict(held)
        for storage in freed.get(number, []):
            gone.add(storage)
            if storage in alive:
                alive.remove(storage)
                held[roles[storage]] -= sizes[storage]
    return [PhasePeak(PHASES[phase], sum(peak.values()), *(peak[role] for role in ROLES))
            for phase, peak in sorted(peaks.items())]


def _read(recording: Union[bytes, dict[str, Any]]) -> dict[str, Any]:
    return recording if isinstance(recording, dict) else json.loads(recording)


def _of_tensors(made: dict[str, Any], tensors: list[int]) -> list[int]:
    return [made["tensors"][tensor][3] for tensor in tensors]


def _roles(made: dict[str, Any]) -> list[str]:
    """What each storage is for; the first of the roles that fits."""
    roles = ["other"] * len(made["storages"])
    groups = [
        ("activations", _of_tensors(made, [row[0] for row in made["inputs"] + made.get("saved", [])])),
        ("optimizer state", made.get("optimizer", {}).get("state", [])),
        ("gradients", made.get("gradients", [])),
        ("weights", _of_tensors(made, [row[0] for row in made["parameters"] + made["buffers"]])),
    ]
    for role, storages in groups:
        for storage in storages:
            roles[storage] = role
    return roles
