"""Tensors to call a module with, from what a user gives: tensors, a shape, or a list of them."""

from __future__ import annotations

from typing import Any


def _is_shape(value: Any) -> bool:
    return (
        isinstance(value, (tuple, list))
        and len(value) > 0
        and all(isinstance(size, int) and not isinstance(size, bool) for size in value)
    )


def call_arguments(model: Any, inputs: Any) -> tuple[Any, ...]:
    """The positional arguments of one call, with random elements where only shapes are given."""
    if inputs is None:
        from ._record.inputs import refuse_missing

        refuse_missing(model)
        return ()
    values = (inputs,) if _is_shape(inputs) or not isinstance(inputs, (tuple, list)) else tuple(inputs)
    if not any(_is_shape(value) for value in values):
        return values
    import torch

    from ._record import settled_arguments
    from ._record.inputs import filled, mapped

    weight = next(model.parameters(), None) if hasattr(model, "parameters") else None
    dtype, device = torch.get_default_dtype(), torch.device("cpu")
    if weight is not None:
        device = weight.device
        dtype = weight.dtype if weight.is_floating_point() else dtype
    positional, _ = settled_arguments(model, list(values), None)
    return tuple(mapped(positional, lambda value: filled(value, dtype, device)))
