"""RASP's table of torchvision's networks."""

from __future__ import annotations

from typing import Any


def torchvision_models(print_stat: bool = True) -> list[dict[str, Any]]:
    """Params, FLOPs and energy of 34 networks, as RASP's page has them; prints the table.

    The networks are those of strata's zoo, as torchvision had them in early 2020, and are not run.
    """
    from .._commands import zoo_table

    table = zoo_table(layout="rasp")
    rows = [dict(row) for row in table.rows]
    if print_stat:
        print(table)
    return rows
