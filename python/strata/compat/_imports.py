"""Puts the modules of this package in the place of the packages that they stand for."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

#: what an import asks for, and what it gets
REPLACED = {
    "torchstat": "strata.compat.torchstat",
    "torchinfo": "strata.compat.torchinfo",
    "thop": "strata.compat.thop",
    "ptflops": "strata.compat.ptflops",
    "rasp": "strata.rasp",
    "rasp.addons": "strata.rasp.addons",
    "rasp.addons.energy": "strata.rasp.addons.energy",
}

#: modules that keep what else they have; only names that ours has, too, are replaced
MERGED = {
    "fvcore.nn": "strata.compat.fvcore",
    "torch.utils.flop_counter": "strata.compat.flop_counter",
}


def install() -> None:
    """From now on, imports of the replaced packages give ours. Twice is as good as once."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    for name in [*REPLACED, "fvcore.nn"]:
        sys.modules.pop(name, None)
    # torch may have imported this one already.
    counter = sys.modules.get("torch.utils.flop_counter")
    if counter is not None:
        _merge(counter, MERGED["torch.utils.flop_counter"])


def remove() -> None:
    """Imports are as before; modules of ours that were imported stay what they are."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
    for module, name, original in _merged:
        setattr(module, name, original)
    _merged.clear()


_merged: list[tuple[ModuleType, str, object]] = []  # names of others that were replaced


def _merge(module: ModuleType, ours: str) -> None:
    source = importlib.import_module(ours)
    for name in source.__all__:
        if hasattr(module, name) and getattr(module, name) is not getattr(source, name):
            _merged.append((module, name, getattr(module, name)))
        setattr(module, name, getattr(source, name))


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name in REPLACED:
            return importlib.util.spec_from_loader(name, _Replace(REPLACED[name]), is_package=True)
        if name in MERGED or name == "fvcore":
            real = self._real(name, path)
            if name == "fvcore":
                return real or importlib.util.spec_from_loader(name, _Empty(), is_package=True)
            if real is None or real.loader is None:
                return importlib.util.spec_from_loader(name, _Replace(MERGED[name]))
            real.loader = _Merge(real.loader, MERGED[name])
            return real
        return None

    def _real(self, name: str, path: Sequence[str] | None) -> importlib.machinery.ModuleSpec | None:
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, None)
                if spec is not None:
                    return spec
        return None


class _Replace(importlib.abc.Loader):
    """Gives a module of ours by another name."""

    def __init__(self, ours: str) -> None:
        self.ours = ours

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        self.module = importlib.import_module(self.ours)
        # The machinery of imports writes the other name into the module, which is put back below.
        names = ("__spec__", "__loader__", "__package__", "__path__")
        self.kept = {name: getattr(self.module, name, None) for name in names}
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        for name, value in self.kept.items():
            if value is not None:
                setattr(module, name, value)


class _Merge(importlib.abc.Loader):
    """Loads the original and replaces some of its names."""

    def __init__(self, loader: Any, ours: str) -> None:
        self.loader, self.ours = loader, ours

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        result: ModuleType | None = self.loader.create_module(spec)
        return result

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        _merge(module, self.ours)


class _Empty(importlib.abc.Loader):
    """A package with nothing in it, where there is none."""

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.__path__ = []
