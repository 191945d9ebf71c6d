"""`module.strata`: which modules an engine runs, what came of it, and how to undo it."""

from __future__ import annotations

import os
from typing import Any, Dict, Optional, Tuple

import torch

from .._errors import StrataError
from . import _saved
from ._export import Exported
from ._forward import EngineForward
from ._receipt import Receipt


#: What runs a module, what was exported if anything was, and how it is opened.
Unit = Tuple[EngineForward, Optional[Exported], Dict[str, Any]]


class Handle:
    """`module.strata`: what strata.optimize did, and how to undo it."""

    def __init__(self, model: torch.nn.Module, receipt: Receipt) -> None:
        self._model = model
        self.receipt = receipt
        self._units: dict[str, Unit] = {}
        self._folder: Any = None  # keeps the exported files

    def _place(self, name: str, unit: Unit) -> None:
        self._units[name] = unit
        # An attribute of the instance: its class, its weights' names and hooks on it stay what they are.
        self._model.get_submodule(name).__dict__["forward"] = unit[0]

    def _take_away(self, name: str) -> None:
        forward = self._units.pop(name)[0]
        own = self._model.get_submodule(name).__dict__
        if own.get("forward") is forward:  # it may have been replaced since
            del own["forward"]

    def replaced(self) -> dict[str, str]:
        """The modules that an engine runs: `{"backbone": "openvino"}`."""
        return {name: forward.session.engine for name, (forward, _, _) in self._units.items()}

    def fallbacks(self) -> dict[str, dict[str, int]]:
        """How often torch answered instead, by module and reason: `{"backbone": {"shape": 3}}`."""
        return {name: dict(forward.fallbacks) for name, (forward, _, _) in self._units.items() if forward.fallbacks}

    def calls(self) -> dict[str, int]:
        """How often the engine answered, by module."""
        return {name: forward.calls for name, (forward, _, _) in self._units.items()}

    def restore(self) -> None:
        """Lets torch run everything again, and frees the engines."""
        for name in list(self._units):
            self._take_away(name)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes what the engines run into a new folder, for strata.load_optimized."""
        if "compile" in self.replaced().values():
            raise StrataError("what torch.compile made cannot be saved; optimize with other engines")
        if not self._units:
            raise StrataError("no module was replaced, so there is nothing to save")
        _saved.save(os.fspath(folder), self._units, self.receipt.facts(), self._model)

    # A copy of the model runs in torch, and has no handle.
    def __deepcopy__(self, memo: Any) -> None:
        return None

    def __reduce__(self) -> Any:
        return type(None), ()
