"""Checks that a module still is what was exported: its weights, the modules inside, their attributes and hooks.

A weight that is replaced is another object in its table; one that is changed in place has another version,
and one whose `data` is replaced has its elements elsewhere, or in another order. This is asked in every call,
so libstrata_guard.so does it in one pass where it is there; without it, Python does, and takes longer.
"""

from __future__ import annotations

import ctypes
import sysconfig
from functools import cache
from typing import Any, Optional

import torch

from .. import _native

#: Attributes that strata.optimize itself sets.
_OWN = ("forward", "strata")
#: What the helper answers; from 0 on, it is the number of a table.
_NOTHING, _HOOKS, _WEIGHTS = -1, -2, -3


class _Layout(ctypes.Structure):
    _fields_ = [("record", ctypes.c_size_t), ("counter", ctypes.c_size_t), ("version", ctypes.c_size_t)]


def _words(address: int, size: int, width: int = 8) -> list[int]:
    data = ctypes.string_at(address, size)
    return [int.from_bytes(data[at : at + width], "little") for at in range(0, size - width + 1, width)]


def _usable(address: int) -> int:
    ask = ctypes.CDLL(None).malloc_usable_size
    ask.restype, ask.argtypes = ctypes.c_size_t, [ctypes.c_void_p]
    return min(ask(address), 512)


def _find_layout() -> Optional[_Layout]:
    """Where torch keeps the record of a tensor, and in it the number of its changes; None if it cannot be told."""
    name = "_ZN5torch8autograd4impl15version_counterERKN2at6TensorE"  # version_counter(Tensor const&)
    try:
        counter_of = getattr(ctypes.CDLL("libtorch_cpu.so", mode=4), name)  # RTLD_NOLOAD: torch's own, which is open
    except (OSError, AttributeError):
        return None
    counter_of.restype, counter_of.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    found = set()
    with torch.no_grad():
        for changes in (0, 3, 300):
            tensor = torch.zeros(2, 2)
            for _ in range(changes):
                tensor.zero_()
            record: int = tensor._cdata
            objects = [8 * i for i, word in enumerate(_words(id(tensor), torch.Tensor.__basicsize__)) if word == record]
            counter = counter_of(ctypes.byref(ctypes.c_void_p(record)))
            if len(objects) != 1 or not record <= counter <= record + _usable(record) - 8:
                return None
            (address,) = _words(counter, 8)
            if not address:
                return None
            versions = [4 * i for i, word in enumerate(_words(address, _usable(address), 4)) if word == changes and i >= 2]
            found.add((objects[0], counter - record, frozenset(versions)))
    places = {each[:2] for each in found}
    common = frozenset.intersection(*(each[2] for each in found))
    if len(places) != 1 or len(common) != 1:
        return None
    return _Layout(*places.pop(), *common)


def _sees_every_change(library: ctypes.PyDLL, layout: _Layout) -> bool:
    """True if the helper notices each way to change a tensor."""

    def swap(tensor: torch.Tensor) -> None:
        other = torch.zeros_like(tensor)
        if hasattr(torch.utils, "swap_tensors"):
            torch.utils.swap_tensors(tensor, other)
        else:
            tensor.data = other

    kept = []
    harmless = [
        lambda tensor: None,
        lambda tensor: kept.append(tensor.detach()),
        lambda tensor: kept.append(torch.nn.ParameterList([torch.nn.Parameter(tensor)]).state_dict()),
        lambda tensor: tensor.sum().item(),
    ]
    changes = [
        lambda tensor: tensor.add_(0),
        lambda tensor: tensor.detach().add_(0),
        lambda tensor: tensor[0].zero_(),
        lambda tensor: setattr(tensor, "data", torch.zeros_like(tensor)),
        lambda tensor: setattr(tensor, "data", tensor.data.t()),
        lambda tensor: setattr(tensor, "data", tensor.data[1:]),
        lambda tensor: setattr(tensor, "data", tensor.data.double()),
        lambda tensor: tensor.set_(torch.zeros(2, 2)),
        swap,
    ]
    with torch.no_grad():
        for change in [*harmless, *changes]:
            for tensor in (torch.rand(2, 2), torch.nn.Parameter(torch.rand(2, 2))):
                guard = library.strata_guard_new([], [], [tensor], [], ctypes.byref(layout))
                change(tensor)  # type: ignore[no-untyped-call]
                seen = library.strata_guard_changed(guard)
                library.strata_guard_free(guard)
                if seen != (_NOTHING if change in harmless else _WEIGHTS):
                    return False
    return True


@cache
def _helper() -> Optional[tuple[ctypes.PyDLL, _Layout]]:
    """The helper and where it has to look; None if it is not there, or does not see what it has to."""
    path = _native.find("libstrata_guard.so")
    # Without the interpreter's lock, tables could change while they are read.
    if path is None or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    try:
        library = ctypes.PyDLL(str(path))
        library.strata_guard_new.restype = ctypes.c_void_p
        library.strata_guard_new.argtypes = [ctypes.py_object] * 4 + [ctypes.c_void_p]
        library.strata_guard_changed.argtypes = library.strata_guard_free.argtypes = [ctypes.c_void_p]
        library.strata_guard_free.restype = None
        layout = _find_layout()
        return (library, layout) if layout is not None and _sees_every_change(library, layout) else None
    except (OSError, AttributeError, RuntimeError):
        return None


def _record(weight: torch.Tensor) -> tuple[Any, ...]:
    return weight._version, weight.data_ptr(), weight.shape, weight.stride(), weight.dtype


class Guard:
    """The present state of a module and of those inside of it."""

    def __init__(self, module: torch.nn.Module) -> None:
        inside = list(module.modules())
        # Tables by what it means that one has changed. The first is the module's own, in which two
        # attributes come and go.
        self._tables: list[dict[str, Any]] = [each.__dict__ for each in inside]
        self._reasons = ["attributes"] * len(inside)
        for each in inside:
            self._tables += [each._parameters, each._buffers, each._modules]
            self._reasons += ["weights", "weights", "modules"]
        self._inside = inside
        self._hooks: list[Any] = [hooks for each in inside[1:] for hooks in (each._forward_hooks, each._forward_pre_hooks)]
        self._held = self._pairs()
        self.weights = [each for pairs in self._held for _, each in pairs if isinstance(each, torch.Tensor)]
        self._records = list(map(_record, self.weights))
        self._handle: Optional[int] = None
        self._changed = self._in_python
        # Subclasses may keep their elements elsewhere, and sizes of many axes are not in the record.
        if all(type(each) in (torch.Tensor, torch.nn.Parameter) and each.dim() <= 5 for each in self.weights):
            self._ask_helper()

    def _ask_helper(self) -> None:
        helper = _helper()
        if helper is None:
            return
        library, layout = helper
        self._handle = library.strata_guard_new(
            self._tables, self._hooks, self.weights, list(_OWN), ctypes.byref(layout)
        )
        self._free = library.strata_guard_free
        changed, handle = library.strata_guard_changed, ctypes.c_void_p(self._handle)
        self._changed = lambda: changed(handle)

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self._free(self._handle)

    def _pairs(self) -> list[list[tuple[str, Any]]]:
        own = [pair for pair in self._tables[0].items() if pair[0] not in _OWN]
        return [own, *(list(table.items()) for table in self._tables[1:])]

    def _in_python(self) -> int:
        for number, (pairs, held) in enumerate(zip(self._pairs(), self._held)):
            if len(pairs) != len(held):
                return number
            for (name, now), (old_name, old) in zip(pairs, held):
                if now is not old or name != old_name:
                    return number
        if any(self._hooks):
            return _HOOKS
        return _NOTHING if list(map(_record, self.weights)) == self._records else _WEIGHTS

    def changed(self) -> Optional[str]:
        """The kind of change: "weights", "modules", "training", "attributes" or "hooks"; None if there is none."""
        number = self._changed()
        if number == _NOTHING:
            return None
        if number < 0:
            return "hooks" if number == _HOOKS else "weights"
        if number < len(self._inside) and self._inside[number].training:
            return "training"
        return self._reasons[number]
