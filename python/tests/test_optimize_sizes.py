"""strata.optimize: sizes that vary, and files that keep some of them as numbers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from optimized import Small, answers_like_torch, faster, plain, replaced  # noqa: F401 (a fixture)

import strata
import torch


def test_sizes_that_vary_stay_open(tmp_path: Path) -> None:
    fast = replaced(Small().eval(), tmp_path, shapes=((1, 3, 8, 8), (1, 3, 12, 8)))
    with torch.no_grad():
        for height in (8, 12, 20):
            answers_like_torch(fast, None, torch.rand(1, 3, height, 8))
        answers_like_torch(fast, "shape", torch.rand(1, 3, 8, 12))


def by_half(fc: Any, x: Any) -> Any:
    return fc(x)[: int(x.shape[0] / 2)]


def by_steps(fc: Any, x: Any) -> Any:
    y = fc(x)
    for step in range(x.shape[0]):
        y = y + 0.1 * step
    return y


def by_branch(fc: Any, x: Any) -> Any:
    return fc(x) * 2 if x.shape[0] > 10 else fc(x)


def by_root(fc: Any, x: Any) -> Any:
    return fc(x) * math.sqrt(x.shape[0])


def by_rows(fc: Any, x: Any) -> Any:
    return torch.stack([fc(row) for row in x.unbind(0)])


class OfSizes(torch.nn.Module):
    def __init__(self, how: Any) -> None:
        super().__init__()
        self.fc, self.how = torch.nn.Linear(8, 8), how

    def forward(self, x: Any) -> Any:
        return self.how(self.fc, x)


@pytest.mark.parametrize("how", [by_half, by_steps, by_branch, by_root, by_rows])
def test_sizes_that_a_file_keeps_are_torchs(faster: None, how: Any) -> None:
    """torch.jit.trace makes numbers of these sizes, so that the file is wrong for others."""
    model = OfSizes(how).eval()
    strata.optimize(model, [(torch.rand(size, 8),) for size in (4, 6, 4)], engines=["onnxruntime"])
    with torch.no_grad():
        for size in (4, 5, 6, 7, 12):
            x = torch.rand(size, 8)
            want = plain(model, x)
            assert torch.allclose(model(x), want, atol=1e-5) and model(x).shape == want.shape


def test_sizes_that_only_look_kept_are_those_of_the_examples(faster: None, tmp_path: Path) -> None:
    model = OfSizes(by_branch).eval()
    strata.optimize(model, [(torch.rand(size, 8),) for size in (4, 6, 4)], engines=["onnxruntime"])
    assert model.strata.replaced() == {"": "onnxruntime"}
    assert any("the sizes of the examples alone" in each for each in model.strata.receipt.notes)
    with torch.no_grad():
        for size, calls in ((6, 1), (7, 1), (4, 2)):
            model(torch.rand(size, 8))
            assert model.strata.calls() == {"": calls}
    assert model.strata.fallbacks() == {"": {"shape": 1}}
    model.strata.save(tmp_path / "fast")
    model.strata.restore()
    again = strata.load_optimized(tmp_path / "fast", model)
    with torch.no_grad():
        for size in (4, 6, 7, 12):
            x = torch.rand(size, 8)
            assert torch.allclose(again(x), plain(again, x), atol=1e-5)
    assert again.strata.calls() == {"": 2} and again.strata.fallbacks() == {"": {"shape": 2}}


@pytest.mark.parametrize("how", [by_half, by_steps, by_branch, by_root, by_rows])
def test_fixed_sizes_may_be_kept(faster: None, how: Any) -> None:
    model = OfSizes(how).eval()
    strata.optimize(model, torch.rand(4, 8), engines=["onnxruntime"])
    assert model.strata.replaced() == {"": "onnxruntime"}
    with torch.no_grad():
        x = torch.rand(4, 8)
        assert torch.allclose(model(x), plain(model, x), atol=1e-5)
    assert model.strata.calls() == {"": 1}
