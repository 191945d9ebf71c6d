"""What strata raises: its own sentence, and the code that the program would exit with."""

from __future__ import annotations


class StrataError(Exception):
    """strata could not do what was asked; `str(error)` is one sentence that says why.

    >>> error = StrataError("model.onnx: there is no such file", code=1)
    >>> str(error), error.code
    ('model.onnx: there is no such file', 1)
    """

    def __init__(self, sentence: str, code: int = 1) -> None:
        super().__init__(sentence)
        #: 1: the input is at fault; 2: the call is; 3: a limit is not kept.
        self.code = code


class BudgetExceeded(StrataError, AssertionError):
    """A model does not keep its budgets. `report` is the document with every verdict."""

    def __init__(self, sentence: str, report: object = None) -> None:
        super().__init__(sentence, code=3)
        self.report = report
