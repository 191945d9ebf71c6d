"""Module calls: Module.__call__ is replaced while a recording runs, and put back in every case.

Replacing it is faster than hooks, leaves the modules themselves alone, and sees every call: of shared
modules, of modules that are made during the run, and of compiled ones, whose original is called.
"""
from __future__ import annotations

import threading
from typing import Any, Dict, List, Optional

import torch

from .borrow import unwrapped, walk
from .errors import NeedsValues
from .inputs import tensors_in
from .plan import Plan, Planned, own_tensors
from .shortcuts import Shortcuts
from .step import Step
from .tape import MOST_PENDING, Tape, quoted

Module = torch.nn.Module
MultiheadAttention = torch.nn.MultiheadAttention
_identity = threading.get_ident


def _older_autocast() -> bool:
    return torch.is_autocast_enabled() or torch.is_autocast_cpu_enabled()


_autocast = getattr(torch._C, "_is_any_autocast_enabled", _older_autocast)


def note_fast_path(tape: Tape, module: MultiheadAttention, args: Any, kwargs: Any) -> None:
    """Says that torch would run another kernel, if it would: for self-attention where nothing is trained."""
    given = [*args, *(kwargs[name] for name in ("query", "key", "value") if name in kwargs)][:3]
    switch = getattr(torch.backends, "mha", None)
    if switch is not None and not module.training and not torch.is_grad_enabled() and given and given[0] is given[-1]:
        tape.note("nn.MultiheadAttention: rows and memory are those of a run without PyTorch's fast path, "
                  "torch.backends.mha.set_fastpath_enabled(False); the fast path's own buffers may take more or less")


class ModuleCalls:
    """Keeps the tape's stack of module calls. Use as a context around the run."""

    def __init__(self, tape: Tape, plan: Plan, shortcuts: Optional[Shortcuts], meta: bool, step: Optional[Step] = None):
        self.tape, self.known, self.shortcuts, self.meta, self.step = tape, plan.known, shortcuts, meta, step
        self.counts: Dict[int, int] = {}
        self.met: Dict[int, Planned] = {}  # modules that are not the root's
        self.held: List[Module] = []
        self.failed: Optional[str] = None  # the innermost module in which an exception was raised

    def stranger(self, module: Module) -> Planned:
        """A module that is not in the tree: made during the run, or used by a function. Its parameters count, too."""
        found = self.met.get(id(module))
        if found is not None:
            return found
        start = f"<{type(module).__name__}>"
        for below, one in walk(module):
            if id(one) in self.known or id(one) in self.met:
                continue
            path = f"{start}.{below}" if below else start
            self.met[id(one)] = Planned(path, one)
            self.held.append(one)
            for group, rows in (("_parameters", self.tape.parameters), ("_buffers", self.tape.buffers)):
                for name, tensor in own_tensors(one, group).items():
                    if tensor is not None and id(tensor) not in self.tape.foreign:
                        row = f"[{self.tape.tag(tensor)[0]},{quoted(f'{path}.{name}')}"
                        trainable = "true" if tensor.requires_grad else "false"
                        rows.append(f"{row},{quoted(path)},{trainable}]" if group == "_parameters" else f"{row}]")
        return self.met[id(module)]

    def __enter__(self) -> "ModuleCalls":
        tape, shortcuts, known, counts = self.tape, self.shortcuts, self.known, self.counts
        thread, modules, calls, meta, step = tape.thread, tape.modules, tape.calls, self.meta, self.step
        self.original = original = Module.__call__

        def call(module: Module, *args: Any, **kwargs: Any) -> Any:
            if _identity() != thread:
                if id(module) in known:
                    tape.note("modules that ran in other threads are not counted")
                return original(module, *args, **kwargs)
            if type(module).__name__ == "OptimizedModule":
                return unwrapped(module)(*args, **kwargs)
            if tape.phase:
                return self.repeated(module, args, kwargs)
            planned = known.get(id(module)) or self.stranger(module)
            number = len(modules)
            parent = tape.module if number else -1
            count = counts.get(id(module), 0)
            counts[id(module)] = count + 1
            modules.append(f"{planned.head}{parent},{count}]")
            if step is not None:
                step.took(max(parent, 0), (args, kwargs))
            tape.module = number
            before = len(calls)
            if isinstance(module, MultiheadAttention):
                note_fast_path(tape, module, args, kwargs)
            try:
                if meta and _autocast():
                    raise NeedsValues("autocast chooses types by the device of real tensors")
                if shortcuts is not None and not kwargs and len(args) == 1 and type(module) in shortcuts.classes:
                    return shortcuts.call(module, planned, args[0])
                if isinstance(module, torch.jit.ScriptModule):  # torch 1.13: a scripted one has no _call_impl
                    result = original(module, *args, **kwargs)
                else:
                    result = module._call_impl(*args, **kwargs)
                if len(calls) == before and len(modules) == number + 1:
                    self.leaf(number, (args, kwargs), result)
                if step is not None:
                    step.forward_calls.setdefault(id(module), []).append(number)
                    step.took(number, result)
                return result
            except BaseException:
                if self.failed is None:
                    self.failed = planned.path or type(module).__name__
                raise
            finally:
                tape.module = parent if number else 0
                if len(calls) - calls.joined > MOST_PENDING:
                    tape.join()

        Module.__call__ = call  # type: ignore[method-assign]
        return self

    def repeated(self, module: Module, args: Any, kwargs: Any) -> Any:
        """A call during the backward pass: checkpointing runs a forward call again."""
        tape, before = self.tape, self.tape.module
        tape.module = number = self.step.again(module) if self.step is not None else before
        try:
            if self.step is not None:
                self.step.took(before, (args, kwargs))
            result = module._call_impl(*args, **kwargs)
            if self.step is not None:
                self.step.took(number, result)
            return result
        finally:
            tape.module = before

    def leaf(self, number: int, given: Any, result: Any) -> None:
        """Notes a module call in which no operator ran."""
        self.tape.leaf(number, [one for one, _ in tensors_in(given)], [one for one, _ in tensors_in(result)])

    def __exit__(self, *_: Any) -> None:
        Module.__call__ = self.original  # type: ignore[method-assign]
