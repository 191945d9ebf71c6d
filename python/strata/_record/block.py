"""Records a block of code: whatever runs in this thread, on the tensors that it is given."""
from __future__ import annotations

from typing import Any, Optional

import torch

from .borrow import unwrapped, walk
from .calls import ModuleCalls
from .dispatch import Recorder
from .plan import Plan
from .tape import Tape, quoted


class recording:  # noqa: N801 (used as a function is, in a with statement)
    """Records what runs inside a with statement; modules of `model` have their paths.

    >>> import torch
    >>> from strata._record.written import written_out
    >>> with recording(name="sum of two") as taken:
    ...     _ = torch.ones(2) + torch.ones(2)
    >>> [call[0] for call in written_out(taken.json())["calls"]]
    ['aten.ones.default', 'aten.ones.default', 'aten.add.Tensor']
    """

    def __init__(self, model: Optional[torch.nn.Module] = None, name: str = "code"):
        modules = walk(unwrapped(model)) if model is not None else []
        self._tape = Tape(f"torch {torch.__version__.split('+')[0]}", name, "real",
                          bool(getattr(model, "training", False)))
        plan = Plan(modules, None)
        self._tape.start(plan, ours=False)
        self._tape.modules.append(f'["",{quoted(name)},-1,0]')
        self._calls = ModuleCalls(self._tape, plan, None, False)
        self._recorder = Recorder(self._tape, False)
        self._recorder.keeps = False

    def __enter__(self) -> "recording":
        self._calls.__enter__()
        self._recorder.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        try:
            self._recorder.__exit__(*error)
        finally:
            self._calls.__exit__()

    def json(self) -> bytes:
        """The recording of what ran so far."""
        return self._tape.encode()
