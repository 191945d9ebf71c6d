"""torchvision's MultiScaleRoIAlign by other operators of torch: sums of rows in place of a loop over channels.

RoI align takes, for each bin of each box, a weighted mean of elements around a few points. With channels last, these are
rows, and `embedding_bag` sums rows with weights, a whole vector at a time.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any, Optional, Sequence

import torch

from ._forward import EngineForward, state_that_is_torchs
from ._sessions import Session


class Rows(Session):
    """Stands where the engine of a module is named."""

    engine = "strata"

    def __init__(self) -> None:
        self.release = torch.__version__


def is_roi_align(module: torch.nn.Module) -> bool:
    """True for torchvision's own, with a fixed number of points in each bin."""
    poolers = sys.modules.get("torchvision.ops.poolers")
    kind = getattr(poolers, "MultiScaleRoIAlign", None)
    return kind is not None and type(module) is kind and module.sampling_ratio > 0 and "forward" not in module.__dict__


def _points(start: torch.Tensor, length: torch.Tensor, bins: int, ratio: int, limit: torch.Tensor) -> tuple[Any, Any]:
    """For each box and bin: the two places beside each point along an axis, and their weights."""
    step = length / bins
    bin_number = torch.arange(bins, dtype=torch.float32)[:, None]
    middle = torch.arange(ratio, dtype=torch.float32) + 0.5
    at = start[:, None, None] + bin_number * step[:, None, None] + middle * step[:, None, None] / ratio
    limit = limit[:, None, None]
    inside = (at >= -1) & (at <= limit)  # points further out count as zero
    at = torch.minimum(at.clamp(min=0), limit)
    last = limit - 1
    low = torch.minimum(at.to(torch.int64), last)
    part = torch.where(low >= last, torch.zeros(()), at - low)
    places = torch.stack([low, torch.minimum(low + 1, last)], -1)
    weights = torch.stack([1 - part, part], -1) * inside[..., None]
    return places.flatten(2), weights.flatten(2)


def roi_align(
    features: Sequence[torch.Tensor], boxes: Sequence[torch.Tensor], levels: torch.Tensor, scales: Sequence[float],
    size: tuple[int, int], ratio: int,
) -> torch.Tensor:  # fmt: skip
    """The answer of torchvision's: (boxes, channels, height, width). `levels` has the number of each box's features."""
    channels = features[0].shape[1]
    table = torch.cat([each.permute(0, 2, 3, 1).reshape(-1, channels) for each in features])
    heights, widths = (torch.tensor([each.shape[axis] for each in features])[levels] for axis in (2, 3))
    counts = [0, *(each.numel() // channels for each in features[:-1])]
    image = torch.cat([torch.full((len(each),), number) for number, each in enumerate(boxes)])
    first = torch.tensor(counts).cumsum(0)[levels] + image * heights * widths
    left, top, right, bottom = (torch.cat(list(boxes)) * torch.tensor(scales)[levels][:, None]).unbind(1)
    ys, y_weights = _points(top, (bottom - top).clamp(min=1), size[0], ratio, heights)
    xs, x_weights = _points(left, (right - left).clamp(min=1), size[1], ratio, widths)
    rows = first[:, None, None, None, None] + ys[:, :, None, :, None] * widths[:, None, None, None, None]
    rows = rows + xs[:, None, :, None, :]
    weights = y_weights[:, :, None, :, None] * x_weights[:, None, :, None, :] / ratio**2
    bags = len(image) * size[0] * size[1]
    out = torch.nn.functional.embedding_bag(rows.reshape(bags, -1), table, per_sample_weights=weights.reshape(bags, -1), mode="sum")
    return out.view(len(image), *size, channels).permute(0, 3, 1, 2).contiguous()


class RoiForward(EngineForward):
    """Takes the place of a MultiScaleRoIAlign's forward. Its attributes are read in every call."""

    def __init__(self, module: torch.nn.Module) -> None:
        self._module: Any = module
        self._plain = type(module).forward
        self.session = Rows()
        self.fallbacks: Counter[str] = Counter()
        self.calls = 0

    def _why_not_rows(self, features: list[torch.Tensor], boxes: Any) -> Optional[str]:
        module = self._module
        why = state_that_is_torchs(module, [*features, *boxes])
        if why is not None:
            return why
        if type(boxes) not in (list, tuple) or not features or module.scales is None or len(module.scales) != len(features):
            return "arguments"
        if not isinstance(module.sampling_ratio, int) or module.sampling_ratio < 1:
            return "attributes"
        for each in (*features, *boxes):
            if type(each) is not torch.Tensor:
                return "arguments"
            if each.dtype is not torch.float32:
                return "dtype"
            if each.device.type != "cpu" or each.layout is not torch.strided or each.is_neg():
                return "device"
        batch, channels = features[0].shape[:2]
        if any(each.dim() != 4 or each.shape[:2] != (batch, channels) or not each.numel() for each in features):
            return "shape"
        if len(boxes) != batch or any(each.dim() != 2 or each.shape[1] != 4 for each in boxes) or not any(map(len, boxes)):
            return "shape"
        # Not a number, or infinite: a weight of zero would not take it away.
        if not all(torch.isfinite(each.sum()) for each in (*features, *boxes)):
            return "values"
        return None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        why: Optional[str] = "arguments"
        module, features, boxes = self._module, [], None
        if len(args) == 3 and not kwargs and isinstance(args[0], dict):
            features, boxes = [each for name, each in args[0].items() if name in module.featmap_names], args[1]
            try:
                why = self._why_not_rows(features, boxes)
            except Exception:  # what torchvision refuses
                why = "arguments"
        if why is not None:
            self.fallbacks[why] += 1
            return self._plain(module, *args, **kwargs)
        self.calls += 1
        many = len(features) > 1
        levels = module.map_levels(boxes) if many else torch.zeros(sum(map(len, boxes)), dtype=torch.int64)
        size = tuple(module.output_size)
        return roi_align(features, boxes, levels, module.scales, (size[0], size[1]), module.sampling_ratio)
