"""Recurrent layers without values: they run as on the CPU, and all their tensors have to be on one device.

Small tensors keep their values while a model is recorded (a state of zeros, a short input), and torch refuses a
recurrent layer whose tensors are on several devices. They are handed over without their values.
"""
from __future__ import annotations

from typing import Any, Callable, Dict

import torch

from . import recurrent_cpu
from .errors import NeedsValues
from .plan import Plan
from .shortcuts import new_unseen
from .tape import Tape, meta_kind

_NAMES = ("lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell")


class Recurrent:
    """Replaces the functions that torch.nn's recurrent layers call. Use as a context."""

    def __init__(self, tape: Tape, plan: Plan, as_the_cpu: bool):
        self.tape, self.twins = tape, plan.tags
        self.as_the_cpu = as_the_cpu and tape.device == "cpu"
        self.before: Dict[str, Any] = {}

    def __enter__(self) -> "Recurrent":
        functions = torch._VF.__dict__
        for name in _NAMES:
            self.before[name] = functions.get(name)
            setattr(torch._VF, name, self._without_values(name, getattr(torch._VF, name)))
        return self

    def __exit__(self, *_: Any) -> None:
        for name, function in self.before.items():
            if function is None:
                delattr(torch._VF, name)
            else:
                setattr(torch._VF, name, function)

    def _without_values(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            empty = tuple(self._empty(value) for value in args)
            if self.as_the_cpu and not kwargs and not name.endswith("_cell"):
                if not recurrent_cpu.takes(name, empty):
                    raise NeedsValues(f"{name} is given tensors of several kinds")
                return recurrent_cpu.run(name, empty)
            return function(*empty, **kwargs)

        return call

    def _empty(self, value: Any) -> Any:
        """The same without values; lengths of a packed sequence, which are whole numbers, keep theirs."""
        if type(value) in (list, tuple):
            return type(value)(self._empty(one) for one in value)
        if not isinstance(value, torch.Tensor) or value.is_meta or not value.is_floating_point():
            return value
        if id(value) in self.twins:  # torch 1.13 keeps a list of the weights beside the parameters
            return self.twins[id(value)][0]
        number, kind, storage, _ = self.tape.tag(value)
        empty = new_unseen(meta_kind(kind))
        empty._strata = (number, meta_kind(kind), storage, self.tape.mark)  # type: ignore[attr-defined]
        return empty
