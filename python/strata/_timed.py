"""A profile of a module with the times that its layers took: rows and `outside layers` are the whole.

The recorder's clock (_timing) says how long each module call took by itself; here these times find
their rows. The columns are those of `strata stat --time`. A row's time is its mean share of the recorded
runs, of the median of the unrecorded ones: unlike medians of layers, such times add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from . import _native
from ._errors import StrataError

if TYPE_CHECKING:
    from ._timing import Timing

_COLUMNS = {
    "time": ("Time", "seconds"),
    "time_per_call": ("Time/call", "seconds"),
    "time_mad": ("MAD", "seconds"),
    "time_low": ("Low", "seconds"),
    "time_high": ("High", "seconds"),
    "flops_per_s": ("FLOP/s", "flops_per_second"),
    "bytes_per_s": ("B/s", "bytes_per_second"),
    "in_kernel_of": ("In kernel of", "text"),
}
_BETWEEN = "(between modules)"
_IN_TABLES = ("time", "time_mad", "flops_per_s")
_REPORTS = ("calls", "tape", "leaves", "tree", "type", "root")


def _is_below(layer: str, path: str) -> bool:
    return not path or layer == path or layer.startswith(path + ".")


def assigned(rows: Sequence[dict[str, Any]], own: dict[Any, list[float]]) -> list[Any]:
    """For each row of the report `calls` its times, or the layer whose time includes it, or None.

    The own time of a module that has others in it is that of the operators between them; where
    there are several, the one with the most arithmetic stands for all.

    >>> rows = [{"layer": "a.conv", "call": 1, "flops": 9}, {"layer": "a.add", "call": 1, "flops": 1},
    ...         {"layer": "a.view", "call": 1, "flops": 0}]
    >>> assigned(rows, {("a.conv", 0): [2.0], ("a", 0): [1.0]})
    [[2.0], [1.0], 'a.add']
    """
    result: list[Any] = [own.get((row["layer"], row["call"] - 1)) for row in rows]
    taken = {(row["layer"], row["call"] - 1) for row in rows}
    loose: dict[Any, list[int]] = {}
    paths = sorted({path for path, _ in own}, key=len, reverse=True)
    for number, row in enumerate(rows):
        if result[number] is None:
            path = next((path for path in paths if _is_below(row["layer"], path)), None)
            loose.setdefault((path, row["call"] - 1), []).append(number)
    for name, times in own.items():
        numbers = loose.get(name, [])
        if name in taken or not numbers:
            continue
        first = max(numbers, key=lambda number: _count(rows[number].get("flops")))
        for number in numbers:
            result[number] = times if number == first else rows[first]["layer"]
    return result


def _count(value: Any) -> float:
    return value if isinstance(value, (int, float)) else 0.0


def _sum(several: list[list[float]]) -> list[float]:
    return [sum(times) for times in zip(*several)]


def row_times(
    report: str,
    rows: list[dict[str, Any]],
    calls: list[dict[str, Any]],
    times: list[Any],
    timing: Timing,
) -> list[Any]:
    """For each row of a report its times, from those of the report `calls`."""
    if report in ("calls", "tape"):
        places = {(call["layer"], call["call"]): each for call, each in zip(calls, times)}
        return [places.get((row["layer"], row.get("call", 1))) for row in rows]
    known = [(call, each) for call, each in zip(calls, times) if isinstance(each, list)]
    above: dict[int, str] = {}  # in a tree, the path of the last row of each depth
    result: list[Any] = []
    for row in rows:
        layer, depth = row.get("layer", ""), row.get("depth")
        if report == "root" or depth == 0:
            result.append([timing.median])
            continue
        if report == "type":
            parts = [each for call, each in known if call["type"] == row["type"]]
        elif report == "leaves":
            parts = [each for call, each in known if call["layer"] == layer]
        elif layer == _BETWEEN:  # the own time of the module above
            path = above.get(row["depth"] - 1, "")
            parts = [each for call, each in known if each is timing.layers.get((path, call["call"] - 1))]
        else:
            above[row["depth"]] = layer
            parts = [each for call, each in known if _is_below(call["layer"], layer)]
        result.append(_sum(parts) if parts else None)
    return result


def _cells(row: dict[str, Any], times: Any) -> dict[str, Any]:
    """The cells of the time columns."""
    cells: dict[str, Any] = dict.fromkeys(_COLUMNS)
    cells["in_kernel_of"] = times if isinstance(times, str) else ""
    if not isinstance(times, list):
        return cells
    time, middle = fmean(times), median(times)
    cells["time"] = time
    cells["time_mad"] = median(abs(each - middle) for each in times)
    if row.get("calls"):
        cells["time_per_call"] = time / row["calls"]
    for name, of in (("flops_per_s", "flops"), ("bytes_per_s", "mem")):
        if time > 0 and isinstance(row.get(of), (int, float)):
            cells[name] = row[of] / time
    return cells


def _outside(table: dict[str, Any], seconds: float, report: str) -> dict[str, Any]:
    """The row of what is in no layer."""
    row: dict[str, Any] = {}
    for column in table["columns"]:
        shapes = column.get("type") == "shapes"
        row[column["name"]] = [] if shapes else 0 if column["additive"] else None
    row.update({name: "" for name in ("layer", "type", "dtype") if name in row})
    row.update(dict.fromkeys(_COLUMNS), calls=0, time=seconds, in_kernel_of="")
    row["type" if report == "type" else "layer"] = "outside layers"
    if report == "tree":
        row["depth"] = 1
    return row


def with_times(
    document: dict[str, Any], report: str, times: list[Any], timing: Timing, names: Sequence[str]
) -> None:
    """Adds the columns `names` to a document."""
    table = document["tables"]["layers"]
    total = timing.median
    for row, each in zip(table["rows"], times):
        row.update({name: cell for name, cell in _cells(row, each).items() if name in names})
    for name in names:
        title, unit = _COLUMNS[name]
        column = {"name": name, "title": title, "unit": unit, "type": "plain", "additive": name == "time"}
        table["columns"].append(column)
    if report != "root":
        inside = sum(row["time"] for row in table["rows"] if row.get("time") and row.get("depth", 1) == 1)
        chosen = {column["name"] for column in table["columns"]} | {"depth"}
        row = _outside(table, total - inside, report)
        table["rows"].append({name: cell for name, cell in row.items() if name in chosen})
    if table.get("totals") is not None:
        table["totals"]["time"] = total
    document["facts"]["timing"] = _facts(timing)


def _facts(timing: Timing) -> dict[str, Any]:
    middle = timing.median
    return {
        "engine": f"{timing.engine} ({timing.device})",
        "view": "source",
        "threads": timing.threads,
        "runs": len(timing.runs),
        "all_runs": len(timing.wall),
        "sessions": 1,
        "recorded_runs": len(timing.recorded),
        "warmup_runs": len(timing.warmup),
        "median_s": middle,
        "median_interval_s": None,
        "withheld": "all runs are of one session",
        "mad_s": median(abs(each - middle) for each in timing.runs),
        "open_s": 0.0,
        "first_s": timing.first,
        "probe_s": timing.probe.total,
        "wait_s": sum(timing.waits) if timing.waits else None,
        "waits_read": bool(timing.waits),
        "disturbed": timing.disturbed > 0,
        "partial": timing.partial,
        "unassigned": [],
        "samples_s": timing.runs,
    }


class TimedResult(_native.Result):
    """A profile with times: what the core counted, with columns beside it."""

    def __init__(self, words: Sequence[str], files: dict[str, bytes], report: str | None, timing: Timing) -> None:
        import json

        chosen = report or "calls"
        if chosen not in _REPORTS:
            raise StrataError(
                f"report {chosen} has no times of a module; choose {', '.join(_REPORTS[:1] + _REPORTS[2:])}", 2
            )
        plain = [word for word in words if not word.startswith("--report=")]
        calls = json.loads(_native.run([*plain, "--report=calls"], files).json())["tables"]["layers"]["rows"]
        times = assigned(calls, timing.layers)
        self._documents = []
        for content, names in (
            (_native.run(words, files).json(), tuple(_COLUMNS)),
            (_native.table_json(words, files), _IN_TABLES),
        ):
            document = json.loads(content)
            matched = row_times(chosen, document["tables"]["layers"]["rows"], calls, times, timing)
            with_times(document, chosen, matched, timing, names)
            self._documents.append(json.dumps(document).encode())

    def json(self) -> bytes:
        return self._documents[0]

    def render(self, format: str, options: Sequence[str] = ()) -> bytes:
        table = format in ("table", "md")
        return _native.read(self._documents[1 if table else 0]).render(format, options)

    def arrow_into(self, table: int, stream: int) -> None:
        result: Any = _native.read(self._documents[0])
        result.arrow_into(table, stream)
