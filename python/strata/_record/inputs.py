"""Inputs of a model: tensors as they are given, or made from shapes."""
from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import torch

from .errors import RecordingError


def is_shape(value: Any) -> bool:
    """A list or tuple of whole numbers, such as (1, 3, 224, 224)."""
    return (isinstance(value, (list, tuple)) and len(value) > 0
            and all(isinstance(size, int) and not isinstance(size, bool) for size in value))


class Shape:
    """Stands for an input that was described and not given; a tensor is made of it for the run."""

    __slots__ = ("dtype", "rows", "size")

    def __init__(self, size: Any, dtype: Optional[torch.dtype] = None):
        self.size = torch.Size(size)
        if min(self.size) < 0:
            raise RecordingError(f"the shape {tuple(self.size)} has a negative size")
        self.dtype = dtype
        self.rows = 0  # of the smallest embedding that looks its values up; 0: none does

    def tensor(self, floating: torch.dtype, device: torch.device) -> torch.Tensor:
        """Random values; whole numbers are rows of the embedding that reads them, and otherwise 0."""
        dtype = self.dtype or floating
        if dtype == torch.bool:
            return torch.ones(self.size, dtype=dtype, device=device)
        if dtype.is_floating_point or dtype.is_complex:
            return torch.rand(self.size, device=device).to(dtype)
        return torch.randint(max(self.rows, 1), self.size, device=device).to(dtype)


def arguments(inputs: Any, kwargs: Optional[Dict[str, Any]], dtype: Any = None,
              model: Any = None) -> Tuple[List[Any], Dict[str, Any]]:
    """Positional and keyword arguments of the call; shapes are Shape objects in them.

    `dtype` is that of the shapes: one for all, a list for positional ones, or a mapping by name. Without
    inputs, those are used that the model itself has for a trial.
    """
    if inputs is None and not kwargs:
        inputs = _own_inputs(model)
        if inputs is None:
            refuse_missing(model)
    named = dict(kwargs or {})
    positional: List[Any] = []
    if isinstance(inputs, Mapping):
        given = _as_tensors(inputs) if hasattr(inputs, "convert_to_tensors") else inputs
        named = {**given, **named}
    elif isinstance(inputs, torch.Tensor):
        positional = [inputs]
    elif is_shape(inputs):
        positional = [torch.Size(inputs)]
    elif isinstance(inputs, (list, tuple)):
        positional = list(inputs)
    elif inputs is not None:
        positional = [inputs]
    positional = [Shape(value, _dtype(dtype, place)) if is_shape(value) else value
                  for place, value in enumerate(positional)]
    named = {name: Shape(value, _dtype(dtype, name)) if is_shape(value) else value for name, value in named.items()}
    return positional, named


def _own_inputs(model: Any) -> Any:
    """The inputs that a model of Hugging Face or Lightning brings along, or None."""
    for name in ("dummy_inputs", "example_input_array"):
        try:
            own = getattr(model, name, None)
        except Exception:  # of a property that this model cannot answer
            continue
        if own is not None:
            return own
    return None


def refuse_missing(model: Any) -> None:
    """Raises if the model cannot be called without arguments, and says what to type."""
    try:
        parameters = inspect.signature(getattr(model, "forward", model)).parameters.values()
    except (TypeError, ValueError):  # of scripted and built-in functions
        return
    needed = [one.name for one in parameters if one.default is one.empty
              and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    if not needed:
        return
    name = getattr(model, "__name__", type(model).__name__)
    if len(needed) > 1:
        raise RecordingError(f"{name} needs inputs: give a list of tensors or shapes, for {', '.join(needed)}")
    raise RecordingError(f"{name} needs inputs: give a tensor or a shape for {needed[0]}, "
                         f"as in strata.stat(model, {_usual_shape(model)})")


def _usual_shape(model: Any) -> Tuple[int, ...]:
    """A shape that the first layer takes, with sizes that images and sentences often have."""
    for module in model.modules() if isinstance(model, torch.nn.Module) else ():
        if isinstance(module, torch.nn.Embedding):
            return (1, 64)
        if isinstance(module, torch.nn.Linear):
            return (1, module.in_features)
        if isinstance(module, (torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)):
            sizes = {1: (1000,), 2: (224, 224), 3: (16, 112, 112)}
            return (1, module.in_channels, *sizes[len(module.kernel_size)])
    return (1, 3, 224, 224)


def _as_tensors(encoded: Mapping[str, Any]) -> Dict[str, Any]:
    """The output of a tokenizer or a processor, which has lists unless it was asked for tensors."""
    made: Dict[str, Any] = {}
    for name, value in encoded.items():
        try:
            made[name] = value if isinstance(value, torch.Tensor) else torch.as_tensor(value)
        except (TypeError, ValueError, RuntimeError):
            raise RecordingError(f"{name} has rows of different lengths: call the tokenizer with padding=True") from None
        if made[name].dim() == 1:
            made[name] = made[name].unsqueeze(0)
    return made


def _dtype(dtype: Any, place: Any) -> Optional[torch.dtype]:
    """The dtype of one input."""
    if isinstance(dtype, Mapping):
        dtype = dtype.get(place)
    elif isinstance(dtype, (list, tuple)):
        dtype = dtype[place] if isinstance(place, int) and place < len(dtype) else None
    if isinstance(dtype, str):
        found = getattr(torch, dtype.rpartition(".")[2], None)
        if not isinstance(found, torch.dtype):
            raise RecordingError(f'"{dtype}" is not a dtype: torch has "float32", "float16", "int64", "bool", …')
        return found
    if dtype is None or isinstance(dtype, torch.dtype):
        return dtype
    raise RecordingError(f"a {type(dtype).__name__} is not a dtype: give one of torch's, or its name")


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with each tensor and shape in it changed; containers keep their type."""
    if isinstance(value, (torch.Tensor, Shape)):
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
    if isinstance(value, Shape):
        return value.tensor(dtype, device)
    if not value.is_meta:
        return value
    if value.is_floating_point():
        return torch.rand(value.shape, device=device).to(value.dtype)
    return torch.zeros(value.shape, dtype=value.dtype, device=device)
