"""Times of a module's layers in its rows, with a clock that is made up, and once with the real one."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import strata
from strata import _timing
from strata._timing import Measured, ProbeCost

REPORTS = ("calls", "leaves", "tree", "type", "root")


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x) * 2 + x


def network() -> nn.Module:
    return nn.Sequential(Block(), nn.ReLU(), Block()).eval()


def made_up() -> Measured:
    """Six recorded runs of ten seconds in three sessions: half a second of each is outside of layers."""
    calls = {
        ("0.conv", 0): [3.0] * 6, ("0", 0): [1.0] * 6, ("1", 0): [0.5] * 6,
        ("2.conv", 0): [4.0] * 6, ("2", 0): [1.0] * 6, ("", 0): [0.0] * 6,
    }  # fmt: skip
    return Measured(
        engine="torch 2.13.0", device="cpu", threads=1, first=11.0, warmup=[10.0], probe=ProbeCost(0.0, 0.0),
        runs=[10.0] * 6, waits=[], sessions=[2, 2, 2], recorded=[10.0] * 6, recorded_waits=[],
        recorded_sessions=[2, 2, 2], calls=calls, partial=False,
    )  # fmt: skip


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_timing, "measure", lambda *_, **__: made_up())


def test_rows_have_the_times_of_their_modules(clock: None) -> None:
    profile = strata.stat(network(), (1, 4, 8, 8), timing=True)
    times = {row.layer: row.time for row in profile}
    assert times["0.conv"] == 3.0 and times["1"] == 0.5 and times["2.conv"] == 4.0
    # Each block calls two operators itself; one row stands for both.
    loose = [row for row in profile if row.layer.startswith("0.") and row.layer != "0.conv"]
    assert sorted((row.time is None, row.time) for row in loose) == [(False, 1.0), (True, None)]
    assert [row.in_kernel_of for row in loose if row.time is None] == [
        row.layer for row in loose if row.time is not None
    ]
    row = profile["0.conv"]
    assert row.time_mad == 0.0 and row.flops_per_s == row.flops / 3.0
    assert profile.total.time == 10.0 and times["outside layers"] == pytest.approx(0.5)


@pytest.mark.parametrize("report", REPORTS)
def test_rows_and_outside_are_the_whole(clock: None, report: str) -> None:
    profile = strata.stat(network(), (1, 4, 8, 8), timing=True, report=report)
    rows = [row for row in profile if row.get("depth", 1) == 1]
    if report == "root":
        assert [row.time for row in profile] == [10.0]
    assert sum(row.time or 0 for row in rows) == pytest.approx(10.0)
    facts = profile.facts["timing"]
    assert facts["median_s"] == 10.0 and facts["sessions"] == 3 and facts["engine"] == "torch 2.13.0 (cpu)"
    low, high = facts["median_interval_s"]
    assert low < 10.0 < high
    assert "Time" in str(profile) and "10.00 s" in str(profile)


def test_what_nobody_measured_is_not_told(clock: None) -> None:
    profile = strata.stat(network(), (1, 4, 8, 8), timing=True)
    facts = profile.facts["timing"]
    assert facts["open_s"] is facts["cpu_s"] is facts["involuntary_switches"] is facts["wait_s"] is None
    assert not facts["disturbed"]
    assert "1 thread; first run 11.00 s" in str(profile) and "opened" not in str(profile)


def test_options_of_tables_work_on_times(clock: None) -> None:
    profile = strata.stat(network(), (1, 4, 8, 8), timing=True, sort="time", top=2, columns=["layer", "time", "time%"])
    lines = profile.render("csv").splitlines()
    assert [line.split(",")[0] for line in lines[1:3]] == ["2.conv", "0.conv"]
    assert lines[0].startswith("layer,time") and "macs" not in lines[0]
    slowest = [row.layer for row in strata.stat(network(), (1, 4, 8, 8), timing=True, sort="time") if row.time]
    assert slowest[:2] == ["2.conv", "0.conv"]
    some = strata.stat(network(), (1, 4, 8, 8), timing=True, filter="*conv*")
    assert [(row.layer, row.time) for row in some] == [("0.conv", 3.0), ("2.conv", 4.0)]
    for format in ("html", "md", "table", "svg"):
        assert profile.render(format)


def test_a_tree_has_the_time_between_modules(clock: None) -> None:
    profile = strata.stat(network(), (1, 4, 8, 8), timing=True, report="tree")
    times = {row.layer: row.time for row in profile}
    assert times["0"] == 4.0 and times["2"] == 5.0
    assert [row.time for row in profile if row.layer == "(between modules)"] == [1.0, 1.0]


def test_training_and_timing_are_two_questions() -> None:
    with pytest.raises(strata.StrataError, match="forward pass"):
        strata.stat(network(), (1, 4, 8, 8), timing=True, backward=True)


def test_a_real_clock() -> None:
    profile = strata.stat(network(), (1, 4, 8, 8), timing=True)
    assert profile.total.time > 0 and profile["0.conv"].time > 0
    assert sum(row.time or 0 for row in profile) == pytest.approx(profile.total.time)
    assert profile.facts["timing"]["sessions"] > 1
    assert len(profile.to_pandas()) == len(profile) and "outside layers" in profile._repr_html_()
