"""torch modules in the hand of a user: recorded for stat, exported for engines."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import strata


class Small(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.relu = nn.ReLU()
        self.head = nn.Linear(8, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.relu(self.conv(x)).mean((2, 3)))


# A 3x3 convolution of 3 to 8 channels at 16x16, and a matrix of 8 by 10.
CONV, HEAD = 16 * 16 * 8 * 3 * 9, 8 * 10


def test_module_by_shape_and_by_tensor() -> None:
    model = Small().eval()
    parameters = sum(each.numel() for each in model.parameters())
    for inputs in ((1, 3, 16, 16), torch.zeros(1, 3, 16, 16), [torch.zeros(1, 3, 16, 16)]):
        profile = strata.stat(model, inputs)
        assert profile.total.macs == CONV + HEAD and profile.total.params == parameters
        assert profile["conv"].macs == CONV and profile["head"].type == "Linear"
    assert strata.stat(model, (1, 3, 16, 16), batch=4).total.macs == 4 * (CONV + HEAD)
    assert "Small" in strata.stat(model, (1, 3, 16, 16)).facts["model"]["path"]


def test_other_commands_take_modules() -> None:
    model, shape = Small().eval(), (1, 3, 16, 16)
    profile = strata.stat(model, shape)
    assert f"{CONV:,}" in profile.explain("conv") and f"{CONV:,}" in strata.explain(model, "conv", shape)
    assert strata.payload(model, shape, cuts=True).rows[0].raw == 4 * 3 * 16 * 16
    assert strata.check(model, {"macs": CONV + HEAD}, shape).kind == "check"
    assert strata.check(model, shape, budget={"macs": CONV + HEAD}).kind == "check"
    with pytest.raises(strata.BudgetExceeded):
        strata.check(model, shape, {"macs": CONV + HEAD - 1})
    wide = Small().eval()
    wide.head = nn.Linear(8, 20)
    text = str(profile.diff(strata.stat(wide, shape)))
    name = type(wide).__name__
    assert "head" in text and text.startswith(f"{name} → {name} (2): ")


def test_other_commands_take_keyword_arguments() -> None:
    class Scaled(Small):
        def forward(self, x, scale):
            return super().forward(x) * scale

    model, shape, given = Scaled().eval(), (1, 3, 16, 16), {"scale": torch.ones(1)}
    assert f"{CONV:,}" in strata.explain(model, "conv", shape, kwargs=given)
    assert strata.payload(model, shape, kwargs=given).kind == "payload"
    assert strata.check(model, {"macs": CONV + HEAD}, shape, kwargs=given).kind == "check"


def test_wrong_inputs_are_one_sentence_and_name_the_users_line() -> None:
    with pytest.raises(strata.StrataError) as caught:
        strata.stat(Small(), (1, 4, 16, 16))
    assert "forward" in str(caught.value) or "test_modules.py" in str(caught.value)
    assert caught.value.__cause__ is not None
    with pytest.raises(strata.StrataError):
        strata.stat(Small())


def test_module_is_left_as_it_was() -> None:
    model = Small().train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    strata.stat(model, (1, 3, 16, 16))
    assert model.training and not model._forward_hooks and not model._forward_pre_hooks
    after = model.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_exported_program() -> None:
    if not hasattr(torch, "export"):
        pytest.skip("torch.export is not in this torch")
    program = torch.export.export(Small().eval(), (torch.zeros(1, 3, 16, 16),))
    assert strata.stat(program).total.macs == CONV + HEAD


def test_bench_exports_modules() -> None:
    model = Small().train()
    report = strata.bench(model, (1, 3, 16, 16), max_time="1s", processes=1)
    assert report.rows[0].median_s > 0 and model.training
    with pytest.raises(strata.StrataError, match="Small cannot be exported"):
        strata.bench(model, (1, 4, 16, 16), max_time="1s")


def test_a_step_of_training() -> None:
    model = Small().train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    profile = strata.stat(model, (2, 3, 16, 16), backward=True, optimizer=optimizer)
    forward, backward, step = profile.memory_by_phase
    parameters = sum(each.numel() for each in model.parameters())
    weights = 4 * parameters
    assert profile.total.params == parameters  # once, although both passes read them
    # Backward, a layer has the same products twice: for its weights and, but for the first, its input.
    assert profile.total.forward_macs == 2 * (CONV + HEAD)
    assert profile.total.backward_macs == 2 * (CONV + 2 * HEAD)
    assert forward.weights == backward.weights == step.weights == weights
    assert step.gradients == weights and step.optimizer_state == weights  # a momentum for each
    assert forward.gradients == 0
    # The convolution keeps its input; a weight is kept anyway.
    assert profile.saved_activations["conv"] == 4 * 2 * 3 * 16 * 16
    with pytest.raises(strata.StrataError, match="backward=True"):
        strata.stat("zoo:alexnet").memory_by_phase  # noqa: B018
