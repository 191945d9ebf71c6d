"""Borrows a model for one run: twins without values in the place of its tensors, everything put back after."""
from __future__ import annotations

import random
import sys
import weakref
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch

from .errors import NeedsValues, RecordingError

Module = torch.nn.Module
_SIMPLE = (torch.Tensor, torch.nn.Parameter, getattr(torch.nn, "Buffer", torch.nn.Parameter))


def unwrapped(model: Any) -> Any:
    """The module or function that torch.compile was given."""
    while True:
        inner = None
        if isinstance(model, Module):
            inner = model.__dict__.get("_modules", {}).get("_orig_mod") if _compiled(model) else None
        elif hasattr(model, "_torchdynamo_orig_callable"):
            inner = model._torchdynamo_orig_callable
        if inner is None:
            return model
        model = inner


def _compiled(module: Module) -> bool:
    return type(module).__name__ == "OptimizedModule"


def walk(root: Module) -> List[Tuple[str, Module]]:
    """Each module once with its path, as named_modules() has them; compiled ones are looked through."""
    found: List[Tuple[str, Module]] = []
    seen = set()

    def visit(path: str, module: Module) -> None:
        module = unwrapped(module)
        if id(module) in seen:
            return
        seen.add(id(module))
        found.append((path, module))
        for name, child in module._modules.items():
            if child is not None:
                visit(f"{path}.{name}" if path else name, child)

    visit("", root)
    return found


class Twins:
    """A tensor without values for each of the model's, the same one for a tensor that is shared."""

    _kept: Dict[int, Tuple[Any, torch.Tensor]] = {}

    def __init__(self, make: Callable[[torch.Tensor], torch.Tensor], keep: bool):
        self.make, self.keep = make, keep
        self.made: Dict[int, torch.Tensor] = {}

    def of(self, tensor: torch.Tensor) -> torch.Tensor:
        twin = self.made.get(id(tensor))
        if twin is None:
            twin = self.made[id(tensor)] = self._kept_twin(tensor) if self.keep else self.make(tensor)
        return twin

    def _kept_twin(self, tensor: torch.Tensor) -> torch.Tensor:
        """A twin from an earlier recording of the same model, if there is one."""
        found = Twins._kept.get(id(tensor))
        if found is not None and found[0]() is tensor:
            twin = found[1]
            if (twin.shape == tensor.shape and twin.dtype is tensor.dtype and type(twin) is type(tensor)
                    and twin.stride() == tensor.stride() and twin.requires_grad == tensor.requires_grad):
                return twin
        number = id(tensor)
        twin = self.make(tensor)
        Twins._kept[number] = (weakref.ref(tensor, lambda _: Twins._kept.pop(number, None)), twin)
        return twin


def meta_twin(tensor: torch.Tensor) -> torch.Tensor:
    """A meta tensor of the same type, sizes, strides and dtype."""
    if type(tensor) not in _SIMPLE or tensor.layout is not torch.strided or tensor.is_quantized:
        raise NeedsValues(f"a tensor of type {type(tensor).__name__} has no form without values")
    twin = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")
    if isinstance(tensor, torch.nn.Parameter):
        return torch.nn.Parameter(twin, requires_grad=tensor.requires_grad)
    return twin.requires_grad_() if tensor.requires_grad else twin


def alias_twin(tensor: torch.Tensor) -> torch.Tensor:
    """The same values in a tensor of its own, so that gradients do not reach the user's."""
    if isinstance(tensor, torch.nn.Parameter):
        return torch.nn.Parameter(tensor.detach(), requires_grad=tensor.requires_grad)
    return tensor.detach()


class Borrowed:
    """Holds a model's state from the start of a run to its end. Use as a context."""

    def __init__(self, modules: List[Tuple[str, Module]], twins: Optional[Twins]):
        self.modules, self.twins = modules, twins
        self.attributes: List[Tuple[Dict[str, Any], Dict[str, Any]]] = []
        self.contents: List[Tuple[Any, Any]] = []
        for path, module in modules:
            for name, tensor in module.__dict__.get("_parameters", {}).items():
                if tensor is not None and type(tensor).__name__.startswith("Uninitialized"):
                    raise RecordingError(f"the parameter {path}.{name} has no size yet: run the model once, "
                                         "then profile it")

    def __enter__(self) -> "Borrowed":
        self.generator = torch.get_rng_state()
        self.python_random = random.getstate()
        numpy = sys.modules.get("numpy")
        self.numpy_random = numpy.random.get_state() if numpy is not None and hasattr(numpy, "random") else None
        cuda = torch.cuda.is_initialized()
        self.cuda_random = torch.cuda.get_rng_state_all() if cuda else None
        try:
            for _, module in self.modules:
                self._borrow(module)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _borrow(self, module: Module) -> None:
        own = module.__dict__
        self.attributes.append((own, own.copy()))
        for value in own.values():
            if type(value) in (list, dict, set):
                self.contents.append((value, value.copy()))
        if self.twins is None or isinstance(module, torch.jit.ScriptModule):
            return
        of = self.twins.of
        for group in ("_parameters", "_buffers"):
            tensors = own.get(group)
            if tensors:
                own[group] = type(tensors)((name, None if one is None else of(one)) for name, one in tensors.items())

    def __exit__(self, *_: Any) -> None:
        for own, before in self.attributes:
            own.clear()
            own.update(before)
        for value, before in self.contents:
            if type(value) is list:
                value[:] = before
            else:
                value.clear()
                value.update(before)
        torch.set_rng_state(self.generator)
        random.setstate(self.python_random)
        if self.numpy_random is not None:
            sys.modules["numpy"].random.set_state(self.numpy_random)
        if self.cuda_random is not None:
            torch.cuda.set_rng_state_all(self.cuda_random)
