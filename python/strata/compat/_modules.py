"""Inputs and outputs of the modules of a model, seen by hooks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn


@dataclass(frozen=True)
class Shape:
    """A tensor's shape and type, without the tensor."""

    sizes: tuple[int, ...]
    dtype: torch.dtype
    element_bytes: int

    @property
    def elements(self) -> int:
        product = 1
        for size in self.sizes:
            product *= size
        return product

    def tensor(self) -> torch.Tensor:
        """A tensor of this shape that has no elements stored."""
        return torch.empty(self.sizes, dtype=self.dtype, device="meta")


def described(value: Any) -> Any:
    """The value with every tensor in it as a Shape."""
    if isinstance(value, torch.Tensor):
        return Shape(tuple(int(size) for size in value.shape), value.dtype, value.element_size())
    if isinstance(value, Mapping):
        return {key: described(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [described(each) for each in value]
    return value


def tensors(value: Any) -> Any:
    """The reverse of `described`: every Shape as a tensor without storage."""
    if isinstance(value, Shape):
        return value.tensor()
    if isinstance(value, dict):
        return {key: tensors(each) for key, each in value.items()}
    if isinstance(value, list):
        return tuple(tensors(each) for each in value)
    return value


@dataclass
class ModuleCall:
    """One call of a module; `number` counts the module's calls from 1."""

    path: str
    module: nn.Module
    number: int
    inputs: Any = None
    outputs: Any = None
    finished: bool = False


@dataclass
class Watched:
    """The calls of a model's modules in the order of their entry."""

    model: nn.Module
    calls: list[ModuleCall] = field(default_factory=list)

    def of(self, module: nn.Module) -> list[ModuleCall]:
        return [call for call in self.calls if call.module is module]


def paths(model: nn.Module) -> dict[nn.Module, str]:
    """Each module's path; one that has several keeps the first."""
    return {module: path for path, module in model.named_modules()}


@contextlib.contextmanager
def watched(model: nn.Module) -> Iterator[Watched]:
    """Hooks on every module of `model`, for the time of the `with` block."""
    result = Watched(model)
    running: list[ModuleCall] = []
    counts: dict[nn.Module, int] = {}
    path_of = paths(model)

    def enter(module: nn.Module, inputs: Any) -> None:
        if module is model:
            # A model that does not run without values is run a second time.
            result.calls.clear()
            running.clear()
            counts.clear()
        counts[module] = counts.get(module, 0) + 1
        call = ModuleCall(path_of[module], module, counts[module], described(inputs))
        result.calls.append(call)
        running.append(call)

    def leave(module: nn.Module, inputs: Any, outputs: Any) -> None:
        while running:
            call = running.pop()
            if call.module is module:
                call.outputs, call.finished = described(outputs), True
                return

    # Modules of TorchScript take no hooks while they run, and have no calls of their own.
    hooked = [module for module in path_of if not isinstance(module, torch.jit.ScriptModule)]
    handles = [module.register_forward_pre_hook(enter) for module in hooked]
    handles += [module.register_forward_hook(leave) for module in hooked]
    try:
        yield result
    finally:
        for handle in handles:
            handle.remove()


@contextlib.contextmanager
def training_mode(model: nn.Module, training: bool | None) -> Iterator[None]:
    """The model in another mode, each module put back to its own afterwards; None changes nothing."""
    kept = {module: module.training for module in model.modules()}
    try:
        if training is not None:
            model.train(training)
        yield
    finally:
        for module, was in kept.items():
            module.training = was
