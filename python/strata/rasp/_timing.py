"""How long each module takes: the mean of some runs after some that do not count."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any

import torch
from torch import nn

from .._errors import StrataError
from ..compat._modules import training_mode


class Times:
    """Milliseconds of each call of each module, over all timed runs."""

    def __init__(self, runs: int) -> None:
        self.runs = runs
        self.whole: dict[tuple[nn.Module, int], float] = defaultdict(float)
        self.inner: dict[tuple[nn.Module, int], float] = defaultdict(float)

    def of(self, module: nn.Module, call: int) -> tuple[float, float]:
        """The time of a call, and the part of it that is not in other modules."""
        whole = self.whole[module, call] / self.runs
        return whole, whole - self.inner[module, call] / self.runs


def measure(module: nn.Module, inputs: list[Any], device: Any, profile: Any) -> Times:
    """Runs the module `warmup_batches` and `num_batches` times and times the latter, module by module."""
    place = torch.device(device) if device is not None else None
    if place is not None and place.type == "cuda" and not torch.cuda.is_available():
        raise StrataError("there is no CUDA device to measure on: torch.cuda.is_available() is False")
    before = next((p.device for p in module.parameters()), None)
    runs = max(1, int(profile.num_batches))
    times = Times(runs)
    try:
        if place is not None:
            module.to(place)
        here = place or before
        given = [each.to(here) if isinstance(each, torch.Tensor) and here is not None else each for each in inputs]
        with training_mode(module, False), torch.no_grad():
            for _ in range(int(profile.warmup_batches)):
                module(*given)
            with _Hooks(module, times, place is not None and place.type == "cuda") as hooks:
                for _ in range(runs):
                    hooks.begin()
                    module(*given)
    finally:
        if place is not None and before is not None:
            module.to(before)
    return times


class _Hooks:
    """Hooks that add up the time of each call; on CUDA they wait for the device first."""

    def __init__(self, module: nn.Module, times: Times, wait: bool) -> None:
        self.module, self.times, self.wait = module, times, wait
        self.begin()

    def begin(self) -> None:
        self.calls: dict[nn.Module, int] = defaultdict(int)
        self.stack: list[tuple[tuple[nn.Module, int], float]] = []

    def now(self) -> float:
        if self.wait:
            torch.cuda.synchronize()
        return time.perf_counter()

    def enter(self, module: nn.Module, _: Any) -> None:
        self.calls[module] += 1
        self.stack.append(((module, self.calls[module]), self.now()))

    def leave(self, module: nn.Module, _: Any, __: Any) -> None:
        call, begun = self.stack.pop()
        taken = 1000 * (self.now() - begun)
        self.times.whole[call] += taken
        if self.stack:
            self.times.inner[self.stack[-1][0]] += taken

    def __enter__(self) -> _Hooks:
        self.handles = [m.register_forward_pre_hook(self.enter) for m in self.module.modules()]
        self.handles += [m.register_forward_hook(self.leave) for m in self.module.modules()]
        return self

    def __exit__(self, *_: Any) -> None:
        for handle in self.handles:
            handle.remove()
