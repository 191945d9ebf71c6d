"""RASP's tables: columns by name, a row of totals, and a line for each total."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from ..compat._data_frame_text import short

#: the columns of a report, if none are asked for
FIELDS = [
    "name", "type", "in_shape", "out_shape", "params", "lat", "net_lat", "lat[%]", "flops", "FLOPS",
    "mem_r", "mem_w", "mem_rw",
]  # fmt: skip
TEXTS = ("name", "type", "in_shape", "out_shape")
_BINARY = ("mem_r", "mem_w", "mem_rw", "dev_mem_alloc", "dev_mem_delta")


@dataclass
class Report:
    """Rows of values by column, the totals, and the summary as a text."""

    fields: list[str]
    rows: list[dict[str, Any]]
    totals: dict[str, Any]

    def text(self) -> str:
        table = _table_text(self)
        lines = [table, "=" * len(table.split("\n")[0])]
        for name, value in self.totals.items():
            if name != "lat[%]":
                unit = 1024.0 if name in _BINARY else 1000.0
                lines.append(f"Total {name}: {round_value(value, unit == 1024.0)} {_unit(name)}")
        return "\n".join([*lines, ""])

    def frame(self) -> Any:
        """A pandas DataFrame with the index 0, 1, …, total."""
        try:
            import pandas
        except ImportError:
            from .._errors import StrataError

            raise StrataError("returns='data' gives a DataFrame, which needs pandas: pip install pandas") from None
        nothing = float("nan")
        last = {name: self.totals.get(name, "" if name == "name" else nothing) for name in self.fields}
        index = [*range(len(self.rows)), "total"]
        cells = [*self.rows, last]
        return pandas.DataFrame([[row[f] for f in self.fields] for row in cells], index, self.fields)

    def save(self, path: str) -> None:
        """Writes the rows and the totals as CSV; folders are made if they are not there. In a folder that is there, the
        file is called report.csv."""
        import csv

        if os.path.isdir(path):
            path = os.path.join(path, "report.csv")
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(self.fields)
            for row in [*self.rows, self.totals]:
                out.writerow([row.get(name, "") for name in self.fields])


def make_report(rows: list[dict[str, Any]], fields: list[str]) -> Report:
    """The chosen columns of the rows, with the shares and rates that follow from them."""
    if "lat[%]" in fields and "net_lat" in fields:
        whole = sum(row["net_lat"] for row in rows) + 1e-16
        for row in rows:
            row["lat[%]"] = 100 * row["net_lat"] / whole
    if {"FLOPS", "net_lat", "flops"} <= set(fields):
        for row in rows:
            # The flops of a container are those of all that it calls, and so is the time that they took.
            row["FLOPS"] = 1000 * row["flops"] / row["lat"] if row["lat"] else float("nan")
    totals = {name: sum(row[name] for row in rows) for name in fields if name not in TEXTS}
    if "FLOPS" in totals and "flops" in totals:
        # A container's row has the work of the rows below it once more, and takes their time.
        names = {row["name"] for row in rows}
        outermost = [row for row in rows if not _is_inside(row["name"], names)]
        flops, took = (sum(row[name] for row in outermost) for name in ("flops", "lat"))
        totals["FLOPS"] = 1000 * flops / (took + 1e-7)
    return Report(fields, [{name: row[name] for name in fields} for row in rows], totals)


def _is_inside(name: str, names: set[str]) -> bool:
    """True if one of the names is that of a module which holds this one; the model has an empty name.

    >>> _is_inside(".features.0", {".features"}), _is_inside(".features", {".feat"}), _is_inside(".fc", {""})
    (True, False, True)
    """
    return any(name[:at] in names for at, letter in enumerate(name) if letter == ".")


def _unit(name: str) -> str:
    if name == "FLOPS":
        return "flops/s"
    if name == "energy":
        return "pJ"
    return "Byte" if "mem" in name else "MS" if "lat" in name else ""


def _table_text(report: Report) -> str:
    """The table as pandas prints it: two spaces between columns, six digits, powers of ten if needed."""
    from ..compat._data_frame_text import data_frame_text

    last = {name: report.totals.get(name, "" if name == "name" else "NaN") for name in report.fields}
    cells = [[str(row[name]) for name in report.fields] for row in [*report.rows, last]]
    for at, name in enumerate(report.fields):
        values = [row[name] for row in report.rows] + ([report.totals[name]] if name in report.totals else [])
        if any(isinstance(value, float) for value in values):
            texts = _float_texts([float(value) for value in values])
            for row, text in zip(cells, texts):
                row[at] = text
    index = [*(str(at) for at in range(len(report.rows))), "total"]
    return data_frame_text(index, report.fields, [name for name in report.fields if name not in TEXTS], cells)


def _float_texts(values: list[float]) -> list[str]:
    """A column of real numbers: six decimals without the zeros that all have, or powers of ten."""
    texts = [f"{value:.6f}" for value in values]
    while all(text.endswith("0") and not text.endswith(".0") for text in texts):
        texts = [text[:-1] for text in texts]
    long = max((len(text) + 1 for text in texts), default=0) > 12
    large = any(abs(value) > 1e6 for value in values)
    small = any(0 < abs(value) < 1e-6 for value in values)
    return [f"{value:.6e}" for value in values] if small or (long and large) else texts


def round_value(value: float, binary: bool = False, prec: int = 2) -> str:
    """`4.09G`: a number in thousands, or in powers of 1024.

    >>> round_value(715450024), round_value(170075968, binary=True)
    ('715.45M', '162.2M')
    """
    return short(value, 1024.0 if binary else 1000.0, prec, rounded=True)


def load_report(path: str) -> Any:
    """A report that was saved, as a pandas DataFrame."""
    import pandas

    return pandas.read_csv(path, converters={"name": str})


def save_report(report: Any, savepath: str) -> None:
    """Writes a DataFrame of `returns='data'` as CSV."""
    os.makedirs(os.path.dirname(savepath) or ".", exist_ok=True)
    report.to_csv(savepath, index=False)
