"""Exceptions of strata: its own sentence, and the code that the program would exit with."""

from __future__ import annotations

from collections.abc import Mapping


class StrataError(Exception):
    """strata could not do the request; `str(error)` is one sentence that says why.

    >>> error = StrataError("model.onnx: there is no such file", code=1)
    >>> str(error), error.code
    ('model.onnx: there is no such file', 1)
    """

    def __init__(
        self, sentence: str, code: int = 1, name: str = "general", fields: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(sentence)
        #: 1: the input is at fault; 2: the call is; 3: a limit is not kept.
        self.code = code
        #: what happened, for programs: "open_input", "no_layer", … (docs/errors.md); "general": there is no code
        self.name = name
        #: what it is about: "file", "model", "name", "given", "found", "wanted", "detail", as far as it says
        self.fields = dict(fields or {})


class BudgetExceeded(StrataError, AssertionError):
    """A model exceeds a budget. `report` is the document with every verdict.

    >>> import strata
    >>> try:
    ...     strata.check("zoo:alexnet", {"params": "1M"})
    ... except BudgetExceeded as error:
    ...     print(error.report.kind, error.code)
    check 3
    """

    def __init__(self, sentence: str, report: object = None) -> None:
        super().__init__(sentence, code=3)
        self.report = report
