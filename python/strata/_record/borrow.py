"""Borrows a model for one run: twins in the place of its tensors, and everything put back after it."""
from __future__ import annotations

import random
import sys
from array import array
from collections import OrderedDict, defaultdict, deque
from operator import is_
from typing import Any, Dict, List, Optional, Set, Tuple

import torch

from .plan import Plan

Module = torch.nn.Module
_CONTAINERS = frozenset((list, dict, set, OrderedDict, defaultdict, deque))
_REPLACED = frozenset(("_parameters", "_buffers"))
_MOST_LOOKED_INTO = 1000  # things in a container, which may be containers themselves


def unwrapped(model: Any) -> Any:
    """The module or function that torch.compile was given."""
    while True:
        inner = None
        if isinstance(model, Module):
            if type(model).__name__ == "OptimizedModule":
                inner = model.__dict__["_modules"].get("_orig_mod")
        elif hasattr(model, "_torchdynamo_orig_callable"):
            inner = model._torchdynamo_orig_callable
        if inner is None:
            return model
        model = inner


def walk(root: Module) -> List[Tuple[str, Module]]:
    """Each module once with its path, as named_modules() has them; compiled ones are looked through."""
    found: List[Tuple[str, Module]] = []
    seen = set()

    def visit(path: str, module: Module) -> None:
        if type(module).__name__ == "OptimizedModule":
            module = unwrapped(module)
        if id(module) in seen:
            return
        seen.add(id(module))
        found.append((path, module))
        children = module._modules
        if children:
            start = f"{path}." if path else ""
            for name, child in children.items():
                if child is not None:
                    visit(start + name, child)

    visit("", root)
    return found


class Borrowed:
    """Holds a model's state from the start of a run to its end. Use as a context."""

    def __init__(self, modules: List[Tuple[str, Module]], plan: Optional[Plan]):
        self.modules, self.plan = modules, plan
        # The names of each module's attributes, of which many modules have the same, and the values of all
        # modules in one list, since a tuple for each module would take more than what it holds.
        self.names: List[Tuple[str, ...]] = []
        self.values: List[Any] = []
        self.contents: List[Tuple[Any, Any]] = []  # containers, and copies of them
        self.empty: List[Any] = []  # containers in others that hold nothing
        self.noted: Set[int] = set()  # ids of containers in contents
        self.away: Set[int] = set()  # ids of those that twins stand for, which the run does not see

    def __enter__(self) -> "Borrowed":
        self.generator = torch.get_rng_state()
        version, words, rest = random.getstate()  # hundreds of Python's integers take five times as much as an array
        self.python_random = version, array("Q", words), rest
        numpy = sys.modules.get("numpy")
        self.numpy_random = numpy.random.get_state() if numpy is not None and hasattr(numpy, "random") else None
        self.cuda_random = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
        known: Dict[Tuple[str, ...], Tuple[str, ...]] = {}
        replaced = _REPLACED if self.plan is not None else frozenset()
        for _, module in self.modules:
            own = module.__dict__
            names = tuple(own)
            self.names.append(known.setdefault(names, names))
            self.values += own.values()
            for name, value in own.items():
                if type(value) in _CONTAINERS and value:
                    if name in replaced:
                        self.away.add(id(value))
                    else:
                        self._note(value)
        if self.plan is not None:
            for (_, module), planned in zip(self.modules, self.plan.modules):
                if not isinstance(module, torch.jit.ScriptModule):
                    planned.lend(module.__dict__)
        return self

    def _note(self, value: Any) -> None:
        """Keeps what a container holds, and the containers in it."""
        if id(value) in self.noted:
            return
        self.noted.add(id(value))
        self.contents.append((value, value.copy()))
        if len(value) <= _MOST_LOOKED_INTO and type(value) is not set:
            for one in value.values() if isinstance(value, dict) else value:
                if type(one) in _CONTAINERS:
                    self._note(one) if one else self.empty.append(one)

    def __exit__(self, *_: Any) -> None:
        end = 0
        for (_, module), names in zip(self.modules, self.names):
            own, start = module.__dict__, end
            end += len(names)
            values = self.values[start:end]
            for group in ("_parameters", "_buffers"):
                if group in names:
                    own[group] = values[names.index(group)]
            if tuple(own) != names or not all(map(is_, own.values(), values)):
                own.clear()
                own.update(zip(names, values))
        if self.plan is not None:
            for planned in self.plan.modules:
                planned.take_back()
        for value in self.values:
            if type(value) in _CONTAINERS and value and id(value) not in self.noted and id(value) not in self.away:
                value.clear()  # it held nothing
        for value in self.empty:
            if value:
                value.clear()
        for value, before in self.contents:
            if not _same(value, before):
                value.clear()
                value.extend(before) if type(value) in (list, deque) else value.update(before)
        torch.set_rng_state(self.generator)
        version, words, rest = self.python_random
        random.setstate((version, tuple(words), rest))
        if self.numpy_random is not None:
            sys.modules["numpy"].random.set_state(self.numpy_random)
        if self.cuda_random is not None:
            torch.cuda.set_rng_state_all(self.cuda_random)


def _same(now: Any, before: Any) -> bool:
    """True if a container holds the same objects as before."""
    if len(now) != len(before):
        return False
    if not before:
        return True
    if type(now) is set:
        return now == before
    if type(now) in (list, deque):
        return all(map(is_, now, before))
    return list(now) == list(before) and all(map(is_, now.values(), before.values()))
