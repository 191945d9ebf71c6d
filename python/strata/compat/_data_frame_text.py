"""Texts as pandas prints a DataFrame, for tools that print one: without pandas, and the same."""

from __future__ import annotations

from collections.abc import Sequence


def data_frame_text(
    index: Sequence[str], columns: Sequence[str], numbers: Sequence[str], rows: Sequence[Sequence[str]]
) -> str:
    """The rows below their headings, all to the right, the index to the left.

    A cell has a space before it, and so has the heading of a column of `numbers`.

    >>> print(data_frame_text(["0", "total"], ["name", "flops"], ["flops"], [[".fc", "90"], ["", "90"]]))
          name  flops
    0      .fc     90
    total          90
    """
    width = max((len(each) for each in index), default=0)
    heads = [" " + name if name in numbers else name for name in columns]
    rows = [[_cut(" " + cell) for cell in row] for row in rows]
    widths = [max([len(head), *(len(row[at]) for row in rows)]) for at, head in enumerate(heads)]

    def line(first: str, cells: Sequence[str]) -> str:
        return first.ljust(width) + "".join(" " + cell.rjust(w) for cell, w in zip(cells, widths))

    return "\n".join([line("", heads), *(line(name, row) for name, row in zip(index, rows))])


def _cut(cell: str) -> str:
    """pandas shows 50 characters of a cell."""
    return cell if len(cell) <= 50 else cell[:47] + "..."


def short(value: float, unit: float = 1000.0, digits: int = 2, rounded: bool = False) -> str:
    """A number with the letters T, G, M or K; `unit` is 1000 or 1024.

    >>> short(101518), short(60560, 1024), short(240)
    ('101.52K', '59.14K', '240')
    """
    for power, letter in ((4, "T"), (3, "G"), (2, "M"), (1, "K")):
        if value // unit**power > 0:
            return f"{round(value / unit**power, digits)}{letter}"
    return str(round(value, digits)) if rounded else str(value)
