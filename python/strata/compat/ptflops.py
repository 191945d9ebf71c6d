"""ptflops' calls: `get_model_complexity_info` and what makes its texts, as of ptflops 0.7.5.

>>> flops_to_string(4132436968), params_to_string(25557032)
('4.13 GMac', '25.56 M')
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, TextIO

import torch
from torch import nn

from ._count import Run, by_module, number, run
from ._modules import Shape, tensors
from ._ptflops_print import accumulated, print_operators, print_tree, supported

__all__ = ["FLOPS_BACKEND", "flops_to_string", "get_model_complexity_info", "params_to_string"]


class FLOPS_BACKEND(Enum):
    """`pytorch` watches modules and functions, `aten` the operators below them."""

    PYTORCH = "pytorch"
    ATEN = "aten"


def get_model_complexity_info(
    model: nn.Module,
    input_res: tuple[int, ...],
    print_per_layer_stat: bool = True,
    as_strings: bool = True,
    input_constructor: Callable[[tuple[int, ...]], Any] | None = None,
    ost: TextIO = sys.stdout,
    verbose: bool = False,
    ignore_modules: Sequence[Any] = (),
    custom_modules_hooks: Mapping[Any, Any] | None = None,
    backend: str | FLOPS_BACKEND = FLOPS_BACKEND.PYTORCH,
    flops_units: str | None = None,
    param_units: str | None = None,
    output_precision: int = 2,
    backend_specific_config: Mapping[str, Any] | None = None,
    *,
    count: str | None = None,
) -> tuple[Any, Any]:
    """MACs and trainable parameters of the model, for one sample of the batch.

    `input_res` is a shape without its batch. `input_constructor(input_res)` may give another input: a
    tensor, or a mapping of named arguments. Both results are texts, or numbers with
    `as_strings=False`, or None where the model does not run.
    """
    assert type(input_res) is tuple
    assert len(input_res) >= 1
    assert isinstance(model, nn.Module)
    chosen = FLOPS_BACKEND(backend)
    config = dict(backend_specific_config or {})
    hooks = dict(custom_modules_hooks or {})
    model.eval()
    args, kwargs = _inputs(model, input_res, input_constructor)
    try:
        real = chosen is FLOPS_BACKEND.ATEN
        taken = run(model, args, kwargs, grad=torch.is_grad_enabled(), values=real)
    except Exception as problem:
        print(
            "Flops estimation was not finished successfully because of"
            f" the following exception: \n{type(problem)}: {problem}"
        )
        traceback.print_exc()
        return None, None
    params = sum(p.numel() for p in model.parameters() if p.requires_grad)
    texts: dict[str, Any] = {"units": flops_units, "precision": output_precision}
    if chosen is FLOPS_BACKEND.ATEN:
        macs = print_operators(
            taken, count or "ptflops-aten", list(ignore_modules), hooks, verbose,
            print_per_layer_stat, ost, lambda value: flops_to_string(value, **texts),
        )  # fmt: skip
    else:
        if count is None:
            taken = taken.with_leaves(lambda module: supported(module, set(hooks)))
        macs = _pytorch(
            model, taken, count, list(ignore_modules), hooks, config.get("count_functional", True)
        )
        if print_per_layer_stat:
            each = _by_layer(model, taken, count, list(ignore_modules), hooks)
            print_tree(model, each, macs, params, ost, texts, param_units,
                       (flops_to_string, params_to_string), set(hooks))  # fmt: skip
        if verbose:
            _say_zero(model, list(ignore_modules), hooks, ost)
    if not as_strings:
        return macs, params
    return (
        flops_to_string(macs, **texts),
        params_to_string(params, units=param_units, precision=output_precision),
    )


def _inputs(model: nn.Module, sizes: tuple[int, ...], constructor: Any) -> tuple[list[Any], dict[str, Any]]:
    if constructor is not None:
        given = constructor(sizes)
        return ([], dict(given)) if isinstance(given, dict) else ([given], {})
    first = next(model.parameters(), None)
    if first is None:
        return [torch.empty((1, *sizes))], {}
    return [torch.empty((1, *sizes), dtype=first.dtype, device=first.device)], {}


def _batch(taken: Run) -> int:
    """The samples of the first positional input; ptflops divides what modules count by it."""
    calls = taken.watch.calls if taken.watch else []
    inputs = calls[0].inputs if calls else []
    if not inputs:
        print("Warning! No positional inputs found for a module, assuming batch size is 1.")
        return 1
    first = inputs[0]
    return first.sizes[0] if isinstance(first, Shape) and first.sizes else len(first)


def _by_layer(
    model: nn.Module, taken: Run, count: str | None, ignored: list[Any], hooks: dict[Any, Any]
) -> dict[nn.Module, int]:
    """The count of each module by itself, without the functions that ptflops counts once more."""
    rows = taken.rows(count or "ptflops-modules", report="calls", all=True)
    each = by_module(rows, model, "macs")
    for module in model.modules():
        if type(module) in ignored:
            each[module] = 0
        elif type(module) in hooks and taken.watch is not None:
            module.__flops__ = 0  # type: ignore[assignment]
            for call in taken.watch.of(module):
                hooks[type(module)](module, tensors(call.inputs), tensors(call.outputs))
            each[module] = int(module.__flops__)  # type: ignore[arg-type]
            del module.__flops__
    return each


def _pytorch(
    model: nn.Module, taken: Run, count: str | None, ignored: list[Any], hooks: dict[Any, Any], functions: bool
) -> int:
    """The count of modules for one sample, and that of functions for all of them, as ptflops adds them."""
    total = number(taken.profile(count or "ptflops", report="none").total.get("macs"))
    batch = _batch(taken)
    if count is not None:
        return total // batch
    once = number(taken.profile("ptflops-modules", report="none").total.get("macs"))
    modules = accumulated(model, _by_layer(model, taken, count, ignored, hooks), set(hooks))
    return int(modules / batch + (total - once if functions else 0))


def _say_zero(model: nn.Module, ignored: list[Any], hooks: dict[Any, Any], ost: TextIO) -> None:
    seen: set[type] = set()

    def visit(module: nn.Module) -> None:
        kind = type(module)
        plain = (nn.Sequential, nn.ModuleList)
        if kind in seen or kind in ignored or supported(module, set(hooks)) or kind in plain:
            return
        seen.add(kind)
        print(f"Warning: module {kind.__name__} is treated as a zero-op.", file=ost)

    model.apply(visit)


def flops_to_string(flops: float, units: str | None = None, precision: int = 2) -> str:
    """MACs as a text, in GMac, MMac or KMac; in the largest that fits if none is given."""
    for unit, size in (("GMac", 9), ("MMac", 6), ("KMac", 3)):
        if units == unit or (units is None and flops // 10**size > 0):
            return f"{round(flops / 10.0**size, precision)} {unit}"
    return f"{flops} Mac"


def params_to_string(params_num: float, units: str | None = None, precision: int = 2) -> str:
    """Parameters as a text, in B, M or K; in millions or thousands if no unit is given."""
    if units is None:
        for unit, size in (("M", 6), ("k", 3)):
            if params_num // 10**size > 0:
                return f"{round(params_num / 10**size, precision)} {unit}"
        return str(params_num)
    sizes = {"M": 6, "K": 3, "B": 9}
    if units not in sizes:
        return str(params_num)
    return f"{round(params_num / 10.0 ** sizes[units], precision)} {units}"
