"""What a model is called with: tensors as they are given, or made from shapes."""
from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import torch

from .errors import RecordingError


def is_shape(value: Any) -> bool:
    """A list or tuple of whole numbers, such as (1, 3, 224, 224)."""
    return (isinstance(value, (list, tuple)) and len(value) > 0
            and all(isinstance(size, int) and not isinstance(size, bool) for size in value))


def arguments(inputs: Any, kwargs: Optional[Dict[str, Any]]) -> Tuple[List[Any], Dict[str, Any]]:
    """Positional and keyword arguments of the call; shapes are torch.Size objects in them."""
    named = dict(kwargs or {})
    positional: List[Any] = []
    if isinstance(inputs, Mapping):
        named = {**inputs, **named}
    elif isinstance(inputs, torch.Tensor):
        positional = [inputs]
    elif is_shape(inputs):
        positional = [torch.Size(inputs)]
    elif isinstance(inputs, (list, tuple)):
        positional = list(inputs)
    elif inputs is not None:
        positional = [inputs]
    positional = [torch.Size(value) if is_shape(value) else value for value in positional]
    named = {name: torch.Size(value) if is_shape(value) else value for name, value in named.items()}
    for value in [*positional, *named.values()]:
        if isinstance(value, torch.Size) and min(value) < 0:
            raise RecordingError(f"the shape {tuple(value)} has a negative size")
    return positional, named


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with each tensor and shape in it changed; containers keep their type."""
    if isinstance(value, (torch.Tensor, torch.Size)):
        return change(value)
    if type(value) is list:
        return [mapped(one, change) for one in value]
    if type(value) is tuple:
        return tuple(mapped(one, change) for one in value)
    if type(value) is dict:
        return {name: mapped(one, change) for name, one in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(one, change) for one in value))
    return _changed_copy(value, change)


def _changed_copy(value: Any, change: Callable[[Any], Any]) -> Any:
    """A copy of an object of the user's, such as a cache of keys and values, which the model may write to."""
    if value is None or isinstance(value, (str, bytes, int, float, complex, type, torch.nn.Module)):
        return value
    instead: Dict[int, Any] = {}
    _note_tensors(value, change, instead, set())
    if not instead:
        return value
    try:
        return copy.deepcopy(value, instead)
    except Exception:  # what it holds besides tensors cannot be copied
        return value


def _note_tensors(value: Any, change: Callable[[Any], Any], instead: Dict[int, Any], seen: Any) -> None:
    """Notes what stands in a copy for each tensor in an object and in what it holds."""
    if isinstance(value, torch.Tensor):
        instead[id(value)] = change(value)
        return
    if id(value) in seen or isinstance(value, (str, bytes, int, float, type, torch.nn.Module)):
        return
    seen.add(id(value))
    parts = list(value.values()) if isinstance(value, Mapping) else []
    if isinstance(value, (list, tuple)):
        parts = list(value)
    for one in [*parts, *getattr(value, "__dict__", {}).values()]:
        _note_tensors(one, change, instead, seen)


def tensors_in(value: Any, name: str = "") -> Iterator[Tuple[torch.Tensor, str]]:
    """Each tensor inside a value, with a name made of keys and places."""
    if isinstance(value, torch.Tensor):
        yield value, name
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from tensors_in(one, f"{name}.{key}" if name else str(key))
    elif isinstance(value, (list, tuple)):
        fields = getattr(value, "_fields", None)
        for place, one in enumerate(value):
            part = fields[place] if fields else str(place)
            yield from tensors_in(one, f"{name}.{part}" if name else part)


def names_of(function: Any, count: int) -> List[str]:
    """The names of a function's first arguments, without self."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    names: List[str] = []
    if code is not None:
        names = list(code.co_varnames[1 if hasattr(function, "__self__") else 0:code.co_argcount])
    return [names[place] if place < len(names) else f"input.{place}" for place in range(count)]


def filled(value: Any, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """A tensor with values for a shape, or for a tensor that has none."""
    if isinstance(value, torch.Size):
        return torch.rand(value, device=device).to(dtype)
    if not value.is_meta:
        return value
    if value.is_floating_point():
        return torch.rand(value.shape, device=device).to(value.dtype)
    return torch.zeros(value.shape, dtype=value.dtype, device=device)
