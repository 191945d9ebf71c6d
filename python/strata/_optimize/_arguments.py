"""Arguments that one call gives by position and another by name."""

from __future__ import annotations

import inspect
from typing import Any, Optional, Sequence

import torch

from ._flat import by_name, copied, flatten, same

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)


def rearranged(args: tuple[Any, ...], kwargs: dict[str, Any], names: Sequence[str], count: int) -> Optional[tuple[Any, Any]]:
    """The same arguments with the first `count` by position and the others by name; None if there is no such call."""
    given = dict(zip(names, args))
    if len(args) > len(names) or given.keys() & kwargs.keys():
        return None
    given.update(kwargs)
    if any(name not in given for name in names[:count]):
        return None
    return tuple(given.pop(name) for name in names[:count]), by_name(given)


def _is_equal(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.dtype is b.dtype and torch.equal(a, b)
    return same(a, b)


def names_of(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, ...]:
    """The names of the arguments by position, if it makes no difference whether a call names them; else empty.

    That is so for functions of Python. A function around another may look at the names that it is given, so the other
    call is made, once.
    """
    forward = type(module).forward
    try:
        parameters = list(inspect.signature(forward).parameters.values())[1:]
    except (TypeError, ValueError):
        return ()
    if any(each.kind not in _NAMED for each in parameters):
        return ()
    names = tuple(each.name for each in parameters if each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if not hasattr(forward, "__wrapped__") and not hasattr(forward, "__signature__"):
        return names
    count = 0 if args else next((place for place, name in enumerate(names) if name not in kwargs), len(names))
    other = rearranged(args, kwargs, names, count)
    if other is None or len(other[0]) == len(args):
        return ()
    try:
        with torch.no_grad():
            want, got = (flatten(module(*copied(way[0]), **copied(way[1]))) for way in ((args, kwargs), other))
    except Exception:
        return ()
    alike = want[1] == got[1] and all(map(_is_equal, want[0], got[0]))
    return names if alike else ()
