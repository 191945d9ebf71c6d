"""flex_attention: an operator that is given functions, and a mask of blocks that are computed or skipped.

The recording has it as one call with its query, key and value, and with `scores`: how many scores lie in the
blocks that the mask lists, for all batches and heads. Without that number the mask was not known.
"""
from __future__ import annotations

import sys
from contextlib import contextmanager
from copy import copy
from inspect import signature
from types import FunctionType
from typing import Any, Iterator, List, Optional

import torch

from .operators import flattened
from .shortcuts import new_unseen
from .tape import call_row, kind_of, meta_kind

Tensor = torch.Tensor
NAMES = ("flex_attention", "flex_attention_backward")
_MODULE = "torch.nn.attention.flex_attention"


@contextmanager
def uncompiled() -> Iterator[None]:
    """Lets flex_attention call its operator without compiling it first, and on any device: torch has no backward
    pass of it on the CPU, and a recording is often made for another one."""
    module = sys.modules.get(_MODULE)
    instead = {"_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG": True, "_validate_device": lambda *_, **__: None}
    before = {name: getattr(module, name) for name in instead if hasattr(module, name)}
    for name in before:
        setattr(module, name, instead[name])
    function = getattr(module, "flex_attention", None)
    kept = (function.__code__, function.__defaults__, function.__kwdefaults__) if function is not None else None
    if function is not None:
        # Callers hold the function itself, so that its code is replaced and not the module's name for it.
        module._strata_flex_attention = _with_mask_beside(function)  # type: ignore[union-attr]
        function.__code__, function.__defaults__, function.__kwdefaults__ = _passed_on.__code__, None, None
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)
        if function is not None and kept is not None:
            function.__code__, function.__defaults__, function.__kwdefaults__ = kept
            del module._strata_flex_attention  # type: ignore[union-attr]


def _passed_on(*args: Any, **kwargs: Any) -> Any:
    return _strata_flex_attention(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821


def _with_mask_beside(function: Any) -> Any:
    """flex_attention with the tensors of its mask where the query is; what they hold is kept beside them."""
    original = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
    original.__kwdefaults__ = function.__kwdefaults__
    names = signature(original)

    def call(*args: Any, **kwargs: Any) -> Any:
        given = names.bind(*args, **kwargs).arguments
        if given["query"].is_meta:
            mask = given.get("block_mask")
            if mask is None:
                with torch._C._DisableTorchDispatch():  # a mask that lists everything is not work of the model's
                    sizes = (torch.empty(()).expand(given[name].shape) for name in ("query", "key"))
                    mask = function.__globals__["_create_empty_block_mask"](*sizes)
            given["block_mask"] = mask = copy(mask)
            for name, value in vars(mask).items():
                if isinstance(value, Tensor) and not value.is_meta:
                    stand_in = new_unseen(meta_kind(kind_of(value)))
                    stand_in._strata_values = value  # type: ignore[attr-defined]
                    setattr(mask, name, stand_in)
        return original(**given)

    return call


def run(recorder: Any, operator: Any, args: Any, phase: int) -> Any:
    """Runs the operator, or makes what it gives where there are no values, and records it as one call."""
    backward = str(operator) == NAMES[1]
    query, key, value = args[:3]
    mask = args[9] if backward else args[4]
    if recorder.meta and recorder._unknown(args[:3], {}):
        result = _gradients(args) if backward else _outputs(query, value)
    else:
        result = operator(*args)
    scores = mask_scores(query, key, mask, recorder)
    facts: List[str] = [] if scores is None else [f'"scores":{scores}']
    if not _is_identity(args[7] if backward else args[3]):
        facts.append('"score_mod":true')
    tape = recorder.tape
    given = [query, key, value]
    if backward:
        given.insert(0, args[5] if args[5] is not None else query)
    tensors = ",".join(['{"t":%d}'] * len(given))
    text = f'["higher_order.{operator}.default",[{tensors}],{{{",".join(facts)}}}]'
    outs = []
    for one in flattened(list(result)):
        if isinstance(one, Tensor):
            tag = tape.new(kind_of(one))
            tape.mark_output(one, tag)
            outs.append(str(tag[0]))
    numbers = [tape.tag(one)[0] for one in given]
    tape.calls.append(call_row(tape.patterns[text], numbers, ",".join(outs), tape.module, phase))
    return result


def _outputs(query: Tensor, value: Tensor) -> Any:
    sizes = (*query.shape[:3], value.shape[-1])
    order = sorted(range(4), key=lambda axis: query.stride(axis), reverse=True)  # laid out as the query is
    out = query.new_empty([sizes[axis] for axis in order]).permute([order.index(axis) for axis in range(4)])
    rows = [query.new_empty(query.shape[:3], dtype=torch.float32) for _ in range(2)]
    return (out, *rows)


def _gradients(args: Any) -> Any:
    captured = tuple(torch.empty_like(one) if isinstance(one, Tensor) and one.requires_grad else None
                     for one in args[12])
    return (*(torch.empty_like(one) for one in args[:3]), captured)


def _is_identity(score_mod: Any) -> bool:
    """True if scores are left as they are: flex_attention's own function, or the graph of one that gives its input."""
    if getattr(score_mod, "__name__", "") == "_identity":
        return True
    graph = getattr(score_mod, "graph", None)
    return graph is not None and all(node.op in ("placeholder", "output") for node in graph.nodes)


def mask_scores(query: Tensor, key: Tensor, mask: Any, recorder: Any) -> Optional[int]:
    """How many scores the blocks of a mask have that are computed; None if the mask's values are not known."""
    start = 2 if isinstance(mask[0], int) else 0  # before torch 2.6, lengths were not part of it
    rows, columns = int(query.shape[2]), int(key.shape[2])
    block_rows, block_columns = mask[-3], mask[-2]
    lists = [(mask[start], mask[start + 1]), (mask[start + 2], mask[start + 3])]
    total = 0
    for counts, indices in lists:
        if counts is None:
            continue
        counts, indices = (getattr(one, "_strata_values", one) for one in (counts, indices))
        if recorder._unknown((counts, indices), {}):
            return None
        counts, indices = counts.detach().cpu().to(torch.int64), indices.detach().cpu().to(torch.int64)
        heights = _extents(torch.arange(counts.shape[-1]), block_rows, rows)
        widths = _extents(indices, block_columns, columns)
        listed = torch.arange(indices.shape[-1]) < counts.unsqueeze(-1)
        area = int(((widths * listed).sum(-1) * heights).sum())
        # One mask may serve all batches, or all heads.
        copies = int(query.shape[0]) * int(query.shape[1]) // max(1, int(counts[..., 0].numel()))
        total += area * copies
    return total


def _extents(blocks: Tensor, size: int, length: int) -> Tensor:
    """How many positions blocks have that are inside of a sequence."""
    return (length - blocks * size).clamp(0, size)
