"""The functions of torch that a model calls, which the operators below them do not tell.

`adaptive_avg_pool2d` to one position runs as a mean, `matmul` as `bmm` or `mm`. The tools that are
replaced see the function, so its name is kept for each recorded call, and the pool stays a pool.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

# The functions whose names matter, and the names that they have in a traced graph.
_KEPT = {
    "matmul": "matmul", "__matmul__": "matmul", "__rmatmul__": "matmul", "einsum": "einsum", "linear": "linear",
    "mm": "mm", "bmm": "bmm", "addmm": "addmm", "baddbmm": "baddbmm", "instance_norm": "instance_norm",
}  # fmt: skip
_POOLS = {
    functional.adaptive_avg_pool2d: (torch.ops.aten._adaptive_avg_pool2d, 2),
    functional.adaptive_avg_pool3d: (torch.ops.aten._adaptive_avg_pool3d, 3),
}


def _calls_so_far() -> int:
    """How many calls the recorder has on its tape."""
    if hasattr(torch._C, "_get_torch_dispatch_mode"):
        mode = torch._C._get_torch_dispatch_mode()
    else:
        from torch.utils._python_dispatch import _get_current_dispatch_mode

        mode = _get_current_dispatch_mode()
    tape = getattr(mode, "tape", None)
    return -1 if tape is None else len(tape.calls)


class FunctionNames(TorchFunctionMode):
    """Notes for ranges of recorded calls which function made them; use as a context around a run."""

    def __init__(self) -> None:
        super().__init__()
        self.ranges: list[tuple[int, int, str]] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        pool = _POOLS.get(func)
        if pool is not None:
            return self._pool(func, pool, args, kwargs)
        name = _KEPT.get(getattr(func, "__name__", ""))
        before = _calls_so_far() if name is not None else -1
        result = func(*args, **kwargs)
        if before >= 0 and name is not None:
            self.ranges.append((before, _calls_so_far(), name))
        return result

    def _pool(self, func: Any, pool: tuple[Any, int], args: Any, kwargs: Any) -> Any:
        """Runs the pool's own operator also where torch would take a mean."""
        operator, axes = pool
        names = ("input", "output_size")
        given = {**dict(zip(names, args)), **kwargs}
        image, size = given["input"], given["output_size"]
        sizes = [size] * axes if isinstance(size, int) else list(size)
        whole = [s if s is not None else image.shape[at - axes] for at, s in enumerate(sizes)]
        if _calls_so_far() < 0 or any(s != 1 for s in whole):
            return func(*args, **kwargs)
        return operator(image, whole)

    def names(self) -> dict[int, str]:
        """The function of each recorded call that has one."""
        return {at: name for first, end, name in self.ranges for at in range(first, end)}
