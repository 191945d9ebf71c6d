"""Detectors, whose sizes depend on what they find. Needs Debian's torchvision."""
from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
torchvision = pytest.importorskip("torchvision")

from recordings import operators, taken  # noqa: E402


@pytest.mark.parametrize("name", ["fasterrcnn_mobilenet_v3_large_320_fpn", "ssdlite320_mobilenet_v3_large"])
def test_detectors_are_recorded_with_real_tensors(name):
    model = getattr(torchvision.models.detection, name)(weights=None, weights_backbone=None).eval()
    made = taken(model, [[torch.rand(3, 160, 200)]])
    assert made["mode"] == "real" and len(made["notes"]) == 1
    assert "torchvision.nms.default" in operators(made) and "aten.nonzero.default" in operators(made)
    called = {path for path, *_ in made["modules"]}
    convolutions = {path for path, module in model.named_modules() if isinstance(module, torch.nn.Conv2d)}
    assert convolutions <= called
