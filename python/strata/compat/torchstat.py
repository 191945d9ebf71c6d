"""torchstat's call: `stat`, as of torchstat 0.0.7."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from ._count import number, run
from ._data_frame_text import data_frame_text, short
from ._modules import Shape

__all__ = ["ModelStat", "stat"]

_COLUMNS = [
    "module name", "input shape", "output shape", "params", "memory(MB)", "MAdd", "Flops",
    "MemRead(B)", "MemWrite(B)", "duration[%]", "MemR+W(B)",
]  # fmt: skip

_NUMBERS = ["params", "MemRead(B)", "MemWrite(B)", "MemR+W(B)"]  # the others are texts for pandas


@dataclass
class _Row:
    """A leaf module, or several of them together."""

    name: str
    input_shape: list[int] = field(default_factory=lambda: [0, 0, 0])
    output_shape: list[int] = field(default_factory=lambda: [0, 0, 0])
    params: int = 0
    memory: float = 0.0
    madd: int = 0
    flops: int = 0
    read: int = 0
    write: int = 0
    seconds: float = 0.0


class ModelStat:
    """A model and the shape of one sample of its input; `show_report()` prints the table."""

    def __init__(
        self, model: nn.Module, input_size: Any, query_granularity: int = 1, *, count: str = "torchstat"
    ) -> None:
        assert isinstance(model, nn.Module)
        assert isinstance(input_size, (tuple, list)) and len(input_size) == 3
        self._model, self._input_size, self._count = model, tuple(input_size), count
        self._query_granularity = query_granularity

    def rows(self) -> list[_Row]:
        """The leaf modules in the order of their registration, each once."""
        self._model.eval()
        image = torch.rand(1, *self._input_size)
        seconds = _leaf_seconds(self._model, image)
        taken = run(self._model, [image])
        table = taken.rows(self._count, report="calls", all=True)
        # The last call of a module counts, as in the original.
        last = {row.layer: row for row in table}
        calls = {call.path: call for call in (taken.watch.calls if taken.watch else [])}
        rows = []
        for path, module in self._model.named_modules():
            if next(module.children(), None) is not None:
                continue
            row = _Row(path)
            call, counts = calls.get(path), last.get(path)
            if call is not None:
                given = call.inputs[0] if call.inputs else None
                row.params = sum(p.numel() for p in module._parameters.values() if p is not None)
                row.input_shape = _without_batch(given) or row.input_shape
                row.output_shape = _without_batch(call.outputs) or row.output_shape
                row.memory = _product(row.output_shape) * 4 / 1024**2
                row.seconds = seconds.get(path, 0.0)
            if counts is not None:
                row.madd, row.flops = number(counts.get("flops")), number(counts.get("macs"))
                row.read, row.write = number(counts.get("read")), number(counts.get("write"))
            rows.append(row)
        return rows

    def show_report(self) -> None:
        print(report_format(_grouped(self.rows(), self._query_granularity)))


def stat(model: nn.Module, input_size: Any, query_granularity: int = 1, *, count: str = "torchstat") -> None:
    """Prints the leaf modules of a model with their costs; `input_size` has no batch.

    A higher `query_granularity` puts modules together by their containers, from the leaves upwards.
    """
    ModelStat(model, input_size, query_granularity, count=count).show_report()


def _without_batch(value: Any) -> list[int]:
    return list(value.sizes[1:]) if isinstance(value, Shape) else []


def _product(sizes: list[int]) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result


def _leaf_seconds(model: nn.Module, image: torch.Tensor) -> dict[str, float]:
    """How long each leaf module takes in one run, for the column of shares."""
    import time

    seconds: dict[str, float] = {}
    begun: dict[nn.Module, float] = {}
    handles = []
    for path, module in model.named_modules():
        if next(module.children(), None) is None:
            def enter(module: nn.Module, _: Any) -> None:
                begun[module] = time.perf_counter()

            def leave(module: nn.Module, _: Any, __: Any, path: str = path) -> None:
                seconds[path] = time.perf_counter() - begun[module]

            handles += [module.register_forward_pre_hook(enter), module.register_forward_hook(leave)]
    try:
        with torch.no_grad():
            model(image)
    finally:
        for handle in handles:
            handle.remove()
    return seconds


def _grouped(rows: list[_Row], granularity: int) -> list[_Row]:
    """The nodes of the tree of names that are `granularity` levels above the leaves."""
    tree: OrderedDict[str, list[_Row]] = OrderedDict()
    for row in rows:
        parts = row.name.split(".")
        for end in range(len(parts) + 1):
            tree.setdefault(".".join(parts[:end]), []).append(row)
    parent = {path: path.rpartition(".")[0] for path in tree if path}

    def height(path: str) -> int:
        return 1 + max((height(child) for child, above in parent.items() if above == path), default=0)

    heights = {path: height(path) for path in tree}
    highest = {path: max(heights[p] for p in parent if parent[p] == parent[path]) for path in parent}
    chosen = [p for p in parent if heights[p] == granularity or heights[p] < granularity <= highest[p]]
    # The original walks the tree from the root, children in their order.
    return [_sum(path or "root", tree[path]) for path in tree if path in chosen]


def _sum(name: str, rows: list[_Row]) -> _Row:
    if len(rows) == 1:
        row = rows[0]
        return _Row(name, *(getattr(row, key) for key in list(row.__dataclass_fields__)[1:]))
    result = _Row(name, rows[0].input_shape, rows[-1].output_shape)
    for row in rows:
        for key in ("params", "memory", "madd", "flops", "read", "write", "seconds"):
            setattr(result, key, getattr(result, key) + getattr(row, key))
    return result


def report_format(rows: list[_Row]) -> str:
    """The table and the totals, as torchstat prints them, but for one thing: it prints the last row's
    MemRead and MemWrite where the totals belong, and these are the sums."""
    def sizes(shape: list[int]) -> str:
        return " ".join(f"{size:>3d}" for size in shape)

    seconds = sum(row.seconds for row in rows) + 1e-7
    cells = [
        [row.name, sizes(row.input_shape), sizes(row.output_shape), f"{float(row.params)}", f"{row.memory:.2f}",
         f"{float(row.madd):,}", f"{float(row.flops):,}", f"{float(row.read)}", f"{float(row.write)}",
         f"{row.seconds / seconds:.2%}", f"{float(row.read + row.write)}"]
        for row in rows
    ]  # fmt: skip
    total = {key: sum(getattr(row, key) for row in rows) for key in _Row.__dataclass_fields__ if key not in _TEXTS}
    moved = total["read"] + total["write"]
    cells.append(
        [" ", " ", " ", f"{float(total['params'])}", f"{total['memory']:.2f}", f"{float(total['madd']):,}",
         f"{float(total['flops']):,}", f"{float(total['read'])}", f"{float(total['write'])}",
         f"{total['seconds'] / seconds:.2%}", f"{float(moved)}"]
    )  # fmt: skip
    text = data_frame_text([*(str(at) for at in range(len(rows))), "total"], _COLUMNS, _NUMBERS, cells)
    width = len(text.split("\n")[0])
    return "\n".join(
        [text, "=" * width, f"Total params: {total['params']:,}", "-" * width,
         f"Total memory: {total['memory']:.2f}MB", f"Total MAdd: {short(total['madd'])}MAdd",
         f"Total Flops: {short(total['flops'])}Flops", f"Total MemR+W: {short(moved, 1024)}B", ""]
    )  # fmt: skip


_TEXTS = ("name", "input_shape", "output_shape")
