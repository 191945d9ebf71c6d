"""Tensors without values that a model moves to the device where it seems to run.

Small tensors keep their values while a model is recorded, on the CPU, so that a model may find two devices where
a real run has one: `mask.to(positions.device)`. In a real run nothing is moved there.
"""
from __future__ import annotations

import threading
from typing import Any

import torch

from .tape import Tape

_PLAIN = (torch.Tensor, torch.nn.Parameter)


class Devices:
    """Replaces Tensor.to in one thread. Use as a context."""

    def __init__(self, tape: Tape):
        self.thread, self.device = tape.thread, torch.device(tape.device).type
        self.before: Any = None

    def __enter__(self) -> "Devices":
        self.before = torch.Tensor.__dict__.get("to")
        original = torch.Tensor.to

        def to(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if type(tensor) in _PLAIN and tensor.is_meta and threading.get_ident() == self.thread:
                args, kwargs = self._where_it_is(tensor, args, kwargs)
            return original(tensor, *args, **kwargs)

        torch.Tensor.to = to  # type: ignore[method-assign, assignment]
        return self

    def __exit__(self, *_: Any) -> None:
        if self.before is None:
            del torch.Tensor.to
        else:
            torch.Tensor.to = self.before  # type: ignore[method-assign]

    def _where_it_is(self, tensor: torch.Tensor, args: Any, kwargs: Any) -> Any:
        """The arguments with the tensor's own device, or none, in the place of the model's."""
        named = "device" if "device" in kwargs else "other"
        target = args[0] if args else kwargs.get(named)
        if isinstance(target, torch.Tensor) and target.device.type == self.device:
            target = target.dtype
        elif isinstance(target, (str, torch.device)) and torch.device(target).type == self.device:
            target = tensor.device
        else:
            return args, kwargs
        if args:
            return (target, *args[1:]), kwargs
        rest = {name: value for name, value in kwargs.items() if name != named}
        return (), {**rest, "dtype" if isinstance(target, torch.dtype) else "device": target}
