"""Modules that may be replaced, and the ways to run them; RoI align has one of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

import torch

from ._export import Exported
from ._flat import Call, copied
from ._forward import EngineForward
from ._judge import sqnr
from ._receipt import Tried
from ._record import record_calls
from ._roi import RoiForward, Rows, is_roi_align

if TYPE_CHECKING:
    from ._search import Search

#: What answers in fp32 differ by is rounding alone: less than one part in a thousand.
FP32_QUALITY = 60.0
#: RoI align is tried from this share of the time on: it hands nothing over to an engine.
LEAST_ROI_SHARE = 0.01
#: A way to run a module: its row in the receipt, its forward, its file if it has one, and how that is opened.
Way = Tuple[Tried, EngineForward, Optional[Exported], Dict[str, Any]]


class Unit:
    """A module that may be replaced, and the ways to run it that were good, best first."""

    def __init__(self, name: str, share: float, seconds: float, exported: Any, calls: list[Call]) -> None:
        self.name, self.share, self.seconds, self.calls = name, share, seconds, calls
        self.exported: Exported = exported
        self.ways: list[Way] = []


def _is_inside(name: str, other: str) -> bool:
    return not other or name.startswith(other + ".")


def roi_aligns(search: Search, others: list[Unit]) -> list[Unit]:
    """torchvision's RoI aligns, by other operators of torch, where that is faster."""
    run = [unit.name for unit in others if unit.ways]
    names = [
        name for name, each in search.model.named_modules()
        if is_roi_align(each) and search.shares.get(name, 0) >= LEAST_ROI_SHARE and not any(_is_inside(name, other) for other in run)
    ]  # fmt: skip
    modules = [search.model.get_submodule(name) for name in names]
    recorded = record_calls(search.model, modules, [*search.examples, *search.check]) if names and search.left() > 0 else []
    units = []
    for name, module, calls in zip(names, modules, recorded):
        unit = Unit(name, search.shares[name], search.seconds_of[name], None, calls)
        tried = Tried(name, unit.share, Rows.engine, "fp32")
        search.receipt.tried.append(tried)
        forward = RoiForward(module)
        with torch.no_grad():
            tried.quality = min((sqnr(each.out, forward(*copied(each.args), **copied(each.kwargs))) for each in calls), default=None)
        if tried.quality is None or forward.fallbacks or tried.quality < FP32_QUALITY:
            tried.why_not = "its answers differ, or it does not take the examples"
            continue
        search.time_ways(unit, module, [(tried, forward, None, {"engine": Rows.engine})], calls[-1])
        units.append(unit)
    return units
