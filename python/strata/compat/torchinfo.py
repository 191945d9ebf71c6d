"""torchinfo's call: `summary`, as of torchinfo 1.8.0."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from ._count import number, run
from ._torchinfo_layers import LayerInfo, add_containers, number_layers, registered
from ._torchinfo_table import (
    ColumnSettings,
    FormattingOptions,
    Mode,
    ModelStatistics,
    RowSettings,
    Units,
    Verbosity,
)

__all__ = ["ColumnSettings", "Mode", "ModelStatistics", "RowSettings", "Units", "Verbosity", "summary"]

_NEED_INPUT = {ColumnSettings.INPUT_SIZE, ColumnSettings.OUTPUT_SIZE, ColumnSettings.MULT_ADDS}
_kept_layers: dict[str, list[LayerInfo]] = {}


def summary(
    model: nn.Module,
    input_size: Any = None,
    input_data: Any = None,
    batch_dim: int | None = None,
    cache_forward_pass: bool | None = None,
    col_names: Iterable[str] | None = None,
    col_width: int = 25,
    depth: int = 3,
    device: torch.device | str | None = None,
    dtypes: list[torch.dtype] | None = None,
    mode: str | None = None,
    row_settings: Iterable[str] | None = None,
    verbose: int | None = None,
    *,
    count: str = "torchinfo",
    **kwargs: Any,
) -> ModelStatistics:
    """The layers of a model with their sizes, parameters and mult-adds; prints them unless `verbose=0`.

    `input_size` is a shape with its batch, or a list of them; `input_data` is what the model is called
    with. Without either, nothing is run and the names and parameters are all there is.
    """
    given = input_data is not None or input_size is not None
    default = (ColumnSettings.OUTPUT_SIZE, ColumnSettings.NUM_PARAMS) if given else (ColumnSettings.NUM_PARAMS,)
    columns = default if col_names is None else tuple(ColumnSettings(name) for name in col_names)
    rows = {RowSettings.DEPTH} if row_settings is None else {RowSettings(name) for name in row_settings}
    chosen = Mode.EVAL if mode is None else Mode(mode)
    if verbose is None:
        verbose = 0 if getattr(sys, "ps1", None) else 1
    _check(input_data, input_size, columns, col_width, verbose)

    args, named, sizes = _inputs(model, input_data, input_size, batch_dim, device, dtypes)
    name = type(model).__name__
    if not given:
        layers = list(_without_run(model))
    elif cache_forward_pass and name in _kept_layers:
        layers = _kept_layers[name]
    else:
        training = {Mode.TRAIN: True, Mode.EVAL: False, Mode.SAME: None}[chosen]
        layers = _layers(model, args, {**named, **kwargs}, training, batch_dim, count)
        _kept_layers[name] = layers
    formatting = FormattingOptions(depth, verbose, columns, col_width, rows)
    result = ModelStatistics(layers, sizes, _bytes([*args, *named.values()]), formatting)
    if verbose > Verbosity.QUIET:
        print(result)
    return result


def clear_cached_forward_pass() -> None:
    """Forgets the layers that `cache_forward_pass` keeps."""
    _kept_layers.clear()


def _check(data: Any, size: Any, columns: tuple[ColumnSettings, ...], col_width: int, verbose: int) -> None:
    if col_width <= 0:
        raise ValueError(f"Column width must be greater than 0: col_width={col_width}")
    if verbose not in (0, 1, 2):
        raise ValueError("Verbose must be either 0 (quiet), 1 (default), or 2 (verbose).")
    if data is not None and size is not None:
        raise RuntimeError("Only one of (input_data, input_size) should be specified.")
    needed = set(columns) & _NEED_INPUT
    if data is None and size is None and needed:
        raise ValueError(f"You must pass input_data or input_size in order to use columns: {needed}")


def _shapes(size: Any) -> list[tuple[int, ...]]:
    """A shape, or several, as a list of shapes."""
    if not isinstance(size, (list, tuple)):
        raise TypeError("Input_size is not a recognized type. Please ensure input_size is valid.")
    shapes = [tuple(size)] if size and isinstance(size[0], int) else [tuple(each) for each in size]
    if not shapes or any(not isinstance(each, int) or each <= 0 for shape in shapes for each in shape):
        raise ValueError("Input_data is invalid, or negative size found in input_data.")
    return shapes


def _inputs(
    model: nn.Module, data: Any, size: Any, batch_dim: int | None, device: Any, dtypes: Any
) -> tuple[list[Any], dict[str, Any], Any]:
    """Positional and named arguments, and their sizes as the summary keeps them."""
    if size is not None:
        shapes = _shapes(size)
        first = next(model.parameters(), None)
        place = torch.device(device) if device is not None else (first.device if first is not None else None)
        tensors = []
        for shape, dtype in zip(shapes, dtypes or [torch.float] * len(shapes)):
            tensor = torch.rand(*shape)
            tensor = tensor if batch_dim is None else tensor.unsqueeze(batch_dim)
            tensors.append(tensor.to(place).type(dtype))
        return tensors, {}, shapes
    if data is None:
        return [], {}, []
    moved = _each(data, lambda tensor: tensor if device is None else tensor.to(device))
    sizes = _each(data, lambda tensor: tensor.size())
    if isinstance(moved, Mapping):
        return [], dict(moved), sizes
    positional = list(moved) if isinstance(moved, (list, tuple)) else [moved]
    return positional, {}, sizes


def _each(data: Any, action: Any) -> Any:
    """`data` with `action` applied to every tensor in it; arrays of numpy count as tensors."""
    if isinstance(data, torch.Tensor):
        return action(data)
    if type(data).__module__ == "numpy" and hasattr(data, "__array_interface__"):
        return action(torch.from_numpy(data))
    if isinstance(data, Mapping):
        return {key: _each(value, action) for key, value in data.items()}
    if isinstance(data, Sequence) and not isinstance(data, str):
        return [_each(value, action) for value in data]
    return data


def _bytes(data: Any) -> int:
    """The memory of the inputs, with Python's own share of it, as torchinfo counts it."""
    total = 0

    def add(tensor: torch.Tensor) -> torch.Tensor:
        nonlocal total
        untyped = getattr(tensor, "untyped_storage", None)
        total += sys.getsizeof(untyped() if untyped is not None else tensor.storage())
        return tensor

    _each(data, add)
    return total


def _without_run(model: nn.Module) -> list[LayerInfo]:
    layers, seen = [], set()
    for info in registered(model):
        info.calculate_num_params()
        info.is_recursive = info.layer_id in seen
        seen.add(info.layer_id)
        layers.append(info)
    number_layers(layers)
    return layers


def _layers(
    model: nn.Module, args: Any, kwargs: Any, training: bool | None, batch_dim: int | None, count: str
) -> list[LayerInfo]:
    """Runs the model once and makes a layer of every call."""
    try:
        taken = run(model, args, kwargs, training=training)
    except Exception as problem:
        raise RuntimeError("Failed to run torchinfo. See above stack traces for more details.") from problem
    macs = {}
    if count != "torchinfo":
        table = taken.rows(count, report="calls", all=True)
        macs = {(row.layer, row.call): number(row.get("macs")) for row in table}
    # The last place of a shared module counts, as in the original.
    known = {info.module: info for info in registered(model)}
    layers: list[LayerInfo] = []
    seen: set[int] = set()
    for call in taken.watch.calls if taken.watch else []:
        place = known[call.module]
        info = LayerInfo(place.var_name, call.module, place.depth, place.parent_info)
        info.calculate_num_params()
        info.is_recursive = info.layer_id in seen
        seen.add(info.layer_id)
        info.finish(call, macs.get((call.path, call.number), 0), batch_dim)
        if count == "torchinfo":
            info.macs = info.calculate_macs()
        layers.append(info)
    layers = add_containers(layers)
    number_layers(layers)
    for info in layers:
        if not info.is_leaf_layer:
            info.macs = sum(child.macs for child in info.children if child.is_leaf_layer)
    return layers
