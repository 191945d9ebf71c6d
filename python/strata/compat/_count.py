"""A model that ran once, and what the native core counted for it by some convention."""

from __future__ import annotations

import json
import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import nn

from .. import _native
from .._cells import AtLeast, Row
from .._models import Given, recording_name
from .._profile import Profile
from .._record import record
from .._record.written import written_out
from ._functions import FunctionNames
from ._modules import Watched, training_mode, watched

HERE = Path(__file__).resolve().parent

# The path of a model that is itself a layer, below a root that is not.
_LONE = "(model)"


def number(cell: Any) -> int:
    """A count of a row: a lower bound counts as what is known, and what is not counted as 0.

    The packages that are replaced leave out what they do not know; `Run.profile` warns of it.
    """
    if isinstance(cell, AtLeast):
        cell = cell.value
    return int(cell) if isinstance(cell, (int, float)) else 0


class Run:
    """A recorded run of a model, which can be counted by several conventions."""

    def __init__(
        self,
        model: Any,
        recording: bytes,
        watch: Watched | None = None,
        functions: Mapping[int, str] | None = None,
    ) -> None:
        self.model, self.recording, self.watch = model, recording, watch
        self.functions = functions or {}  # of recorded calls, where the function matters

    def profile(self, count: str, **options: Any) -> Profile:
        """`strata stat --count COUNT` with options on the recording; COUNT may be a file beside this one."""
        own = HERE / f"{count}.json"
        name = recording_name(self.model)
        if options.get("report") != "none":
            options.setdefault("columns", "layer,type,call,macs,flops,read,write")
        # Work on constants is work for the others, which count what runs.
        options.update(count=own if own.is_file() else count, load_work=count != "strata")
        given = Given(f"memory:{name}", {name: self.recording})
        profile = Profile(_native.run(given.request("stat", **options)), given, count)
        unknown = profile.facts.get("unknown_ops")
        if unknown:
            warnings.warn(f"strata does not know what these operators cost, and they count as 0: {unknown}", stacklevel=3)
        return profile

    def rows(self, count: str, **options: Any) -> list[Row]:
        """The rows of `profile`; those of a model without children have its path, which is empty."""
        rows = self.profile(count, **options).rows
        return [Row({**row, "layer": ""}) if row.get("layer") == _LONE else row for row in rows]

    def with_leaves(self, known: Callable[[nn.Module], bool]) -> Run:
        """The run with the operators of leaf modules that are not `known` as their parents' own."""
        modules = dict(self.model.named_modules(remove_duplicate=False))
        document = written_out(self.recording)
        entries = document["modules"]
        holders = {parent for _, _, parent, *_ in entries}
        foreign = {
            at
            for at, (path, *_) in enumerate(entries)
            if at > 0 and at not in holders and path in modules and not known(modules[path])
        }
        if not foreign:
            return self
        for call in document["calls"]:
            if call[4] in foreign:
                call[4] = entries[call[4]][2]
        document["leaves"] = [leaf for leaf in document["leaves"] if leaf[0] not in foreign]
        return Run(self.model, json.dumps(document).encode(), self.watch, self.functions)


def run(
    model: nn.Module,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    training: bool | None = None,
    grad: bool = False,
    values: bool = False,
) -> Run:
    """Records `model(*args, **kwargs)` in the given mode, with or without gradients switched on.

    With `values`, the tensors are real and the operators those that the device runs; else the functions
    that the model calls are what is recorded, where both differ.
    """
    given = dict(kwargs or {})
    if values:
        with training_mode(model, training), watched(model) as watch:
            recording = record(model, list(args), kwargs=given, grad=grad, plain=True, mode="real")
        return Run(model, recording, watch)
    names = FunctionNames()
    with training_mode(model, training), watched(model) as watch, names:
        recording = record(model, list(args), kwargs=given, grad=grad, plain=True)
    recording, functions = names.rewritten(recording)
    recording = _with_open_buffers(recording)
    if next(model.children(), None) is None:
        recording = _below_a_root(recording)
    return Run(model, recording, watch, functions)


def _below_a_root(recording: bytes) -> bytes:
    """The recording of a lone layer with the layer as the one child of a root: a root is not a layer."""
    document = written_out(recording)
    calls = [[_LONE, kind, parent + 1, number] for _, kind, parent, number in document["modules"]]
    document["modules"] = [["", "Model", -1, 0], *calls]
    for call in document["calls"]:
        call[4] += 1
    for leaf in document["leaves"]:
        leaf[0] += 1
    document["parameters"] = [[number, name, _LONE, *rest] for number, name, _, *rest in document["parameters"]]
    return json.dumps(document).encode()


def _with_open_buffers(recording: bytes) -> bytes:
    """The recording with buffers of whole numbers, such as position ids, as inputs: what is computed from
    them alone is work for the packages that are replaced, and not a constant."""
    if not re.search(rb'\["u?int\d+", ?\[\d', recording):
        return recording
    document = written_out(recording)
    tensors = document["tensors"]
    whole = [b for b in document["buffers"] if "int" in tensors[b[0]][0] and tensors[b[0]][1]]
    if not whole:
        return recording
    document["buffers"] = [each for each in document["buffers"] if each not in whole]
    document["inputs"] += whole
    return json.dumps(document).encode()


def by_module(rows: Sequence[Row], model: nn.Module, metric: str) -> dict[nn.Module, int]:
    """The sum of each module's rows, over all its calls."""
    modules = dict(model.named_modules(remove_duplicate=False))
    sums: dict[nn.Module, int] = defaultdict(int)
    for row in rows:
        module = modules.get(row.layer)
        if module is not None:
            sums[module] += number(row.get(metric))
    return sums
