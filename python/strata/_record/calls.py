"""Module calls: Module.__call__ is replaced while a recording runs, and put back in every case.

Replacing it is faster than hooks, leaves the modules themselves alone, and sees every call: of shared
modules, of modules that are made during the run, and of compiled ones, whose original is called.
"""
from __future__ import annotations

import threading
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch

from .borrow import unwrapped
from .inputs import tensors_in
from .tape import Tape, quoted

Module = torch.nn.Module
_identity = threading.get_ident

# Of each class: what records a call of it at once, or returns None where it cannot (see shortcuts.py).
Shortcut = Callable[[Any, Tape, Tuple[Any, ...]], Any]


class ModuleCalls:
    """Keeps the tape's stack of module calls. Use as a context around the run."""

    def __init__(self, tape: Tape, modules: List[Tuple[str, Module]], shortcuts: Dict[type, Shortcut]):
        self.tape, self.shortcuts = tape, shortcuts
        # Of each module: the start of its text, and how often it was called.
        self.known: Dict[int, List[Any]] = {
            id(module): [f'[{quoted(path)},{quoted(type(module).__name__)},', 0, path, module]
            for path, module in modules}
        self.root = unwrapped(modules[0][1]) if modules else None
        self.failed: Optional[str] = None  # the innermost module in which an exception was raised

    def enter(self, module: Module, parent: int) -> int:
        """Notes a call and returns its number."""
        tape = self.tape
        known = self.known.get(id(module))
        if known is None:
            path = f"<{type(module).__name__}>"
            known = self.known[id(module)] = [f'[{quoted(path)},{quoted(type(module).__name__)},', 0, path, module]
        number = len(tape.modules)
        tape.modules.append(f"{known[0]}{parent},{known[1]}]")
        known[1] += 1
        return number

    def __enter__(self) -> "ModuleCalls":
        tape, shortcuts = self.tape, self.shortcuts
        thread, modules, calls = tape.thread, tape.modules, tape.calls
        self.original = original = Module.__call__

        def call(module: Module, *args: Any, **kwargs: Any) -> Any:
            if _identity() != thread:
                return original(module, *args, **kwargs)
            if type(module).__name__ == "OptimizedModule":
                return unwrapped(module)(*args, **kwargs)
            parent = tape.module if modules else -1
            tape.module = number = self.enter(module, parent)
            before = len(calls)
            try:
                shortcut = shortcuts.get(type(module))
                if shortcut is not None and not kwargs:
                    result = shortcut(module, tape, args)
                    if result is not None:
                        return result
                result = module._call_impl(*args, **kwargs)
                if len(calls) == before and len(modules) == number + 1:
                    self.leaf(number, (args, kwargs), result)
                return result
            except BaseException:
                if self.failed is None:
                    self.failed = self.known[id(module)][2] or type(module).__name__
                raise
            finally:
                tape.module = max(parent, 0)

        Module.__call__ = call  # type: ignore[method-assign]
        return self

    def leaf(self, number: int, given: Any, result: Any) -> None:
        """Notes a module call in which no operator ran."""
        tag = self.tape.tag
        inputs = ",".join(str(tag(tensor)[0]) for tensor, _ in tensors_in(given))
        outputs = ",".join(str(tag(tensor)[0]) for tensor, _ in tensors_in(result))
        self.tape.leaves.append(f"[{number},[{inputs}],[{outputs}]]")

    def __exit__(self, *_: Any) -> None:
        Module.__call__ = self.original  # type: ignore[method-assign]
