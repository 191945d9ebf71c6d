"""Tables as the package tabulate writes them, whose format other tools' tables have."""

from __future__ import annotations

from collections.abc import Sequence


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def pipe_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table. A column of numbers stands to the right, others to the left.

    >>> print(pipe_table(["module", "#flops"], [["model", "0.4K"], [" fc", " 100"]]))
    | module   | #flops   |
    |:---------|:---------|
    | model    | 0.4K     |
    |  fc      |  100     |
    """
    columns = list(zip(*rows)) if rows else [() for _ in headers]
    # tabulate gives a heading two characters more than its text.
    widths = [
        max([len(head) + 2, *(len(cell) for cell in cells)]) for head, cells in zip(headers, columns)
    ]
    right = [
        bool(cells) and any(cells) and all(_is_number(cell) for cell in cells if cell) for cells in columns
    ]

    def line(cells: Sequence[str]) -> str:
        padded = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, widths, right))
        return "| " + " | ".join(padded) + " |"

    rule = "|".join("-" * (w + 1) + ":" if r else ":" + "-" * (w + 1) for w, r in zip(widths, right))
    return "\n".join([line(headers), f"|{rule}|", *(line(row) for row in rows)])


def simple_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A plain table: the first column to the left, the others to the right.

    >>> print(simple_table(["Module", "FLOP"], [["Net", "1.000K"]]))
    Module      FLOP
    --------  ------
    Net       1.000K
    """
    cells = [list(row) for row in rows]
    for at in range(1, len(headers)):
        # tabulate takes a column of numbers for numbers, and writes them its own way.
        if all(_is_number(row[at]) for row in cells):
            for row in cells:
                row[at] = f"{float(row[at]):g}"
    widths = [max([len(head) + 2, *(len(row[at]) for row in cells)]) for at, head in enumerate(headers)]

    def line(cells: Sequence[str]) -> str:
        padded = [c.ljust(w) if at == 0 else c.rjust(w) for at, (c, w) in enumerate(zip(cells, widths))]
        return "  ".join(padded).rstrip()

    return "\n".join([line(headers), "  ".join("-" * w for w in widths), *(line(row) for row in cells)])
