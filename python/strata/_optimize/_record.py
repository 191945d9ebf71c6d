"""Which modules of a model take its time, and what they are called with."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any, Callable, Sequence

import torch

from ._flat import Call, Example, by_name, copied, tensors

#: How many calls of a module are kept of each example: per-level heads are called several times.
MOST_CALLS = 8


def call(model: torch.nn.Module, example: Example) -> Any:
    with torch.no_grad():
        return model(*example.args, **example.kwargs)


def judged_call(model: torch.nn.Module, example: Example) -> Any:
    """An answer to compare: with copies of the arguments, and always the same random numbers."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return call(model, copied(example))


def time_modules(model: torch.nn.Module, examples: Sequence[Example]) -> dict[str, float]:
    """The seconds of processor time that an example spends in each module, with those inside of it."""
    names = {module: name for name, module in model.named_modules() if not isinstance(module, torch.jit.ScriptModule)}
    spent: dict[str, float] = defaultdict(float)
    began: list[float] = []

    def before(module: torch.nn.Module, _: Any) -> None:
        began.append(time.process_time())

    def after(module: torch.nn.Module, *_: Any) -> None:
        spent[names[module]] += time.process_time() - began.pop()

    call(model, examples[0])
    hooks = [hook for module in names for hook in
             (module.register_forward_pre_hook(before), module.register_forward_hook(after))]  # fmt: skip
    try:
        for example in examples:
            call(model, example)
    finally:
        for hook in hooks:
            hook.remove()
    return {name: seconds / len(examples) for name, seconds in spent.items()}


def record_calls(
    model: torch.nn.Module, modules: Sequence[torch.nn.Module], examples: Sequence[Example]
) -> list[list[Call]]:
    """The calls of each of these modules while the model runs once. Their `forward` is looked at, so that arguments by
    name are seen, too.

    Calls with empty tensors are left out: torch answers those, as those of a head when there is no box.
    """
    calls: list[list[Call]] = [[] for _ in modules]
    most = MOST_CALLS * len(examples)

    def watched(plain: Callable[..., Any], seen: list[Call]) -> Callable[..., Any]:
        def forward(*args: Any, **kwargs: Any) -> Any:
            if len(seen) >= most or not all(each.numel() for each in tensors((args, kwargs))):
                return plain(*args, **kwargs)
            before = copied(args), copied(by_name(kwargs))
            out = plain(*args, **kwargs)
            seen.append(Call(*before, copied(out)))
            return out

        return forward

    kept = [(module, module.__dict__.get("forward")) for module in modules]
    try:
        for module, seen in zip(modules, calls):
            module.__dict__["forward"] = watched(module.forward, seen)
        for example in examples:
            call(model, example)
    finally:
        for module, own in kept:
            module.__dict__.pop("forward", None)
            if own is not None:
                module.__dict__["forward"] = own
    return calls
