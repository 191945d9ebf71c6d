"""strata.optimize: a module that was changed is answered by torch, however it was changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import pytest

from optimized import Small, X, answers_like_torch, change_in_place, fast, faster, plain, replace_weight, replaced  # noqa: F401 (fixtures)

import strata
import torch
from strata._optimize import _guard


def load_others(model: Any) -> None:
    model.load_state_dict({name: each + 1 for name, each in model.state_dict().items()})


def replace_module(model: Any) -> None:
    model.fc = torch.nn.Linear(4, 5)


def replace_data(model: Any) -> None:
    model.fc.weight.data = torch.zeros(5, 4)


def turn_data(model: Any) -> None:
    model.square.weight.data = model.square.weight.data.t()  # the same elements, in another order


def change_through_view(model: Any) -> None:
    model.fc.weight.detach()[0].zero_()


def swap_weights(model: Any) -> None:
    if hasattr(torch.utils, "swap_tensors"):
        torch.utils.swap_tensors(model.fc.weight, torch.nn.Parameter(torch.zeros(5, 4)))
    else:
        replace_data(model)


def change_buffer(model: Any) -> None:
    model.norm.running_mean.add_(1)


def train_inside(model: Any) -> None:
    model.norm.train()


def change_attribute(model: Any) -> None:
    model.sign = -1.0


def change_inner_attribute(model: Any) -> None:
    model.norm.eps = 0.5


def replace_inner_forward(model: Any) -> None:
    model.fc.forward = lambda x: torch.zeros(len(x), 5)


CHANGES = {
    replace_weight: "weights", change_in_place: "weights", load_others: "weights", replace_data: "weights",
    turn_data: "weights", change_through_view: "weights", swap_weights: "weights", change_buffer: "weights",
    replace_module: "modules", train_inside: "training", change_attribute: "attributes",
    change_inner_attribute: "attributes", replace_inner_forward: "attributes",
}  # fmt: skip


@pytest.fixture(params=["helper", "python"])
def guarded(request: Any, monkeypatch: Any) -> None:
    """Guards that ask libstrata_guard.so, and guards without it."""
    if request.param == "python":
        monkeypatch.setattr(_guard, "_helper", lambda: None)
    else:
        assert _guard._helper() is not None


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_never_stale(guarded: None, tmp_path: Path, change: Callable[[Any], None]) -> None:
    torch.manual_seed(0)
    fast = replaced(Small().eval(), tmp_path)
    with torch.no_grad():
        answers_like_torch(fast, None, X)
        before = plain(fast, X)
        change(fast)
        if change is not train_inside:  # which changes its buffers in each run
            assert not torch.allclose(plain(fast, X), before)
        assert (fast(X) - plain(fast, X)).abs().max() < 1e-5
        assert fast.strata.fallbacks() == {"": {CHANGES[change]: 1}}


def test_what_changes_nothing_stays_with_the_engine(guarded: None, tmp_path: Path) -> None:
    fast = replaced(Small().eval(), tmp_path)
    with torch.no_grad():
        kept = [fast.state_dict(), list(fast.parameters()), fast.fc.weight.detach(), fast.fc.weight[0]]
        fast.eval()
        fast.fc.weight = fast.fc.weight
        fast.requires_grad_(False).requires_grad_(True)
        answers_like_torch(fast, None, X)
    assert kept


def test_hundreds_of_weights_are_all_watched(guarded: None) -> None:
    model = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2)) for _ in range(60)]).eval()
    with torch.no_grad():
        for weight in model.state_dict(keep_vars=True).values():
            guard = _guard.Guard(model)
            assert guard.changed() is None
            weight.add_(1)
            assert guard.changed() == "weights"


class Counting(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc, self.calls = torch.nn.Linear(4, 4), 0

    def forward(self, x: Any) -> Any:
        self.calls += 1
        return self.fc(x)


def test_modules_that_change_themselves_stay_in_torch(faster: None) -> None:
    model = Counting().eval()
    strata.optimize(model, torch.rand(1, 4), engines=["onnxruntime"])
    assert model.strata.replaced() == {"fc": "onnxruntime"}
    assert "changes its own attributes" in model.strata.receipt.tried[0].why_not


def test_hooks_are_called(fast: Any) -> None:
    seen = []
    outer = fast.register_forward_hook(lambda *_: seen.append("outer"))
    with torch.no_grad():
        answers_like_torch(fast, None, X)
        assert seen == ["outer"]
        fast.fc.register_forward_hook(lambda *_: seen.append("inner"))
        fast(X)
    assert seen == ["outer", "inner", "outer"]
    assert fast.strata.fallbacks() == {"": {"hooks": 1}}
    outer.remove()
