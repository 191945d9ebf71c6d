"""Compares two answers of a model, to a stated quality."""

from __future__ import annotations

import math
from typing import Any

import torch

from ._flat import flatten


def sqnr(want: Any, got: Any) -> float:
    """The signal-to-noise ratio in dB over all tensors of floats, the worst of them; -inf if anything else differs.

    >>> round(sqnr(torch.tensor([3.0, 4.0]), torch.tensor([3.0, 4.05])), 1)
    40.0
    """
    a, a_spec = flatten(want)
    b, b_spec = flatten(got)
    if a_spec != b_spec:
        return -math.inf
    worst = math.inf
    for x, y in zip(a, b):
        if not isinstance(x, torch.Tensor):
            if x is not y and x != y:
                return -math.inf
            continue
        if x.shape != y.shape or x.dtype != y.dtype or x.layout != y.layout:
            return -math.inf
        if x.layout is not torch.strided:
            x, y = x.to_dense(), y.to_dense()
        if not x.is_floating_point():
            if not torch.equal(x, y):
                return -math.inf
            continue
        x, y = x.detach().double(), y.detach().double()
        finite = torch.isfinite(x)
        # Masks are infinite on purpose. An infinity has to be the same one, and NaN where it was.
        if not torch.equal(finite, torch.isfinite(y)) or not torch.equal(x[~finite].nan_to_num(), y[~finite].nan_to_num()):
            return -math.inf
        noise = (x - y)[finite].square().sum().item()
        signal = x[finite].square().sum().item()
        if noise > 0:
            worst = min(worst, 10 * math.log10(signal / noise) if signal > 0 else -math.inf)
    return worst


def _overlaps(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Intersection over union of every box of `a` with every box of `b`, as (x1, y1, x2, y2)."""
    low, high = torch.maximum(a[:, None, :2], b[None, :, :2]), torch.minimum(a[:, None, 2:], b[None, :, 2:])
    sides = (high - low).clamp(min=0)
    inside = sides[..., 0] * sides[..., 1]
    size_a, size_b = ((each[:, 2] - each[:, 0]) * (each[:, 3] - each[:, 1]) for each in (a, b))
    union = size_a[:, None] + size_b[None] - inside
    return torch.where(union > 0, inside / union, torch.zeros_like(inside))


def _same_mask(a: torch.Tensor, b: torch.Tensor, overlap: float) -> bool:
    """True if two masks of probabilities cover the same pixels, to this intersection over union."""
    if a.shape != b.shape:
        return False
    one, other = a >= 0.5, b >= 0.5
    union = (one | other).sum().item()
    return union == 0 or (one & other).sum().item() / union > overlap


def matched_boxes(want: Any, got: Any, overlap: float = 0.9) -> float:
    """The share of boxes, in torchvision's form, that the other answer has, too, one to one.

    A box matches if its label is the same, and its overlap (and that of its mask) is greater than `overlap`.
    What is in only one of the two answers counts against it.
    """
    matched = total = 0
    if isinstance(want, dict):
        want, got = [want], [got]
    for one, other in zip(want, got):
        overlaps = _overlaps(one["boxes"], other["boxes"])
        total += max(len(one["boxes"]), len(other["boxes"]))
        if overlaps.numel() == 0:
            continue
        alike = one["labels"][:, None] == other["labels"][None]
        overlaps = torch.where(alike, overlaps, torch.zeros_like(overlaps))
        for row in range(len(overlaps)):  # boxes are sorted by score
            best = int(overlaps[row].argmax())
            if overlaps[row, best] <= overlap:
                continue
            overlaps[:, best] = 0
            if "masks" not in one or "masks" in other and _same_mask(one["masks"][row], other["masks"][best], overlap):
                matched += 1
    return matched / total if total else 1.0


def is_detection(out: Any) -> bool:
    """True if it is what torchvision's detectors return."""
    return isinstance(out, list) and bool(out) and all(isinstance(each, dict) and {"boxes", "labels"} <= set(each) for each in out)
