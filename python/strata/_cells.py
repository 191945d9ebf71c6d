"""Rows of a table as plain objects, and the cells that are no plain numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class Formula(str):
    """A count in symbols, `300774272·N`; `at_most` is a bound if there is one, else None."""

    at_most: int | None

    def __new__(cls, text: str, at_most: int | None = None) -> Formula:
        self = super().__new__(cls, text)
        self.at_most = at_most
        return self


class AtLeast:
    """A count of which only a lower bound is known, because something in it could not be counted.

    >>> AtLeast(15872)
    AtLeast(15872)
    """

    def __init__(self, value: int | float | str) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"AtLeast({self.value!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AtLeast) and self.value == other.value

    def __hash__(self) -> int:
        return hash((AtLeast, self.value))


def cell(value: Any, kind: str = "plain", unit: str = "text") -> Any:
    """A value of a document as Python has it; what is not known is None.

    >>> cell({"formula": "9633792·N"}, unit="bytes")
    '9633792·N'
    >>> cell([["N", 3, 224, 224]], "shapes")
    [('N', 3, 224, 224)]
    >>> cell("inf", unit="flops_per_byte")
    inf
    """
    if kind == "shapes":
        return None if value is None else [None if s is None else tuple(s) for s in value]
    if isinstance(value, dict):
        if "formula" in value:
            return Formula(value["formula"], value.get("at_most"))
        if "at_least" in value:
            return AtLeast(cell(value["at_least"], kind, unit))
    if unit != "text" and value in ("inf", "-inf"):
        return float(value)
    return value


class Row(Mapping[str, Any]):
    """One row: `row.macs` and `row["macs"]` are the same; what is not known is None.

    >>> row = Row({"layer": "fc", "macs": 1280000, "macs%": 0.4})
    >>> row.macs, row["macs%"], list(row)
    (1280000, 0.4, ['layer', 'macs', 'macs%'])
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_values", dict(values))

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            columns = ", ".join(self._values)
            raise AttributeError(f"no column {name!r}; there are {columns}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("rows are not written to")

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __reduce__(self) -> tuple[Any, ...]:
        return (Row, (self._values,))

    def __repr__(self) -> str:
        return "Row(" + ", ".join(f"{k}={v!r}" for k, v in self._values.items()) + ")"
