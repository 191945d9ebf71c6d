"""`with strata.record() as recorded:` around any code."""

from __future__ import annotations

import threading

import pytest
import torch
from torch import nn

import strata


def small() -> nn.Module:
    return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))


FORWARD = 5 * (6 * 8 + 8 * 2)


def test_any_code_counts() -> None:
    model = small()
    with strata.record() as recorded:
        y = model(torch.ones(5, 6))
        y @ torch.ones(2, 3)
        for _ in range(4):
            torch.ones(3, 3) @ torch.ones(3, 3)
    assert recorded.profile.total.macs == FORWARD + 5 * 2 * 3 + 4 * 27
    assert recorded.profile["<Sequential>.0"].macs == 5 * 6 * 8
    # What nothing in the block reads has a shape, too.
    assert recorded.profile["mm"].output == [(5, 3)]
    assert str(recorded) == str(recorded.profile) and "record" in repr(recorded)


def test_modules_have_paths_and_options_work() -> None:
    model = small()
    with strata.record(model, name="step") as recorded:
        model(torch.ones(5, 6))
    assert recorded.stat(report="root").total.macs == FORWARD
    assert recorded.profile["2"].params == 8 * 2 + 2
    assert "step" in recorded.profile.facts["model"]["path"]
    assert str(5 * 6 * 8) in recorded.profile.explain("0").replace(",", "")


def test_the_other_functions_take_it(tmp_path) -> None:
    model = small()
    with strata.record(model) as recorded:
        model(torch.ones(5, 6))
    assert strata.check(recorded, {"macs": FORWARD}).kind == "check"
    with pytest.raises(strata.BudgetExceeded):
        strata.check(recorded, {"macs": FORWARD - 1})
    assert strata.diff(recorded, recorded.profile).kind == "diff"
    recorded.save(tmp_path / "code.recording")
    assert strata.stat(tmp_path / "code.recording").total.macs == FORWARD
    for given in ({"timing": True}, {"optimizer": "adam"}, {"dtype": "int64"}, {"kwargs": {"x": 1}}):
        with pytest.raises(strata.StrataError):
            strata.stat(recorded, **given)


def test_a_step_of_training_is_three_forward_passes() -> None:
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    given = torch.ones(5, 6, requires_grad=True)
    with strata.record(model) as recorded:
        optimizer.zero_grad()
        model(given).sum().backward()
        optimizer.step()
    assert recorded.profile.total.macs == 3 * FORWARD
    assert model[0].weight.grad is not None  # it was run indeed


def test_it_ends_with_the_block() -> None:
    model = small()
    recorded = strata.record(model)
    with pytest.raises(strata.StrataError, match="still being recorded"):
        recorded.to_bytes()
    with pytest.raises(ZeroDivisionError), recorded:
        model(torch.ones(5, 6))
        1 / 0  # noqa: B018
    model(torch.ones(5, 6))
    assert recorded.profile.total.macs == FORWARD
    assert "call" not in vars(nn.Module)  # Module.__call__ is torch's again


def test_an_error_is_torchs_own() -> None:
    with pytest.raises(RuntimeError, match="(?i)indices"), strata.record():
        nn.Embedding(5, 2)(torch.ones(3))
    with pytest.raises(strata.StrataError, match="(?i)indices"):
        strata.stat(nn.Embedding(5, 2), torch.ones(3), mode="real")


def test_other_threads_are_not_recorded() -> None:
    model = small()
    with strata.record(model) as recorded:
        thread = threading.Thread(target=lambda: model(torch.ones(5, 6)))
        thread.start()
        thread.join()
        model(torch.ones(5, 6))
    assert recorded.profile.total.macs == FORWARD
