"""strata: what every layer of a neural network costs.

>>> import strata
>>> strata.stat("zoo:mobilenet_v2").total.macs
300774272
"""

from __future__ import annotations

from typing import Any

from ._cells import AtLeast, Formula, Row
from ._commands import check, diff, engines, explain, lint, payload, zoo, zoo_table
from ._document import Document, Table
from ._errors import BudgetExceeded, StrataError
from ._profile import Profile
from ._stat import stat

__version__ = "0.2.0"

__all__ = [
    "AtLeast",
    "BudgetExceeded",
    "Document",
    "Formula",
    "Profile",
    "Row",
    "StrataError",
    "Table",
    "check",
    "diff",
    "engines",
    "explain",
    "lint",
    "payload",
    "stat",
    "zoo",
    "zoo_table",
]

_LATER = ("rasp", "compat")  # which are imported when they are asked for


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
