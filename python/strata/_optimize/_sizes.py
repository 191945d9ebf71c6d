"""For which sizes of its inputs a file gives the answers of torch.

torch.jit.trace keeps some sizes as numbers where they should stay open, as in `x[: int(len(x) / 2)]`, a loop over
an axis, or a branch on a size. Such a file is right for the sizes that it was traced with, and silently wrong for others.
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

import torch

from ._export import Exported
from ._flat import Call, copied, flatten, tensors, unflatten


def sizes_of(call: Call, exported: Exported) -> tuple[int, ...]:
    """The sizes of the open axes."""
    given = tensors((call.args, call.kwargs))
    return tuple(size for each, shape in zip(given, exported.shapes) for size, wanted in zip(each.shape, shape) if wanted < 0)


def _other_size(seen: tuple[int, ...]) -> int:
    """One that was not seen, as far from the last as that is from the first."""
    step = seen[-1] - seen[0]
    if step == 0:  # a count of boxes
        return max(1, seen[0] // 2) if seen[0] > 1 else 2
    return seen[-1] + step if 0 < seen[-1] + step <= 2 * max(seen) else max(seen) + abs(step)


def with_other_sizes(calls: Sequence[Call], exported: Exported) -> tuple[Any, dict[str, Any]]:
    """Arguments whose open axes have sizes that no call has, with the elements of the first call, repeated or cut."""
    leaves, spec = flatten((calls[0].args, calls[0].kwargs))
    everywhere = [tensors((each.args, each.kwargs)) for each in calls]
    number = 0
    for place, leaf in enumerate(leaves):
        if not isinstance(leaf, torch.Tensor):
            continue
        for axis, wanted in enumerate(exported.shapes[number]):
            if wanted < 0:
                size = _other_size(tuple(each[number].shape[axis] for each in everywhere))
                leaf = leaf.index_select(axis, torch.arange(size) % leaf.shape[axis])
        leaves[place] = leaf
        number += 1
    return unflatten(leaves, spec)  # type: ignore[no-any-return]


def right_sizes(
    exported: Exported, calls: Sequence[Call], plain: Callable[..., Any], agrees: Callable[..., bool]
) -> Optional[frozenset[tuple[int, ...]]]:
    """The sizes of calls whose answers an engine gives; None if it seems to for any size. `agrees(want, args, kwargs)` asks
    the engine."""
    different = {sizes_of(each, exported): each for each in reversed(calls)}
    right = {
        sizes for sizes, each in different.items() if agrees(each.out, copied(each.args), copied(each.kwargs))
    }
    if exported.sizes is not None or len(right) < len(different):
        return frozenset(right)
    args, kwargs = with_other_sizes(calls, exported)
    try:
        want = plain(*copied(args), **copied(kwargs))
    except Exception:  # torch does not take these sizes, so nothing can be said
        return None
    return None if agrees(want, args, kwargs) else frozenset(right)
