"""Memory of a device per module call, with an allocator that stands in for CUDA's; and of recorded storages."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from strata._device_memory import Counters, CudaAllocator, device_memory  # noqa: E402

import strata  # noqa: E402


class Pool:
    """Counts what modules say they take and give back."""

    def __init__(self) -> None:
        self.in_use, self.peak, self.taken, self.freed = 1000, 1000, 0, 0  # the weights

    def take(self, size: int) -> None:
        self.in_use += size
        self.taken += size
        self.peak = max(self.peak, self.in_use)

    def free(self, size: int) -> None:
        self.in_use -= size
        self.freed += size

    def settle(self) -> None:
        pass

    def read(self) -> Counters:
        counters = Counters(self.in_use, self.peak, self.taken, self.freed)
        self.peak = self.in_use
        return counters


class Takes(torch.nn.Module):
    """Takes an output and, for a moment, a workspace; gives back its input."""

    def __init__(self, pool: Pool, output: int, workspace: int, given: int, *children: torch.nn.Module) -> None:
        super().__init__()
        self.pool, self.output, self.workspace, self.given = pool, output, workspace, given
        self.inner = torch.nn.ModuleList(children)

    def forward(self, x: Any) -> Any:
        for child in self.inner:
            x = child(x)
        self.pool.take(self.output)
        self.pool.take(self.workspace)
        self.pool.free(self.workspace)
        self.pool.free(self.given)
        return x


class Prepared:
    def __init__(self, model: torch.nn.Module) -> None:
        self.paths = {id(module): path for path, module in model.named_modules()}
        self.call, self.refresh = lambda: model(1), lambda: None


def test_each_call_has_what_it_took_itself() -> None:
    pool = Pool()
    model = Takes(pool, 8, 0, 30, Takes(pool, 100, 50, 0), Takes(pool, 30, 0, 100))
    taken = device_memory(Prepared(model), pool)
    assert taken == {
        # taken, given back inside of it, in use at its end, peak: above what was there before the run
        ("inner.0", 0): (150, 50, 108 - 8, 150),
        ("inner.1", 0): (30, 30, 30, 130),
        ("", 0): (8, 8, 8, 150),
    }  # fmt: skip
    assert torch.nn.Module.__call__.__module__.startswith("torch")


def test_cudas_counters_are_read_by_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = {"current": 5, "peak": 9, "allocated": 70, "freed": 65}
    done = []
    monkeypatch.setattr(torch.cuda, "memory_stats",
                        lambda device: {f"allocated_bytes.all.{name}": value for name, value in counted.items()})
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", done.append)
    assert CudaAllocator("cuda:0").read() == Counters(5, 9, 70, 65) and done == ["cuda:0"]


def test_measured_memory_has_the_columns_of_an_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    from strata import _timing

    calls = {("0", 0): [1.0] * 6, ("1", 0): [2.0] * 6}
    monkeypatch.setattr(_timing, "measure", lambda *_, **__: _timing.Measured(
        "torch", "cuda:0", 0, 4.0, [], _timing.ProbeCost(0.0, 0.0), [3.0] * 6, [], [2, 2, 2], [3.0] * 6, [], [2, 2, 2],
        calls, False, {("0", 0): (100, 40, 60, 110), ("1", 0): (50, 0, 110, 160)}))
    profile = strata.stat(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Sigmoid()), (2, 3), timing=True)
    assert [(row.layer, row.mem_alloc, row.mem_scratch, row.mem_held, row.mem_peak) for row in profile][:2] == [
        ("0", 100, 40, 60, 110), ("1", 50, 0, 110, 160)]
    assert profile.total.mem_alloc == 150 and profile.facts["memory"]["engine"]["peak"] == 160


def test_recorded_storages_by_arithmetic() -> None:
    """A Sequential gives its input back as soon as the next module has it."""
    net = torch.nn.Sequential(torch.nn.Linear(8, 16, bias=False), torch.nn.Sigmoid(), torch.nn.Linear(16, 4, bias=False))
    profile = strata.stat(net, (10, 8), device_memory="recorded")
    rows = [(row.layer, row.net_dev_mem, row.dev_mem_alloc, row.dev_max_mem_alloc) for row in profile]
    first, second, last = 4 * 160, 4 * 160, 4 * 40
    # Sequential's loop holds the value before until the next one is there.
    assert rows == [("0", 0, first, first), ("1", first, 0, second), ("2", second, last - second, last)]
    device = profile.facts["memory"]["device"]
    weights, inputs = 4 * (8 * 16 + 16 * 4), 4 * 80
    assert (device["model"], device["weights"], device["inputs"]) == ("recorded", weights, inputs)
    assert device["peak_allocated"] == weights + inputs + first + second and device["peak_reserved"] is None
    with pytest.raises(strata.StrataError, match="not a recording"):
        strata.stat("zoo:alexnet", device_memory="recorded")
