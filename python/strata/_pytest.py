"""The pytest plugin: a fixture that holds models to budgets.

    def test_budget(strata_budget):
        strata_budget(MobileNetV2(), (1, 3, 224, 224), macs="320M", params="4M")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._document import Document


@pytest.fixture
def strata_budget() -> Callable[..., Document]:
    """`strata_budget(model, inputs, macs="320M", …)` fails the test if a budget is not kept.

    In place of keywords, `budget` takes a TOML file or a text as `strata check` does.
    """
    from ._commands import check

    def holds(model: Any, inputs: Any = None, budget: Any = None, **limits: Any) -> Document:
        __tracebackhide__ = True
        return check(model, inputs, budget if budget is not None else limits)

    return holds
