"""The print of ptflops for each layer: the model's own text with a count in every line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, TextIO

import torch
from torch import nn

from .._errors import StrataError
from ._count import Run, number
from ._modules import paths
from ._operators import operator_counts

# The classes whose hooks count. A module of another class shows the sum of its children.
_NAMES = (
    "Conv1d Conv2d Conv3d ReLU PReLU ELU LeakyReLU ReLU6 MaxPool1d AvgPool1d AvgPool2d MaxPool2d MaxPool3d"
    " AvgPool3d AdaptiveMaxPool1d AdaptiveAvgPool1d AdaptiveMaxPool2d AdaptiveAvgPool2d AdaptiveMaxPool3d"
    " AdaptiveAvgPool3d BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d"
    " GroupNorm LayerNorm Linear Upsample ConvTranspose1d ConvTranspose2d ConvTranspose3d RNN GRU LSTM"
    " RNNCell LSTMCell GRUCell MultiheadAttention GELU"
)
_CLASSES = {getattr(nn, name) for name in _NAMES.split()}

# The operators that the other backend counts: they are listed even where they count nothing.
_ATEN = frozenset(("mm", "matmul", "addmm", "bmm", "convolution", "_convolution"))


def supported(module: nn.Module, hooked: set[Any]) -> bool:
    """True if ptflops, or a hook of the caller, has a rule for this very class."""
    return type(module) in _CLASSES or type(module) in hooked


def accumulated(module: nn.Module, each: dict[nn.Module, int], hooked: set[Any]) -> int:
    """The sum over a tree of modules, which ends at those with a rule; one in two places counts in both."""
    if supported(module, hooked):
        return each.get(module, 0)
    return sum(accumulated(child, each, hooked) for child in module.children())


def print_tree(
    model: nn.Module,
    each: dict[nn.Module, int],
    macs: float,
    params: int,
    out: TextIO,
    texts: dict[str, Any],
    param_units: str | None,
    to_text: tuple[Callable[..., str], Callable[..., str]],
    hooked: set[Any],
) -> None:
    """`repr(model)` with parameters, MACs and their shares before what each module says of itself."""
    flops_text, params_text = to_text
    macs, params = max(macs, 1), max(params, 1)

    def elements(module: nn.Module) -> int:
        if supported(module, hooked):
            return sum(p.numel() for p in module.parameters() if p.requires_grad)
        return sum(elements(child) for child in module.children())

    kept: dict[nn.Module, Any] = {}

    def line(module: nn.Module) -> str:
        counted, own = accumulated(module, each, hooked), elements(module)
        return ", ".join(
            [
                params_text(own, units=param_units, precision=texts["precision"]),
                f"{own / params:.3%} Params",
                flops_text(float(counted), **texts),
                f"{counted / macs:.3%} MACs",
                kept[module](),
            ]
        )

    for module in model.modules():
        kept[module] = module.extra_repr
        module.extra_repr = line.__get__(module)  # type: ignore[method-assign]
    try:
        print(repr(model), file=out)
    finally:
        for module in kept:
            del module.extra_repr


def print_operators(
    taken: Run,
    count: str,
    ignored: list[Any],
    hooks: dict[Any, Any],
    verbose: bool,
    show: bool,
    out: TextIO,
    text: Callable[[float], str],
) -> int:
    """The counts of the ATen backend: of all operators, and of those in each child of the model."""
    model: nn.Module = taken.model
    aten = torch.ops.aten
    counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
    children = {path for path in paths(model).values() if path and "." not in path}
    for row in operator_counts(taken, count):
        packet = getattr(aten, row.operator, None)
        if packet is not None and packet in hooks:
            raise StrataError("custom_modules_hooks of the ATen backend are not replaced: use the PyTorch backend", 2)
        if packet in ignored:
            print(f"Warning: {packet} operation is ignored", file=out)
            continue
        if row.operator not in _ATEN and (count == "ptflops-aten" or not row.macs):
            if verbose and packet is not None:
                print(f"Warning: {packet} operation is treated as a zero-op", file=out)
            continue
        for place in ["Global", row.path.split(".")[0]]:
            if place == "Global" or place in children:
                counts[place][packet] += row.macs
    total = sum(counts["Global"].values())
    if show:
        print("Total:" + text(total), file=out)
        for place, found in counts.items():
            print("Module: ", place, file=out)
            for packet, value in found.items():
                print(f"{packet}: " + text(value), file=out)
            print(file=out)
    return number(total)
