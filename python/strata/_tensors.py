"""Tensors to call a module with, from what a user gives: tensors, a shape, or a list of them."""

from __future__ import annotations

from typing import Any


def _is_shape(value: Any) -> bool:
    return (
        isinstance(value, (tuple, list))
        and len(value) > 0
        and all(isinstance(size, int) and not isinstance(size, bool) for size in value)
    )


def _tensor(model: Any, value: Any) -> Any:
    import torch

    if not _is_shape(value):
        return value
    weight = next(model.parameters(), None) if hasattr(model, "parameters") else None
    if weight is None or not weight.is_floating_point():
        return torch.rand(tuple(value))
    return torch.rand(tuple(value), dtype=weight.dtype, device=weight.device)


def call_arguments(model: Any, inputs: Any) -> tuple[Any, ...]:
    """The positional arguments of one call, with random elements where only shapes are given."""
    if inputs is None:
        return ()
    if _is_shape(inputs) or not isinstance(inputs, (tuple, list)):
        return (_tensor(model, inputs),)
    return tuple(_tensor(model, value) for value in inputs)
