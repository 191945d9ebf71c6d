"""A report of what was tried, with results and reasons: as rows, as a table and as a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional

from ._measure import Speedup


@dataclass
class Tried:
    """One way to run one module."""

    module: str  # "" is the model itself
    share: float  # of the model's time
    engine: str
    precision: str
    speedup: Optional[Speedup] = None  # of the module alone
    quality: Optional[float] = None  # dB, of the module's own answers
    why_not: str = ""  # empty: it is used


@dataclass
class Receipt:
    """`str(receipt)` is the table; `receipt.html()` a page; `receipt.tried` the rows."""

    tried: list[Tried] = field(default_factory=list)
    speedup: Optional[Speedup] = None  # of the whole model
    quality: Optional[float] = None  # of the whole model's answers
    quality_unit: str = "dB"
    clock: str = ""
    why_not: str = ""  # why the model is the original
    notes: list[str] = field(default_factory=list)

    def sentence(self) -> str:
        if self.why_not:
            return f"The model is unchanged: {self.why_not}."
        used = [each for each in self.tried if not each.why_not]
        names = ", ".join(f"{each.module or 'the whole model'} on {each.engine} in {each.precision}" for each in used)
        return f"{self.speedup} as fast, with answers at {self.quality_text(self.quality)}: {names}."

    def quality_text(self, value: Optional[float]) -> str:
        if value is None:
            return "–"
        if self.quality_unit != "dB":
            return f"{value:.4g} {self.quality_unit}".strip()
        return "no difference" if value == float("inf") else f"{value:.0f} dB"

    def rows(self) -> list[list[str]]:
        rows = [["module", "share", "engine", "precision", "speedup", "answers", "why not"]]
        for each in self.tried:
            answers = "–" if each.quality is None else "no difference" if each.quality == float("inf") else f"{each.quality:.0f} dB"
            rows.append([
                each.module or "(whole model)", f"{100 * each.share:.0f} %", each.engine, each.precision,
                str(each.speedup) if each.speedup else "–", answers, each.why_not or "used",
            ])  # fmt: skip
        return rows

    def __str__(self) -> str:
        rows = self.rows()
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([self.sentence(), "", *lines, *self.notes])

    def html(self) -> str:
        from html import escape

        head, *rows = self.rows()
        cells = "".join(f"<th>{escape(each)}</th>" for each in head)
        body = "".join("<tr>" + "".join(f"<td>{escape(each)}</td>" for each in row) + "</tr>" for row in rows)
        notes = "".join(f"<p>{escape(each)}</p>" for each in self.notes)
        return (
            '<!doctype html><meta charset="utf-8"><title>strata.optimize</title>'
            "<style>body{font:16px sans-serif;margin:2em}td,th{padding:.3em .8em;text-align:left;"
            "border-bottom:1px solid #ccc}</style>"
            f"<p>{escape(self.sentence())}</p><table><tr>{cells}</tr>{body}</table>{notes}"
        )

    def facts(self) -> dict[str, Any]:
        """The same for JSON."""
        def plain(value: Any) -> Any:
            if isinstance(value, Speedup):
                return value._asdict()
            return None if value in (float("inf"), float("-inf")) else value

        return {
            "speedup": plain(self.speedup), "quality": plain(self.quality), "quality_unit": self.quality_unit,
            "clock": self.clock, "why_not": self.why_not, "notes": self.notes,
            "tried": [{name: plain(value) for name, value in vars(each).items()} for each in self.tried],
        }  # fmt: skip
