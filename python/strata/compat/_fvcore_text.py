"""fvcore's texts: the table of flops and parameters, and the model's own text with both in it."""

from __future__ import annotations

import typing
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from torch import nn

from ._pipe_table import pipe_table

if TYPE_CHECKING:
    from .fvcore import FlopCountAnalysis

Cells = dict[str, dict[str, str]]


def parameter_count(model: nn.Module) -> defaultdict[str, int]:
    """The elements of every parameter, and of all parameters below every path; "" is the whole."""
    counts: defaultdict[str, int] = defaultdict(int)
    for name, parameter in model.named_parameters():
        parts = name.split(".")
        for end in range(len(parts) + 1):
            counts[".".join(parts[:end])] += parameter.numel()
    return counts


def parameter_count_table(model: nn.Module, max_depth: int = 3) -> str:
    """Parameters by module, and the shape of each, down to a depth."""
    counts = parameter_count(model)
    shapes = {name: tuple(p.shape) for name, p in model.named_parameters()}

    def text(count: int) -> str:
        for above, unit, letter in ((1e8, 1e9, "G"), (1e5, 1e6, "M"), (1e2, 1e3, "K")):
            if count > above:
                return f"{count / unit:.1f}{letter}"
        return str(count)

    rows = [["model", text(counts.pop(""))]]

    def fill(depth: int, prefix: str) -> None:
        if depth >= max_depth:
            return
        for name, count in counts.items():
            if name.count(".") == depth and name.startswith(prefix):
                indent = " " * (depth + 1)
                rows.append([indent + name, indent + (str(shapes[name]) if name in shapes else text(count))])
                if name not in shapes:
                    fill(depth + 1, name + ".")

    fill(0, "")
    return pipe_table(["name", "#elements or shape"], rows)


def flop_count_table(
    flops: FlopCountAnalysis, max_depth: int = 3, activations: Any = None, show_param_shapes: bool = True
) -> str:
    """Parameters and flops of every module, down to a depth, as a table in Markdown."""
    columns = ["#parameters" + (" or shape" if show_param_shapes else ""), "#flops"]
    model = flops._model
    analyses = _quiet(flops, activations)
    numbers = [dict(parameter_count(model)), *(dict(each.by_module()) for each in analyses)]
    if activations is not None:
        columns.append("#activations")
    stats: dict[str, dict[str, int]] = defaultdict(dict)
    for column, values in zip(columns, numbers):
        for path, value in values.items():
            stats[path][column] = value
    kept = _without_zeros(stats, set(), True)
    cells: Cells = {
        path: {column: _short(value, 3) for column, value in values.items()} for path, values in kept.items()
    }
    for column, each in zip(columns[1:], analyses):
        for path in each.uncalled_modules() & cells.keys():
            cells[path][column] = ""
    for path, parameter in model.named_parameters():
        if path in cells:
            if show_param_shapes:
                cells[path][columns[0]] = str(tuple(parameter.shape))
            else:
                del cells[path]
    return _table(cells, max_depth, columns)


def flop_count_str(flops: FlopCountAnalysis, activations: Any = None) -> str:
    """The model's text with parameters and flops in it."""
    columns = ["#params", "#flops"] + (["#acts"] if activations is not None else [])
    model = flops._model
    analyses = _quiet(flops, activations)
    numbers = [dict(parameter_count(model)), *(dict(each.by_module()) for each in analyses)]
    for path, _ in model.named_modules():
        for values in numbers:
            values.setdefault(path, 0)
    stats: dict[str, dict[str, int]] = defaultdict(dict)
    for column, values in zip(columns, numbers):
        for path, value in values.items():
            stats[path][column] = value
    uncalled = {path for each in analyses for path in each.uncalled_modules()}
    cells: Cells = {
        path: {column: _short(value, 2) for column, value in values.items()}
        for path, values in _without_zeros(stats, uncalled, False).items()
    }
    for column, each in zip(columns[1:], analyses):
        for path in each.uncalled_modules():
            cells.setdefault(path, {})[column] = "N/A"
    head = (
        "N/A indicates a possibly missing statistic due to how the module was called. Missing values are"
        " still included in the parent's total.\n"
        if uncalled
        else ""
    )
    return head + _module_text(model, "", cells)


def _quiet(flops: FlopCountAnalysis, activations: Any) -> list[Any]:
    analyses = [flops] if activations is None else [flops, activations]
    for each in analyses:
        each.unsupported_ops_warnings(False)
        each.uncalled_modules_warnings(False)
        each.tracer_warnings("none")
    return analyses


def _short(value: float, digits: int) -> str:
    """`4.089G`: thousands and more with a letter, already from a tenth of one."""
    for unit, letter in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K")):
        if abs(value) > unit / 10:
            return f"{value / unit:.{digits}f}".rstrip("0").rstrip(".") + letter
    return str(value)


def _children(path: str, stats: typing.Iterable[str]) -> list[str]:
    prefix = path + "." if path else ""
    return [each for each in stats if each and each.count(".") == prefix.count(".") and each.startswith(prefix)]


def _without_zeros(
    stats: dict[str, dict[str, int]], force: set[str], keep_parents: bool
) -> dict[str, dict[str, int]]:
    """The paths that have a number other than 0, in the order of a walk that ends with the model."""
    kept: dict[str, dict[str, int]] = {}
    forced = force if force else {""}

    def visit(path: str) -> None:
        children = _children(path, stats)
        for child in children:
            visit(child)
        some_kept = any(child in kept for child in children)
        if any(stats[path].values()) or path in forced or (keep_parents and some_kept):
            kept[path] = dict(stats[path])

    visit("")
    return kept


def _forward(path: str, cells: Cells) -> tuple[str, dict[str, str]]:
    """A module with one child and the same numbers shares a row with that child."""
    children = _children(path, cells)
    if len(children) != 1:
        return path, cells[path]
    ours, theirs = cells[path], cells[children[0]]
    if set(ours) != set(theirs) or any(ours[k] != theirs[k] and ours[k] and theirs[k] for k in ours):
        return path, ours
    cells[children[0]] = {key: ours[key] or theirs[key] for key in ours}
    return _forward(children[0], cells)


def _table(cells: Cells, max_depth: int, columns: list[str]) -> str:
    rows: list[list[str]] = []

    def add(path: str, shown: str, values: dict[str, str], depth: int) -> None:
        indent = " " * depth
        rows.append([indent + shown, *(indent + values[c] if c in values else "" for c in columns)])

    root, values = _forward("", cells)
    add(root, root or "model", values, 0)
    prefix = root + "." if root else ""

    def fill(depth: int, parent: str) -> None:
        if depth > max_depth:
            return
        for child in _children(parent, cells):
            path, found = _forward(child, cells)
            shown = path[len(prefix) :] if prefix and path.startswith(prefix) else path
            add(path, shown, found, depth)
            fill(depth + 1, path)

    fill(1, root)
    return pipe_table(["module", *columns], rows)


def _module_text(module: nn.Module, path: str, cells: Cells) -> str:
    lines = module.extra_repr().split("\n") if module.extra_repr() else []
    if cells.get(path):
        lines.append(", ".join(f"{column}: {value}" for column, value in cells[path].items()))
    own = len(lines)
    for name, child in module._modules.items():
        if child is not None:
            text = _module_text(child, f"{path}.{name}" if path else name, cells)
            lines.append(f"({name}): " + text.replace("\n", "\n  "))
    if not lines:
        return f"{module._get_name()}()"
    if own == 1 and len(lines) == 1:
        return f"{module._get_name()}({lines[0]})"
    return f"{module._get_name()}(\n  " + "\n  ".join(lines) + "\n)"
