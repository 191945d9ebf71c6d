"""The functions of torch that a model calls, which the operators below them do not tell.

`adaptive_avg_pool2d` to one position runs as a mean, `matmul` as `bmm` or `mm`. The tools that are
replaced see the function, so its name is kept for each recorded call, and the pool stays a pool.
"""

from __future__ import annotations

import json
from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from .._record.written import written_out

# The functions whose names matter, and the names that they have in a traced graph.
_KEPT = {
    "matmul": "matmul", "__matmul__": "matmul", "__rmatmul__": "matmul", "linear": "linear",
    "mm": "mm", "bmm": "bmm", "addmm": "addmm", "baddbmm": "baddbmm", "instance_norm": "instance_norm",
    "multi_head_attention_forward": "multi_head_attention_forward",
}  # fmt: skip
_POOLS = {
    functional.adaptive_avg_pool2d: (torch.ops.aten._adaptive_avg_pool2d, 2),
    functional.adaptive_avg_pool3d: (torch.ops.aten._adaptive_avg_pool3d, 3),
}


_RECURRENT = {
    "lstm": "aten.lstm.input", "gru": "aten.gru.input", "rnn_tanh": "aten.rnn_tanh.input",
    "rnn_relu": "aten.rnn_relu.input",
}  # fmt: skip
_ATTENTION = getattr(functional, "scaled_dot_product_attention", None)


def _written(tape: Any, value: Any) -> Any:
    """An argument as a recording has it."""
    if isinstance(value, torch.Tensor):
        return {"t": tape.tag(value)[0]}
    if isinstance(value, list):
        return [_written(tape, each) for each in value]
    return {"s": value} if isinstance(value, str) else value


def _tape() -> Any:
    """The tape of the recorder that is running, or None."""
    if hasattr(torch._C, "_get_torch_dispatch_mode"):
        mode = torch._C._get_torch_dispatch_mode()
    else:
        from torch.utils._python_dispatch import _get_current_dispatch_mode

        mode = _get_current_dispatch_mode()
    return getattr(mode, "tape", None)


def _calls_so_far() -> int:
    """How many calls the recorder has on its tape."""
    tape = _tape()
    return -1 if tape is None else len(tape.calls)


class FunctionNames(TorchFunctionMode):
    """Notes for ranges of recorded calls which function made them; use as a context around a run."""

    def __init__(self) -> None:
        super().__init__()
        self.ranges: list[tuple[int, int, str]] = []
        # Calls that are written as one: from, to, operator, arguments, and the tensors that it makes.
        self.whole: list[tuple[int, int, str, list[Any], list[int]]] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        pool = _POOLS.get(func)
        if pool is not None:
            return self._pool(func, pool, args, kwargs)
        if func is torch.einsum and args and isinstance(args[0], str):
            operands = args[1] if len(args) == 2 and isinstance(args[1], (list, tuple)) else args[1:]
            return self._as_one(func, "aten.einsum.default", [args[0], list(operands)], args, kwargs)
        recurrent = _RECURRENT.get(getattr(func, "__name__", ""))
        if recurrent is not None and len(args) == 9:
            taken = [args[0], *(list(each) if isinstance(each, (list, tuple)) else each for each in args[1:])]
            return self._as_one(func, recurrent, taken, args, kwargs)
        if func is _ATTENTION:
            given = {**dict(zip(("query", "key", "value", "attn_mask"), args)), **kwargs}
            tensors = [given[name] for name in ("query", "key", "value")] + [given.get("attn_mask")]
            operator = "aten.scaled_dot_product_attention.default"
            return self._as_one(func, operator, tensors, args, kwargs)
        name = _KEPT.get(getattr(func, "__name__", ""))
        before = _calls_so_far() if name is not None else -1
        heads = func is functional.multi_head_attention_forward and _ATTENTION is not None
        result = self._heads(func, args, kwargs) if heads else func(*args, **kwargs)
        if before >= 0 and name is not None:
            self.ranges.append((before, _calls_so_far(), name))
        return result

    def _heads(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Runs nn.MultiheadAttention's function, inside of which a mode sees nothing, and notes its attention."""
        before = functional.scaled_dot_product_attention
        if before is not _ATTENTION:
            return func(*args, **kwargs)

        def attention(*tensors: Any, **how: Any) -> Any:
            return self.__torch_function__(_ATTENTION, (), tensors, how)

        functional.scaled_dot_product_attention = attention
        try:
            return func(*args, **kwargs)
        finally:
            functional.scaled_dot_product_attention = before

    def _pool(self, func: Any, pool: tuple[Any, int], args: Any, kwargs: Any) -> Any:
        """Runs the pool's own operator also where torch would take a mean."""
        operator, axes = pool
        names = ("input", "output_size")
        given = {**dict(zip(names, args)), **kwargs}
        image, size = given["input"], given["output_size"]
        sizes = [size] * axes if isinstance(size, int) else list(size)
        whole = [s if s is not None else image.shape[at - axes] for at, s in enumerate(sizes)]
        if _calls_so_far() < 0 or any(s != 1 for s in whole):
            return func(*args, **kwargs)
        return operator(image, whole)

    def _as_one(self, func: Any, operator: str, taken: list[Any], args: Any, kwargs: Any) -> Any:
        """Runs a function of several operators that is to be one call in the recording."""
        tape = _tape()
        if tape is None:
            return func(*args, **kwargs)
        before = _calls_so_far()
        written = [_written(tape, each) for each in taken]
        result = func(*args, **kwargs)
        if _calls_so_far() > before:
            results = result if isinstance(result, tuple) else (result,)
            made = [tape.tag(each)[0] for each in results]
            self.whole.append((before, _calls_so_far(), operator, written, made))
        return result

    def names(self) -> dict[int, str]:
        """The function of each recorded call that has one."""
        return {at: name for first, end, name in self.ranges for at in range(first, end)}

    def rewritten(self, recording: bytes) -> tuple[bytes, dict[int, str]]:
        """The recording with the one call that the model made for each einsum, attention and recurrent layer,
        and the names of functions for it."""
        names = self.names()
        if not self.whole:
            return recording, names
        document = written_out(recording)
        calls: list[Any] = []
        moved: dict[int, int] = {}
        starts = {first: (end, operator, taken, made) for first, end, operator, taken, made in self.whole}
        at = 0
        while at < len(document["calls"]):
            call = document["calls"][at]
            moved[at] = len(calls)
            if at in starts:
                end, operator, taken, made = starts[at]
                calls.append([operator, taken, {}, made, *call[4:]])
                moved.update((inner, len(calls) - 1) for inner in range(at, end))
                at = end
            else:
                calls.append(call)
                at += 1
        moved[at] = len(calls)
        document["calls"] = calls
        for leaf in document["leaves"]:
            if len(leaf) > 3:
                leaf[3] = moved[leaf[3]]
        document["frees"] = [[storage, moved.get(after, after)] for storage, after in document.get("frees", [])]
        return json.dumps(document).encode(), {moved[at]: name for at, name in names.items()}
