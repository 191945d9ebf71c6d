"""Puts the times of an eager run into a profile's table, as `strata stat --time` has them.

The native core attaches the times of its own engines; times of modules, which only Python can measure, are
added to its document here, and it renders them.
"""

from __future__ import annotations

import copy
import statistics
from collections.abc import Sequence
from typing import Any, Optional

from ._timing import Timing

_COLUMNS = (("time", "Time", "seconds", True), ("time_per_call", "Time/call", "seconds", False),
            ("time_mad", "MAD", "seconds", False), ("time_low", "Low", "seconds", False),
            ("time_high", "High", "seconds", False), ("flops_per_s", "FLOP/s", "flops_per_second", False))
NARROWEST = 0.03  # how much a machine's pace changes from minute to minute


def median_interval(samples: Sequence[float]) -> Optional[tuple[float, float]]:
    """Two samples between which the median lies with 95 % certainty, by their ranks; at least ± 3 % apart.

    >>> median_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    (1.0, 6.0)
    >>> median_interval([1.0, 2.0]) is None
    True
    """
    ordered, count = sorted(samples), len(samples)
    chance, below = 0.5**count, 0.0  # of the median being below the first sample
    rank = -1
    for place in range(count // 2):
        below += chance
        if below > 0.025:
            break
        rank = place
        chance *= (count - place) / (place + 1)
    if rank < 0:
        return None
    middle = statistics.median(ordered)
    return (min(ordered[rank], middle * (1 - NARROWEST)), max(ordered[count - 1 - rank], middle * (1 + NARROWEST)))


def with_times(content: dict[str, Any], timing: Timing) -> dict[str, Any]:
    """A document of `strata stat` with the columns and facts of a measured one."""
    made = copy.deepcopy(content)
    table = made["tables"]["layers"]
    present = {column["name"] for column in table["columns"]}
    table["columns"] += [{"name": name, "title": title, "unit": unit, "type": "plain", "additive": additive}
                         for name, title, unit, additive in _COLUMNS if name not in present]
    tree = made.get("facts", {}).get("report") in ("tree", "root")
    shares = _Shares(timing, table["rows"], tree)
    in_rows = 0.0
    for number, row in enumerate(table["rows"]):
        _fill(row, timing.runs if tree and number == 0 else shares.of(number))  # the network itself is the whole
        in_rows += row["time"] or 0.0
    if tree:
        in_rows = sum(statistics.median(times) for times in timing.layers.values())
    if table["rows"]:
        outside = {column["name"]: None for column in table["columns"]}
        outside.update(layer="outside layers", type="", call=1, calls=0, time=timing.median - in_rows)
        table["rows"].append({name: value for name, value in outside.items() if name in table["rows"][0]})
    table.setdefault("totals", {})["time"] = timing.median
    low, high = median_interval(timing.runs) or (None, None)
    made.setdefault("facts", {})["timing"] = {
        "engine": timing.engine, "view": "eager", "device": timing.device, "threads": timing.threads, "runs": len(timing.runs),
        "all_runs": len(timing.wall), "recorded_runs": len(timing.recorded), "warmup_runs": len(timing.warmup),
        "median_s": timing.median, "median_interval_s": None if low is None else [low, high],
        "mad_s": _mad(timing.runs), "open_s": 0.0, "first_s": timing.first, "probe_s": timing.probe.total,
        "wait_s": sum(timing.waits) if timing.waits else None, "disturbed": timing.disturbed > 0,
        "partial": timing.partial, "samples_s": timing.runs}
    made["notes"] = [*made.get("notes", []), *_notes(timing, in_rows)]
    return made


def _notes(timing: Timing, in_rows: float) -> list[str]:
    notes = []
    if timing.disturbed:
        notes.append(f"{timing.disturbed} of {len(timing.wall)} runs were disturbed: other work used the processor")
    if in_rows > timing.median:
        notes.append(f"the time outside of layers is below zero: the layers, measured while they were recorded, add up "
                     f"to {100 * (in_rows / timing.median - 1):.1f} % more than a run that is not recorded takes")
    if timing.partial:
        notes.append("the measurement was stopped early")
    return notes


def _mad(samples: Sequence[float]) -> float:
    middle = statistics.median(samples)
    return statistics.median(abs(sample - middle) for sample in samples)


def _fill(row: dict[str, Any], samples: Optional[list[float]]) -> None:
    if samples is None:
        row.update({name: None for name, *_ in _COLUMNS})
        return
    time = statistics.median(samples)
    interval = median_interval(samples)
    flops, calls = row.get("flops"), row.get("calls") or 1
    row.update(time=time, time_per_call=time / calls, time_mad=_mad(samples),
               time_low=interval[0] if interval else None, time_high=interval[1] if interval else None,
               flops_per_s=flops / time if isinstance(flops, (int, float)) and flops and time > 0 else None)


class _Shares:
    """Which of the measured module calls each row stands for."""

    def __init__(self, timing: Timing, rows: list[dict[str, Any]], tree: bool):
        self.timing, self.rows, self.tree = timing, rows, tree
        self.paths = {path for path, _ in timing.layers}
        self.names = [str(row.get("layer", "")) for row in rows]
        self.loose: dict[str, int] = {}  # of each container: the row that stands for its own operators
        for number, (name, row) in enumerate(zip(self.names, rows)):
            if name in self.paths or (tree and number == 0):
                continue
            container = self._container(name)
            held = self.loose.get(container)
            if held is None or (row.get("macs") or 0) > (rows[held].get("macs") or 0):
                self.loose[container] = number

    def _container(self, name: str) -> str:
        while "." in name:
            name = name.rsplit(".", 1)[0]
            if name in self.paths:
                return name
        return ""

    def of(self, number: int) -> Optional[list[float]]:
        name, row = self.names[number], self.rows[number]
        if name not in self.paths:
            container = self._container(name)
            return self._sum(lambda path, _: path == container) if self.loose.get(container) == number else None
        one = row.get("calls", 1) == 1 and self.names.count(name) > 1
        call = (row.get("call") or 1) - 1
        return self._sum(lambda path, which: (path == name and (not one or which == call))
                         or (path.startswith(name + ".") and not one))

    def _sum(self, wanted: Any) -> Optional[list[float]]:
        chosen = [times for (path, which), times in self.timing.layers.items() if wanted(path, which)]
        return [sum(run) for run in zip(*chosen)] if chosen else None
