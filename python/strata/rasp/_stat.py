"""`rasp.stat`: RASP's table of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from .._errors import StrataError
from ..compat._count import Run, number, run
from ..compat._modules import Shape
from ._config import CFG
from ._report import FIELDS, Report, make_report
from ._timing import Times, measure

MEMORY = ["net_dev_mem", "dev_mem_alloc", "dev_max_mem_alloc"]
_COLUMNS = "layer,type,call,params,flops,macs,read,write,mem,energy"
_NAMES = {"flops": "flops", "macc": "macs", "mem_r": "read", "mem_w": "write", "mem_rw": "mem", "energy": "energy"}
_REPORTS = ("tape", "node", "leaves", "root", "all", None)


def stat(
    module: nn.Module,
    input_shape: Sequence[int] | None = None,
    inputs: Any = None,
    device: str | torch.device | None = None,
    compute: bool = True,
    timing: bool = False,
    memory: bool = False,
    print_stat: bool = True,
    returns: str | None = None,
    report_type: str | None = "tape",
    include_root: bool = False,
    report_fields: Sequence[str] | None = None,
    includes: Sequence[str] | None = None,
    excludes: Sequence[str] | None = None,
    save_path: str | None = None,
    keep_tree: bool = False,
    *,
    count: str = "rasp",
) -> Any:
    """The costs of the layers of `module`; prints a table unless `print_stat=False`.

    The input is given by its shape or by itself. `report_type` chooses the rows: `tape`, a row for
    each call of a leaf module; `leaves`, a row for each of them; `all`, containers, too; `node` or
    `root`, the model; None, no table. `returns` names what comes back: `data`, a DataFrame; `sum`,
    the text; `tree`, a row for each module; several are separated by commas.

    `memory` has no device to ask where there is no GPU: the columns are then those of strata's model of
    PyTorch's allocator, which agrees with measured tables to the byte.
    """
    if report_type not in _REPORTS:
        raise ValueError(f"unsupported report type: {report_type}")
    kept = [name for name in report_fields or FIELDS if name not in (excludes or ())]
    if not timing:
        kept = [name for name in kept if name not in ("lat", "net_lat", "lat[%]", "FLOPS")]
    fields = kept + [name for name in includes or ()] + (MEMORY if memory else [])
    given = _input(module, input_shape, inputs)
    taken = run(module, given, training=False)
    times = measure(module, given, device, CFG.profile) if timing else None
    nodes = _nodes(module, taken, count, memory, times, fields)
    report = _report(module, taken, nodes, report_type, include_root, fields)
    if report is not None:
        if save_path is not None:
            report.save(save_path)
        if print_stat:
            print(report.text())
    return _returned(returns, report, nodes) if returns else None


def profile_off(module: nn.Module) -> None:
    """Nothing is left on a module after a call, so there is nothing to take off."""


def _input(module: nn.Module, shape: Sequence[int] | None, inputs: Any) -> list[Any]:
    if inputs is not None:
        if shape is not None:
            raise ValueError("input_shape is not none")
        return list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    if shape is None:
        raise ValueError("input_shape required")
    sizes = tuple(shape) if len(shape) > 3 else (CFG.profile.batch_size, *shape)
    return [torch.rand(sizes)]


def _shape_text(value: Any) -> str:
    """A shape as RASP prints it: that of a tensor, or a list of several."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return str(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, Shape):
        return value.sizes
    return [_plain(each) for each in value] if isinstance(value, list) else None


class Node:
    """One call of a module, or its only one: what the columns of RASP say of it."""

    def __init__(self, path: str, kind: str, leaf: bool) -> None:
        self.path, self.leaf = path, leaf
        self.values: dict[str, Any] = {"name": "." + path if path else "", "type": kind}

    def __getitem__(self, name: str) -> Any:
        return self.values.get(name, 0)


def _nodes(
    module: nn.Module, taken: Run, count: str, memory: bool, times: Times | None, fields: list[str]
) -> list[Node]:
    """A node for each module call in the order of entry, with the core's counts."""
    options: dict[str, Any] = {"energy": "rasp", "columns": [_COLUMNS, *(MEMORY if memory else [])]}
    if memory:
        options["device_memory"] = "pytorch-cuda"
    leaves = {(row.layer, row.call): row for row in taken.rows(count, report="calls", all=True, **options)}
    trees: dict[Any, Any] = {}
    if memory or any(next(m.children(), None) for m in module.modules()):
        rows = taken.rows(count, report="tree", **options)
        trees = {"" if at == 0 else row.layer: row for at, row in enumerate(rows)}  # the first is the model
    nodes = []
    for call in taken.watch.calls if taken.watch else []:
        leaf = next(call.module.children(), None) is None
        node = Node(call.path, type(call.module).__name__, leaf)
        row = leaves.get((call.path, call.number)) if leaf else trees.get(call.path)
        node.values["in_shape"] = _shape_text(call.inputs)
        node.values["out_shape"] = _shape_text([call.outputs])
        node.values["params"] = sum(p.numel() for p in call.module.parameters() if p.requires_grad)
        for name, column in _NAMES.items():
            value = row.get(column) if row is not None else 0
            node.values[name] = float(value or 0) if name == "energy" else number(value)
        for name in MEMORY if memory else []:
            node.values[name] = number(row.get(name)) if row is not None else 0
        if times is not None:
            node.values["lat"], node.values["net_lat"] = times.of(call.module, call.number)
        nodes.append(node)
    unknown = [f for f in fields if f not in FIELDS and f not in _NAMES and f not in MEMORY]
    if unknown:
        there = ", ".join([*FIELDS, "macc", "energy", *MEMORY])
        raise StrataError(f"there is no column {unknown[0]!r}; there are: {there}", 2)
    return nodes


def _report(
    module: nn.Module, taken: Run, nodes: list[Node], kind: str | None, include_root: bool, fields: list[str]
) -> Report | None:
    if kind is None:
        return None
    root = nodes[0] if nodes else Node("", type(module).__name__, False)
    if kind in ("node", "root"):
        chosen = [root]
    elif kind == "tape":
        chosen = [node for node in nodes if node.leaf]
    else:
        # Registered modules, each once, with its last call.
        last = {node.path: node for node in nodes}
        chosen = [
            last.get(path) or Node(path, type(inner).__name__, next(inner.children(), None) is None)
            for path, inner in module.named_modules()
            if path
        ]
        chosen = [node for node in chosen if node.leaf or kind == "all"] or [root]
    columns = {*fields, "name", "lat", "net_lat", "flops"}
    rows = [{name: node[name] for name in columns} for node in chosen + [root] * include_root]
    return make_report(rows, fields)


def _returned(returns: str, report: Report | None, nodes: list[Node]) -> Any:
    results = []
    for name in (each.strip() for each in returns.split(",")):
        if name == "data":
            results.append(None if report is None else report.frame())
        elif name == "sum":
            results.append(None if report is None else report.text())
        elif name == "tree":
            results.append([dict(node.values) for node in nodes])
        else:
            raise ValueError(f"invalid return type: {name}")
    return results[0] if len(results) == 1 else results
