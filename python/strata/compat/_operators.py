"""The core's counts for every recorded call of an operator, with the module that made it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .._record.written import written_out
from ._count import Run, number


@dataclass(frozen=True)
class OperatorCount:
    """A call of an operator. `path` is the module that runs, `callers` are the modules around it."""

    name: str  # `addmm.default`
    path: str
    callers: tuple[str, ...]
    macs: int
    flops: int
    inputs: list[Any]
    outputs: list[Any]
    function: str | None = None  # the function of torch that made the call, where it matters

    @property
    def operator(self) -> str:
        """`addmm`: the operator without its overload."""
        return self.name.split(".")[0]


@dataclass(frozen=True)
class Value:
    """An argument as the handles of fvcore take it, which ask a traced value for its sizes."""

    sizes: list[int] | None
    constant: Any = None

    def type(self) -> _Type:
        return _Type(self.sizes or [])

    def isCompleteTensor(self) -> bool:  # noqa: N802
        return self.sizes is not None

    def isNone(self) -> bool:  # noqa: N802
        return self.sizes is None and self.constant is None

    def toIValue(self) -> Any:  # noqa: N802
        return self.constant


@dataclass(frozen=True)
class _Type:
    _sizes: list[int]

    def sizes(self) -> list[int]:
        return list(self._sizes)

    def dim(self) -> int:
        return len(self._sizes)


def operator_counts(taken: Run, count: str) -> Iterator[OperatorCount]:
    """Every recorded call in its order."""
    recording = written_out(taken.recording)
    tensors = recording["tensors"]
    chains = _chains(recording["modules"])
    rows = Run(taken.model, _without_modules(recording)).profile(count, report="node", all=True).rows
    counts = {row.layer: row for row in rows}
    names = _node_names(recording["calls"])

    def value(argument: Any) -> Value:
        if isinstance(argument, dict) and "t" in argument:
            return Value(tensors[argument["t"]][1])
        return Value(None, argument)

    for at, (name, args, _, outputs, module, *_) in enumerate(recording["calls"]):
        row = counts.get(names[at])
        yield OperatorCount(
            name.split(".", 1)[1],
            chains[module][-1],
            chains[module],
            number(row.get("macs")) if row else 0,
            number(row.get("flops")) if row else 0,
            [value(argument) for argument in args],
            [Value(None if out is None else tensors[out][1]) for out in outputs],
            taken.functions.get(at),
        )


def _without_modules(recording: dict[str, Any]) -> bytes:
    """The recording with all calls in the root: a convention then counts operators one by one, and not
    a module such as nn.MultiheadAttention as a whole."""
    calls = [[*call[:4], 0, *call[5:]] for call in recording["calls"]]
    # A tensor that existed before the call is an input: work on it was done, unlike a constant's.
    made = {out for call in calls for out in call[3]}
    known = {entry[0] for group in ("parameters", "buffers", "inputs") for entry in recording[group]}
    found = [number for number in range(len(recording["tensors"])) if number not in made | known]
    inputs = [*recording["inputs"], *([number, f"tensor.{number}"] for number in found)]
    changed = {"modules": recording["modules"][:1], "calls": calls, "leaves": [], "inputs": inputs}
    return json.dumps({**recording, **changed}).encode()


def _chains(modules: list[list[Any]]) -> list[tuple[str, ...]]:
    """For each module call the paths from the root to it."""
    chains: list[tuple[str, ...]] = []
    for path, _, parent, *_ in modules:
        chains.append((path,) if parent < 0 else (*chains[parent], path))
    return chains


def _node_names(calls: list[list[Any]]) -> list[str]:
    """The names that the core gives to recorded calls, as torch.fx does: `add`, `add_1`.

    >>> _node_names([["aten.add.Tensor"], ["aten.mm.default"], ["aten.add.Scalar"]])
    ['add', 'mm', 'add_1']
    """
    seen: dict[str, int] = {}
    names = []
    for call in calls:
        operator = call[0].split(".")[1]
        number = seen[operator] = seen.get(operator, -1) + 1
        names.append(f"{operator}_{number}" if number else operator)
    return names
