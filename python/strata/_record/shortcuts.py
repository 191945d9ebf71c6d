"""Calls of torch's own leaf modules that were seen before: what they put on the tape is put there again.

A call of, say, an nn.Linear with the same kinds of tensors and the same settings makes the same operator
calls with other numbers. They are learnt from the first such call, which runs as any other, and written
again without running the module. Modules with hooks, subclasses and changed classes run as they are.
"""
from __future__ import annotations

import json
from operator import attrgetter
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import nn

from .inputs import tensors_in
from .plan import Planned
from .tape import Kind, Tape, call_row

_META = torch.device("meta")
_empty = torch.empty_strided
_unseen = torch._C._DisableTorchDispatch
_pooling = ("kernel_size", "stride", "padding")
_convolution = ("stride", "padding", "dilation", "groups", "padding_mode")
_norm = ("training", "momentum", "eps", "track_running_stats")



def _new_inside(kind: Kind) -> torch.Tensor:
    with _unseen():
        return _empty(kind.shape, kind.strides, dtype=kind.dtype, device=_META)


def _new_beside(kind: Kind) -> torch.Tensor:
    guard = _unseen()  # torch 1.13: lasts as long as the object
    result = _empty(kind.shape, kind.strides, dtype=kind.dtype, device=_META)
    del guard
    return result


# Makes a tensor that the dispatch mode does not see.
new_unseen = _new_inside if hasattr(_unseen, "__enter__") else _new_beside

# The classes, and the settings on which their calls depend, beside their tensors.
_SETTINGS: Dict[type, Tuple[str, ...]] = {
    nn.Linear: ("in_features",),
    nn.Conv1d: _convolution, nn.Conv2d: _convolution, nn.Conv3d: _convolution,
    nn.BatchNorm1d: _norm, nn.BatchNorm2d: _norm, nn.BatchNorm3d: _norm,
    nn.LayerNorm: ("normalized_shape", "eps"), nn.GroupNorm: ("num_groups", "eps"),
    nn.ReLU: ("inplace",), nn.ReLU6: ("inplace", "min_val", "max_val"), nn.SiLU: ("inplace",),
    nn.GELU: ("approximate",), nn.Hardswish: ("inplace",), nn.Hardsigmoid: ("inplace",),
    nn.Sigmoid: ("training",), nn.Tanh: ("training",), nn.LeakyReLU: ("negative_slope", "inplace"),
    nn.Dropout: ("training", "p", "inplace"), nn.Dropout2d: ("training", "p", "inplace"),
    nn.Identity: ("training",), nn.Flatten: ("start_dim", "end_dim"),
    nn.MaxPool2d: (*_pooling, "dilation", "return_indices", "ceil_mode"),
    nn.AvgPool2d: (*_pooling, "ceil_mode", "count_include_pad", "divisor_override"),
    nn.AdaptiveAvgPool2d: ("output_size",),
    nn.Embedding: ("padding_idx", "max_norm", "scale_grad_by_freq", "sparse"),
}
if hasattr(nn, "RMSNorm"):
    _SETTINGS[nn.RMSNorm] = ("normalized_shape", "eps")
# Modules whose class says all: the functions that make their calls, as they were when this was imported.
_CLASSES: Dict[type, Tuple[Any, Callable[[Any], Any]]] = {
    kind: (kind.forward, attrgetter(*names) if len(names) > 1 else attrgetter(names[0]))
    for kind, names in _SETTINGS.items()}

# How the result of a call is made: of a kind, or it is the module's input itself.
_FRESH, _SAME = 0, 1


class Strip(NamedTuple):
    """The entries that one call of a leaf module puts on the tape, with gaps for the numbers."""

    # Patterns, tensors and results: n ≥ 0 is the n-th new tensor, ~n the n-th that is given.
    calls: List[Tuple[str, List[int], List[int]]]
    tensors: List[Tuple[Kind, int]]  # kinds and storages: n ≥ 0 the n-th new one, ~n a given one
    storages: List[str]
    frees: List[Tuple[int, int]]  # storages that ended during the call, and after which of its calls
    out: int  # the result: the n-th new tensor, or -1 for the input as it came
    how: int
    kind: Kind


_strips: Dict[Tuple[Any, ...], Optional[Strip]] = {}


class Shortcuts:
    """The shortcuts of one recording."""

    def __init__(self, tape: Tape):
        self.tape = tape
        everywhere = nn.modules.module
        hooks = everywhere._global_forward_hooks or everywhere._global_forward_pre_hooks
        self.classes = {kind: settings for kind, (forward, settings) in _CLASSES.items()
                        if kind.forward is forward and not hooks}

    def call(self, module: nn.Module, planned: Planned, given: Any) -> Any:
        tape = self.tape
        tag = getattr(given, "_strata", None)
        own = module.__dict__
        if (tag is None or tag[3] is not tape.mark or type(given) is not torch.Tensor or own["_forward_hooks"]
                or own["_forward_pre_hooks"] or "forward" in own):
            return self._plainly(module, given)
        try:
            key = (type(module), tag[1], planned.kinds, self.classes[type(module)](module))
            strip = _strips.get(key, False)
        except TypeError:  # a setting that is a list
            return self._plainly(module, given)
        if strip is None:
            return self._plainly(module, given)
        if strip is False:
            return self._learn(module, planned, given, key)
        _, _, storage, mark = tag
        if strip.out < 0:
            number = tag[0]
            tape.leaves.append(f"[{tape.module},[{number}],[{number}],{len(tape.calls)}]")
            return given
        calls, tensors, storages = tape.calls, tape.tensors, tape.storages
        first, first_storage, first_call = len(tensors), len(storages), len(calls)
        numbers = (tag[0], *planned.numbers)
        places = (storage.number, *planned.storages)
        made = storage
        if strip.how == _FRESH:
            made = tape.storage(first_storage + strip.tensors[strip.out][1])
        for pattern, taken, results in strip.calls:
            given_numbers = [first + gap if gap >= 0 else numbers[~gap] for gap in taken]
            outs = str(first + results[0]) if len(results) == 1 else ",".join(str(first + gap) for gap in results)
            calls.append(call_row(tape.patterns[pattern], given_numbers, outs, tape.module, tape.phase))
        kinds = tape.kinds
        for kind, place in strip.tensors:
            tensors.append(f"[{kinds[kind]},{first_storage + place if place >= 0 else places[~place]}]")
        if strip.storages:
            storages.extend(strip.storages)
            for place, after in strip.frees:
                tape.frees.append(f"[{first_storage + place},{first_call + after}]")
        kind = strip.kind
        if strip.how == _SAME:
            given._strata = (first + strip.out, kind, storage, mark)
            return given
        result = new_unseen(kind)
        result._strata = (first + strip.out, kind, made, mark)
        return result

    def _plainly(self, module: nn.Module, given: Any) -> Any:
        tape = self.tape
        calls, modules = len(tape.calls), len(tape.modules)
        result = module._call_impl(given)
        if len(tape.calls) == calls and len(tape.modules) == modules:
            # An nn.Identity passes on whatever it is given: None, a tuple, an object.
            tape.leaf(tape.module, [one for one, _ in tensors_in(given)], [one for one, _ in tensors_in(result)])
        return result

    def _learn(self, module: nn.Module, planned: Planned, given: Any, key: Tuple[Any, ...]) -> Any:
        tape = self.tape
        before = tape.tag(given)
        starts = [len(part) for part in (tape.calls, tape.tensors, tape.storages, tape.frees)]
        larger = len(tape.larger)
        joins, tape.joins = tape.joins, False
        try:
            result = self._plainly(module, given)
        finally:
            tape.joins = joins
        if len(_strips) > 20_000:
            _strips.clear()
        _strips[key] = None if len(tape.larger) > larger else self._strip(planned, before, given, result, starts)
        return result

    def _strip(self, planned: Planned, before: Any, given: Any, result: Any, starts: List[int]) -> Optional[Strip]:
        """The strip of the call that just ran, or None where it cannot be written again."""
        tape = self.tape
        if type(result) is not torch.Tensor or not result.is_meta:
            return None
        after = tape.tag(result)
        calls, tensors, storages, frees = (part.since(start) for part, start in zip(
            (tape.calls, tape.tensors, tape.storages, tape.frees), starts))
        if result is given and after[0] == before[0]:
            return None if calls else Strip([], [], [], [], -1, _SAME, after[1])
        how = _SAME if result is given else _FRESH
        numbers = (before[0], *planned.numbers)
        if how == _FRESH and after[2].number < starts[2]:
            return None  # a view of the input
        patterns = list(tape.patterns)
        written: List[Tuple[str, List[int], List[int]]] = []
        for call in calls:
            pattern, taken, results, *_ = json.loads(call)
            if any(number is None or number < starts[1] for number in results):
                return None
            if any(number < starts[1] and number not in numbers for number in taken):
                return None
            gaps = [number - starts[1] if number >= starts[1] else ~numbers.index(number) for number in taken]
            written.append((patterns[pattern], gaps, [number - starts[1] for number in results]))
        places = (before[2].number, *planned.storages)
        kinds = list(tape.kinds)
        rows: List[Tuple[Kind, int]] = []
        for tensor in tensors:
            kind, place, *offset = json.loads(tensor)
            if offset or (place < starts[2] and place not in places):
                return None
            rows.append((kinds[kind], place - starts[2] if place >= starts[2] else ~places.index(place)))
        ends = [json.loads(end) for end in frees]
        if any(storage < starts[2] for storage, _ in ends):
            return None
        return Strip(written, rows, storages, [(storage - starts[2], call - starts[0]) for storage, call in ends],
                     after[0] - starts[1], how, after[1])
