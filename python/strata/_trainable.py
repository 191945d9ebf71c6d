"""How many parameters of each layer are trained: those of a module that require a gradient."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Optional


class _Parameter(NamedTuple):
    path: str  # of the module that has it
    identity: int  # the same for one that several modules share
    elements: int
    trainable: bool


class Trainable:
    """The parameters of a module as they were when it was recorded."""

    def __init__(self, parameters: Iterable[_Parameter]) -> None:
        self._parameters = list(parameters)
        self._own: dict[str, list[_Parameter]] = {}
        for one in self._parameters:
            self._own.setdefault(one.path, []).append(one)

    @classmethod
    def of(cls, model: Any) -> Optional[Trainable]:
        """None for a function, which has no parameters of its own."""
        if not hasattr(model, "named_modules"):
            return None
        numbers: dict[int, int] = {}
        found = []
        for path, module in model.named_modules():
            for parameter in module.parameters(recurse=False):
                if type(parameter).__name__.startswith("Uninitialized"):
                    return None
                identity = numbers.setdefault(id(parameter), len(numbers))
                found.append(_Parameter(path, identity, parameter.numel(), parameter.requires_grad))
        return cls(found)

    def total(self) -> int:
        """Those of the whole model.

        >>> shared = [_Parameter("a", 0, 6, True), _Parameter("b", 0, 6, True), _Parameter("b", 1, 3, False)]
        >>> Trainable(shared).total()
        6
        """
        return _sums(self._parameters)[1]

    def row(self, row: Mapping[str, Any]) -> Optional[int]:
        """Those that a row counts. None: the row counts others than its module has.

        >>> known = Trainable([_Parameter("head", 0, 6, True), _Parameter("head.bias", 1, 3, False)])
        >>> [known.row({"layer": "head", "params": count}) for count in (6, 9, 0, 5)]
        [6, 6, 0, None]
        """
        counted, path = row.get("params"), row.get("layer")
        if counted == 0:
            return 0
        if path is None or not isinstance(counted, int):
            return None
        own = _sums(self._own.get(path, []))
        if own[0] == counted:
            return own[1]
        below = f"{path}."
        inside = _sums(one for one in self._parameters if one.path == path or one.path.startswith(below))
        return inside[1] if inside[0] == counted else None


def _sums(parameters: Iterable[_Parameter]) -> tuple[int, int]:
    """All elements, and those that are trained; what is shared counts once."""
    once = {one.identity: one for one in parameters}.values()
    return sum(one.elements for one in once), sum(one.elements for one in once if one.trainable)
