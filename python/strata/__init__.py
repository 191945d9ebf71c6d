"""strata: what every layer of a neural network costs.

>>> import strata
>>> strata.stat("zoo:mobilenet_v2").total.macs
300774272

Everything is imported when it is first asked for: `import strata` takes a few milliseconds.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which is not imported here
if TYPE_CHECKING:
    from typing import Any

    from ._cells import AtLeast, Formula, Row
    from ._commands import check, devices, diff, engines, explain, lint, payload, predict, zoo, zoo_table
    from ._document import Document, Table
    from ._errors import BudgetExceeded, StrataError
    from ._jobs import bench, calibrate, quantize, sensitivity
    from ._llm import llm
    from ._optimize import load_optimized, optimize
    from ._profile import Profile
    from ._recording import record
    from ._stat import stat

__version__ = "0.3.0"  # as the program's; the tests compare them

_PLACES = {
    "_cells": ("AtLeast", "Formula", "Row"),
    "_commands": (
        "check", "devices", "diff", "engines", "explain", "lint", "payload", "predict", "zoo", "zoo_table"
    ),  # fmt: skip
    "_document": ("Document", "Table"),
    "_errors": ("BudgetExceeded", "StrataError"),
    "_jobs": ("bench", "calibrate", "quantize", "sensitivity"),
    "_llm": ("llm",),
    "_optimize": ("load_optimized", "optimize"),
    "_profile": ("Profile",),
    "_recording": ("record",),
    "_stat": ("stat",),
}
_MODULES = ("compat", "rasp")

__all__ = [
    "AtLeast",
    "BudgetExceeded",
    "Document",
    "Formula",
    "Profile",
    "Row",
    "StrataError",
    "Table",
    "bench",
    "calibrate",
    "check",
    "devices",
    "diff",
    "engines",
    "explain",
    "lint",
    "llm",
    "load_optimized",
    "optimize",
    "payload",
    "predict",
    "quantize",
    "record",
    "sensitivity",
    "stat",
    "zoo",
    "zoo_table",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    for module, names in _PLACES.items():
        if name in names:
            value = getattr(import_module(f"{__name__}.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__, *_MODULES])
