"""Arguments and answers of modules as flat lists of tensors, and how to put them together again."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import torch
from torch.utils import _pytree as pytree


class Example(NamedTuple):
    """What a model is called with."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Call(NamedTuple):
    """One call of a module, with copies of what went in and came out."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    out: Any


def flatten(value: Any) -> tuple[list[Any], Any]:
    leaves, spec = pytree.tree_flatten(value)
    return list(leaves), spec


def unflatten(leaves: Sequence[Any], spec: Any) -> Any:
    return pytree.tree_unflatten(list(leaves), spec)


def copied(value: Any) -> Any:
    """The same with copies of the tensors, which later operations in place do not change."""
    leaves, spec = flatten(value)
    return unflatten([each.detach().clone() if isinstance(each, torch.Tensor) else each for each in leaves], spec)


def converted(value: Any, dtype: torch.dtype) -> Any:
    """The same with tensors of floats in another type."""
    leaves, spec = flatten(value)
    kinds = [each.to(dtype) if isinstance(each, torch.Tensor) and each.is_floating_point() else each for each in leaves]
    return unflatten(kinds, spec)


def tensors(value: Any) -> list[torch.Tensor]:
    return [each for each in flatten(value)[0] if isinstance(each, torch.Tensor)]


def by_name(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments in the order of their names, so that it does not matter in which they were given."""
    return dict(sorted(kwargs.items())) if len(kwargs) > 1 else kwargs


def same(a: Any, b: Any) -> bool:
    """True if two leaves that are not tensors are equal."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    try:
        return bool(a == b)
    except Exception:
        return False
