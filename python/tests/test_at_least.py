"""Lower bounds: where they compare, add up and become numbers."""
from __future__ import annotations

from pathlib import Path

import pytest

import strata
from strata import AtLeast, Formula


def test_comparisons_that_are_decided() -> None:
    # The count is 5 or more.
    assert AtLeast(5) > 3 and AtLeast(5) >= 5 and 3 < AtLeast(5) and 5 <= AtLeast(5)
    assert not AtLeast(5) < 5 and not AtLeast(5) <= 4.5 and not 3 > AtLeast(5)


@pytest.mark.parametrize("compare", [
    lambda a: a > 5, lambda a: a >= 6, lambda a: a < 6, lambda a: a <= 5, lambda a: 7 > a,
])
def test_comparisons_that_are_not(compare) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="cannot be decided: only a lower bound"):
        compare(AtLeast(5))
    with pytest.raises(TypeError):
        AtLeast(5) < AtLeast(6)  # noqa: B015
    with pytest.raises(TypeError, match="formula of open sizes"):
        AtLeast(Formula("3·N")) > 2  # noqa: B015


def test_becomes_a_number_with_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"AtLeast\(5\) is used as 5, and the count may be larger"):
        assert int(AtLeast(5)) == 5
    with pytest.warns(UserWarning):
        assert float(AtLeast(2.5)) == 2.5
    with pytest.raises(TypeError), pytest.warns(UserWarning):
        int(AtLeast(Formula("3·N")))


def test_adds_up() -> None:
    assert sum([AtLeast(5), 2, AtLeast(1)]) == AtLeast(8)
    assert 2 * AtLeast(3) == AtLeast(6) and AtLeast(6) / 4 == AtLeast(1.5)
    assert f"{AtLeast(12345):,}" == "≥12,345"
    assert AtLeast(7) - 2 == AtLeast(5) and AtLeast(7) // 2 == AtLeast(3)
    with pytest.raises(TypeError):
        AtLeast(5) - AtLeast(2)  # type: ignore[operator]
    with pytest.raises(TypeError):
        AtLeast(5) * -1
    with pytest.raises(TypeError):
        10 - AtLeast(5)  # type: ignore[operator]


def test_rounds_down() -> None:
    # 1.2368 is at least 1.23, and need not be 1.24.
    assert round(AtLeast(1_236_800_000) / 1e9, 2) == AtLeast(1.23)
    assert round(AtLeast(1.2), 1) == AtLeast(1.2) and round(AtLeast(2.7)) == AtLeast(2)
    assert round(AtLeast(1260), -2) == AtLeast(1200) and isinstance(round(AtLeast(2.7)).value, int)


def test_a_total_with_an_operator_that_is_not_counted(models: Path) -> None:
    # Two activations of 12 elements around an operator that nobody knows.
    total = strata.stat(models / "pt2/custom.pt2").total.flops
    assert total > 20 and not total < 24
    with pytest.warns(UserWarning):
        assert int(total) == 24
