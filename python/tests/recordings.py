"""Shared by the tests of the recorder: networks, and a count of a recording's products by hand."""
from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import Any, Dict, List

import torch

SOURCE = Path(os.environ.get("STRATA_SOURCE_DIR", Path(__file__).parent.parent.parent))
sys.path.insert(0, str(SOURCE / "tests" / "pt2"))


def taken(*args: Any, **kwargs: Any) -> Dict[str, Any]:
    """A recording, read back."""
    from strata._record import record
    from strata._record.written import written_out

    return written_out(record(*args, **kwargs))


def operators(recording: Dict[str, Any], phase: int = 0) -> List[str]:
    return [call[0] for call in recording["calls"] if call[5] == phase]


def flops(recording: Dict[str, Any], *phases: int) -> int:
    """Two for every product that is summed up, as FlopCounterMode counts, from the recorded shapes alone."""
    def sizes(argument: Any) -> List[int]:
        return recording["tensors"][argument["t"] if isinstance(argument, dict) else argument][1]

    total = 0
    for name, args, _, outputs, _, phase in recording["calls"]:
        if phase not in (phases or (0,)):
            continue
        if name in ("aten.convolution.default", "aten._convolution.default", "aten.convolution_backward.default"):
            backward = "backward" in name
            x, weight = (1, 2) if backward else (0, 1)
            transposed, mask = args[7 if backward else 6], args[10] if backward else [True]
            image = sizes(args[0]) if backward else sizes(outputs[0])
            if transposed:
                image = sizes(args[x])
            # One product per pixel of the image, of a group's input channels and of the kernel, for each
            # output channel; the gradients of the input and of the weight take as many each.
            each = image[0] * math.prod(image[2:]) * math.prod(sizes(args[weight]))
            total += 2 * each * (sum(mask[:2]) if backward else 1)
        elif name == "aten.addmm.default":
            total += 2 * math.prod(sizes(args[1])) * sizes(args[2])[1]
        elif name in ("aten.mm.default", "aten.bmm.default"):
            total += 2 * math.prod(sizes(args[0])) * sizes(args[1])[-1]
        elif name == "aten.baddbmm.default":
            total += 2 * math.prod(sizes(args[1])) * sizes(args[2])[-1]
        elif name.startswith("aten._scaled_dot_product_flash_attention_for_cpu.default"):
            query, key = sizes(args[0]), sizes(args[1])
            total += 4 * math.prod(query) * key[2]
    return total


class Small(torch.nn.Module):
    """A convolution, a norm, an activation in place, dropout and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, 2, 1), torch.nn.BatchNorm2d(8),
                                        torch.nn.ReLU(inplace=True))
        self.drop = torch.nn.Dropout(0.5)
        self.head = torch.nn.Linear(8, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.drop(self.body(x).mean((2, 3))))
