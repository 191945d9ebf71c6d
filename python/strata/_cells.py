"""Rows of a table as plain objects, and the cells that are not plain numbers."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any


class Formula(str):
    """A count in symbols, `300774272·N`; `at_most` is a bound if there is one, else None.

    >>> Formula("2·N", at_most=64) == "2·N", Formula("2·N", at_most=64).at_most
    (True, 64)
    """

    at_most: int | None

    def __new__(cls, text: str, at_most: int | None = None) -> Formula:
        self = super().__new__(cls, text)
        self.at_most = at_most
        return self


class AtLeast:
    """A count of which only a lower bound is known, because a part of it could not be counted.

    It compares where the bound decides, adds up, and becomes a number, with a warning, by int() and float().

    >>> AtLeast(15872), AtLeast(15872) > 10_000, AtLeast(15872) < 10_000
    (AtLeast(15872), True, False)
    >>> AtLeast(15872) + 28, 2 * AtLeast(3), f"{AtLeast(15872):,}"
    (AtLeast(15900), AtLeast(6), '≥15,872')
    """

    #: the bound: a number, or a Formula
    value: int | float | str

    def __init__(self, value: int | float | str) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"AtLeast({self.value!r})"

    def __format__(self, spec: str) -> str:
        return "≥" + format(self.value, spec)

    def __eq__(self, other: object) -> bool:
        """True if both are the same bound; the counts behind them may differ."""
        return isinstance(other, AtLeast) and self.value == other.value

    def __hash__(self) -> int:
        return hash((AtLeast, self.value))

    def _compared(self, other: object, sign: str, decided: bool, answer: bool) -> bool:
        if decided:
            return answer
        raise ValueError(f"{self!r} {sign} {other!r} cannot be decided: only a lower bound of the count is known")

    def __gt__(self, other: object) -> bool:
        if not _is_number(other):
            return NotImplemented
        return self._compared(other, ">", self._number() > other, True)  # type: ignore[operator]

    def __ge__(self, other: object) -> bool:
        if not _is_number(other):
            return NotImplemented
        return self._compared(other, ">=", self._number() >= other, True)  # type: ignore[operator]

    def __lt__(self, other: object) -> bool:
        if not _is_number(other):
            return NotImplemented
        return self._compared(other, "<", self._number() >= other, False)  # type: ignore[operator]

    def __le__(self, other: object) -> bool:
        if not _is_number(other):
            return NotImplemented
        return self._compared(other, "<=", self._number() > other, False)  # type: ignore[operator]

    def _number(self) -> int | float:
        if isinstance(self.value, str):
            raise TypeError(f"{self!r} is a formula of open sizes: give the sizes to get a number")
        return self.value

    def _bound(self) -> int | float:
        warnings.warn(f"{self!r} is used as {self.value}, and the count may be larger", stacklevel=3)
        return self._number()

    def __int__(self) -> int:
        return int(self._bound())

    def __float__(self) -> float:
        return float(self._bound())

    def __add__(self, other: object) -> AtLeast:
        if isinstance(other, AtLeast):
            return AtLeast(self._number() + other._number())
        if not _is_number(other):
            return NotImplemented
        return AtLeast(self._number() + other)  # type: ignore[operator]

    __radd__ = __add__

    def __mul__(self, factor: object) -> AtLeast:
        if not _is_number(factor) or factor < 0:  # type: ignore[operator]
            return NotImplemented
        return AtLeast(self._number() * factor)  # type: ignore[operator]

    __rmul__ = __mul__

    def __truediv__(self, divisor: object) -> AtLeast:
        if not _is_number(divisor) or divisor < 0:  # type: ignore[operator]
            return NotImplemented
        return AtLeast(self._number() / divisor)  # type: ignore[operator]

    def __floordiv__(self, divisor: object) -> AtLeast:
        if not _is_number(divisor) or divisor < 0:  # type: ignore[operator]
            return NotImplemented
        return AtLeast(self._number() // divisor)  # type: ignore[operator]

    def __sub__(self, other: object) -> AtLeast:
        if not _is_number(other):
            return NotImplemented
        return AtLeast(self._number() - other)  # type: ignore[operator]

    def __round__(self, digits: int | None = None) -> AtLeast:
        """Rounds down, so that it stays a lower bound: `round(total / 1e9, 2)`."""
        number = self._number()
        down = round(number, digits)
        return AtLeast(down if down <= number else round(down - 10 ** -(digits or 0), digits))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float))


def cell(value: Any, kind: str = "plain", unit: str = "text") -> Any:
    """Returns a value of a document as a Python object; an unknown value is None.

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


def missing(kind: str, name: object, known: Iterable[object]) -> str:
    """Returns the sentence about a missing name.

    >>> missing("column", "mac", ["layer", "macs"])
    "there is no column 'mac'; did you mean 'macs'?"
    """
    import difflib

    names = [str(one) for one in known if one is not None]
    near = difflib.get_close_matches(str(name), names, 1)
    if near:
        return f"there is no {kind} {name!r}; did you mean {near[0]!r}?"
    some = ", ".join(dict.fromkeys(names[:20])) + (", …" if len(names) > 20 else "")
    return f"there is no {kind} {name!r}; there are {some}"


class Row(Mapping[str, Any]):
    """One row: `row.macs` and `row["macs"]` are the same; unknown values are None.

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
            raise AttributeError(missing("column", name, self._values)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("rows are not written to")

    def __getitem__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise KeyError(missing("column", name, self._values)) from None

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
