"""Answers for other values than the examples', of a module that takes another way by them where it is not exported."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Sequence

import torch

from ._flat import Call, copied, flatten, tensors, unflatten

_MASKS = (torch.bool, torch.uint8, torch.int32, torch.int64)


def _is_mask(tensor: torch.Tensor) -> bool:
    return tensor.dtype in _MASKS and tensor.numel() > 1 and bool(((tensor == 0) | (tensor == 1)).all())


def _masks_like(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """All 1; 1 in the first part of each row, in the last, and in every other place; and different in each row."""
    place = torch.arange(tensor.shape[-1])
    half = (len(place) + 1) // 2
    for row in (place >= 0, place < half, place >= half, place % 2 == 0):
        yield row.expand(tensor.shape).to(tensor.dtype)
    if tensor.dim() > 1:
        rows = torch.arange(tensor.numel() // len(place)).reshape(*tensor.shape[:-1], 1)
        yield (place < 1 + rows % len(place)).to(tensor.dtype)


def other_values(calls: Sequence[Call]) -> Iterator[tuple[Any, Any]]:
    """Arguments as those of the calls, with other masks; and with the elements of the other tensors in another order."""
    for call in calls:
        leaves, spec = flatten((call.args, call.kwargs))
        for place, leaf in enumerate(leaves):
            if not isinstance(leaf, torch.Tensor) or leaf.dim() == 0:
                continue
            for other in _masks_like(leaf) if _is_mask(leaf) else (leaf.roll(1, -1), leaf.flip(0)):
                yield unflatten([*leaves[:place], other, *leaves[place + 1 :]], spec)


def is_right_for_others(calls: Sequence[Call], plain: Callable[..., Any], agrees: Callable[..., bool]) -> bool:
    """Whether the engine answers as torch does whatever way that takes. `agrees(want, args, kwargs)` asks the engine."""
    for each in calls:
        if not agrees(each.out, copied(each.args), copied(each.kwargs)):
            return False
    for args, kwargs in other_values(calls[:2]):
        try:
            want = plain(*copied(args), **copied(kwargs))
        except Exception:  # torch does not take these values
            continue
        if tensors(want) and not agrees(want, args, kwargs):
            return False
    return True
