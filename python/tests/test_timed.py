"""Times of a module's layers in its rows, with a clock that is made up, and once with the real one."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import strata
from strata import _timing
from strata._timing import ProbeCost, Timing

REPORTS = ("calls", "leaves", "tree", "type", "root")


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x) * 2 + x


def network() -> nn.Module:
    return nn.Sequential(Block(), nn.ReLU(), Block()).eval()


def made_up() -> Timing:
    """Two recorded runs of ten seconds: half a second of each is outside of layers."""
    layers = {
        ("0.conv", 0): [3.0, 3.5], ("0", 0): [1.0, 0.5], ("1", 0): [0.5, 0.5],
        ("2.conv", 0): [4.0, 3.0], ("2", 0): [1.0, 2.0],
    }  # fmt: skip
    values = dict.fromkeys(Timing._fields)
    values.update(
        engine="torch", device="cpu", threads=1, first=11.0, warmup=[], runs=[10.0, 10.0], recorded=[10.0, 10.0],
        wall=[10.0, 10.0], waits=[], disturbed=0, probe=ProbeCost(0.0, 0.0), layers=layers, partial=False,
    )  # fmt: skip
    return Timing(**values)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_timing, "measure", lambda *_, **__: made_up())


def test_rows_have_the_times_of_their_modules(clock: None) -> None:
    profile = strata.stat(network(), (1, 4, 8, 8), timing=True)
    times = {row.layer: row.time for row in profile}
    assert times["0.conv"] == 3.25 and times["1"] == 0.5 and times["2.conv"] == 3.5
    # Of the two operators that each block calls itself, one stands for both.
    loose = [row for row in profile if row.layer.startswith("0.") and row.layer != "0.conv"]
    assert sorted((row.time is None, row.time) for row in loose) == [(False, 0.75), (True, None)]
    assert [row.in_kernel_of for row in loose if row.time is None] == [
        row.layer for row in loose if row.time is not None
    ]
    row = profile["0.conv"]
    assert row.time_mad == 0.25 and row.flops_per_s == row.flops / 3.25
    assert profile.total.time == 10.0 and times["outside layers"] == pytest.approx(0.5)


@pytest.mark.parametrize("report", REPORTS)
def test_rows_and_outside_are_the_whole(clock: None, report: str) -> None:
    profile = strata.stat(network(), (1, 4, 8, 8), timing=True, report=report)
    rows = [row for row in profile if row.get("depth", 1) == 1]
    if report == "root":
        assert [row.time for row in profile] == [10.0]
    assert sum(row.time or 0 for row in rows) == pytest.approx(10.0)
    assert profile.facts["timing"]["median_s"] == 10.0
    assert "Time" in str(profile) and "10.00 s" in str(profile)


def test_a_tree_has_the_time_between_modules(clock: None) -> None:
    profile = strata.stat(network(), (1, 4, 8, 8), timing=True, report="tree")
    times = [(row.layer, row.time) for row in profile]
    assert ("0", 4.0) in times and ("2", 5.0) in times
    assert [time for layer, time in times if layer == "(between modules)"] == [0.75, 1.5]


def test_a_report_without_times_is_one_sentence(clock: None) -> None:
    with pytest.raises(strata.StrataError, match="node has no times"):
        strata.stat(network(), (1, 4, 8, 8), timing=True, report="node")


def test_a_real_clock() -> None:
    profile = strata.stat(network(), (1, 4, 8, 8), timing=True)
    assert profile.total.time > 0 and profile["0.conv"].time > 0
    assert sum(row.time or 0 for row in profile) == pytest.approx(profile.total.time)
    assert all(row.time is None or row.time >= 0 for row in profile)
    assert len(profile.to_pandas()) == len(profile) and "outside layers" in profile._repr_html_()
