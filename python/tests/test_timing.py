"""Timing on a clock that stands still unless it is moved: every number is arithmetic."""
from __future__ import annotations

import statistics

import pytest

torch = pytest.importorskip("torch")

from strata._clocks import EventClock, ProcessorClock, clock_of  # noqa: E402
from strata._timing import ProbeCost, measure, own_times  # noqa: E402


class Fake:
    """A clock that modules move forward; looking at it takes time, too."""

    device = "cpu"

    def __init__(self, look=0):
        self.now, self.look = 0, look

    def mark(self):
        self.now += self.look
        return self.now

    def settle(self):
        pass

    def seconds(self, start, end):
        return (end - start) * 1e-9


class Takes(torch.nn.Module):
    """Takes so many nanoseconds before and after the modules it calls."""

    def __init__(self, clock, before, *children, after=0):
        super().__init__()
        self.clock, self.before, self.after = clock, before, after
        self.inner = torch.nn.ModuleList(children)

    def forward(self, x):
        self.clock.now += self.before
        for child in self.inner:
            x = child(x)
        self.clock.now += self.after
        return x


def network(clock):
    shared = Takes(clock, 300)
    return Takes(clock, 1000, shared, Takes(clock, 50, Takes(clock, 2000)), shared, after=500)


def times(measured):
    return {name: round(statistics.median(samples) * 1e9, 3) for name, samples in measured.calls.items()}


def unknown(_):
    return -1.0


@pytest.mark.parametrize("look", [0, 7])
def test_own_times_with_recording_taken_off(look):
    clock = Fake(look)
    measured = measure(network(clock), (1,), runs=12, warmup=3, clock=clock, waited=unknown)
    # Unrecorded, a run looks at the clock once after it has started.
    assert {round(run * 1e9, 3) for run in measured.runs} == {1000 + 300 + 50 + 2000 + 300 + 500 + look}
    # A recorded call looks twice, once of it between its own marks; a 201st of a look is in the probe's own run.
    assert measured.probe.inside * 1e9 == pytest.approx(look, abs=look / 200)
    assert measured.probe.total * 1e9 == pytest.approx(2 * look)
    assert times(measured) == pytest.approx({("", 0): 1500, ("inner.0", 0): 300, ("inner.0", 1): 300,
                                             ("inner.1", 0): 50, ("inner.1.inner.0", 0): 2000}, abs=3 * look / 200)
    assert (len(measured.runs), len(measured.recorded), len(measured.warmup)) == (12, 12, 3)
    assert torch.nn.Module.__call__.__module__.startswith("torch")


def test_runs_are_of_several_sessions_with_the_weights_elsewhere():
    places = []

    class Looks(torch.nn.Linear):
        def forward(self, x):
            places.append(self.weight.data_ptr())
            return super().forward(x)

    model = Looks(64, 64)
    own = model.weight
    measured = measure(model, (1, 64), runs=10, warmup=0, waited=unknown)
    assert measured.sessions == measured.recorded_sessions == [2, 2, 2, 2, 2]
    # The run before the measured ones has a copy, to see whether the model writes to its parameters.
    assert len(set(places)) >= 2 and places[1] == own.data_ptr()
    assert model.weight is own
    assert measure(model, (1, 64), runs=3, warmup=0, waited=unknown).sessions == [3]


def test_waiting_is_handed_on_as_it_was():
    clock, waited = Fake(), [0.0]

    def waits(_):
        waited[0] += 0.25e-7  # asked twice in a run: 25 of its 100 ns were spent waiting
        return waited[0]

    measured = measure(Takes(clock, 100), (1,), runs=10, warmup=1, clock=clock, waited=waits)
    assert [round(run * 1e9, 3) for run in measured.runs] == [100] * 10
    assert [round(wait * 1e9, 3) for wait in measured.waits + measured.recorded_waits] == [25] * 20
    unread = measure(Takes(clock, 100), (1,), runs=10, warmup=1, clock=clock, waited=unknown)
    assert unread.waits == unread.recorded_waits == []


def test_ctrl_c_keeps_what_there_is():
    clock, calls = Fake(), []

    class Stops(torch.nn.Module):
        def forward(self, x):
            calls.append(1)
            clock.now += 10
            if len(calls) == 11:
                raise KeyboardInterrupt
            return x

    measured = measure(Stops(), (1,), runs=100, warmup=2, clock=clock, waited=unknown)
    assert measured.partial and len(measured.recorded) == 3 and measured.sessions == [3]
    assert torch.nn.Module.__call__.__module__.startswith("torch")


class Event:
    """Stands in for a device's event: it is reached when the device's queue gets there."""

    queue = 0.0  # milliseconds of work that the device was given

    def record(self):
        self.at = Event.queue

    def elapsed_time(self, end):
        assert Event.settled
        return end.at - self.at


def test_events_give_the_devices_own_times():
    """Python is ahead of the device: a clock of its own would give everything to whoever waits."""
    def settle():
        Event.settled = True

    class Queues(torch.nn.Module):
        def __init__(self, milliseconds):
            super().__init__()
            self.milliseconds = milliseconds

        def forward(self, x):
            Event.settled = False
            Event.queue += self.milliseconds
            return x

    clock = EventClock("cuda:0", Event, settle)
    model = torch.nn.Sequential(Queues(2.0), Queues(5.0))
    measured = measure(model, (1,), runs=10, warmup=1, clock=clock, waited=unknown)
    assert measured.device == "cuda:0" and measured.runs == pytest.approx([7e-3] * 10)
    assert statistics.median(measured.calls["0", 0]) == pytest.approx(2e-3)
    assert statistics.median(measured.calls["1", 0]) == pytest.approx(5e-3)


def test_clocks_of_devices():
    assert isinstance(clock_of(torch.device("cpu")), ProcessorClock)
    cuda, mps = clock_of(torch.device("cuda:1")), clock_of(torch.device("mps"))
    assert isinstance(cuda, EventClock) and cuda.device == "cuda:1" and isinstance(mps, EventClock)


def test_the_model_is_left_alone():
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(3), torch.nn.Dropout(0.5)).train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    given = torch.rand(4, 3)
    torch.manual_seed(1)
    want = torch.rand(2)
    torch.manual_seed(1)
    measure(model, given, runs=10, warmup=1)
    assert torch.equal(torch.rand(2), want)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_own_times_of_a_call_inside_a_call():
    outer, inner, clock = torch.nn.Identity(), torch.nn.Identity(), Fake()
    marks = [outer, 0, inner, 100, None, 400, None, 1000]
    own = own_times(marks, clock, ProbeCost(inside=10e-9, total=30e-9), {id(outer): "a", id(inner): "a.b"})
    # The inner call lasts 300, of which recording takes 10; the outer 1000 less those 290, less 30, less its own 10.
    assert {name: round(time * 1e9) for name, time in own.items()} == {("a.b", 0): 290, ("a", 0): 1000 - 10 - 290 - 30}


def test_parameters_that_the_model_itself_writes_to():
    model = torch.nn.Embedding(5, 4, max_norm=0.1)
    before = model.weight.detach().clone()
    measure(model, torch.arange(5), runs=10, warmup=1)
    assert torch.equal(model.weight, before)


def test_every_run_has_the_cache_as_it_was_given():
    class Cache:
        def __init__(self):
            self.keys = torch.zeros(1, 3)

    class Decodes(torch.nn.Module):
        def forward(self, x, cache):
            cache.keys = torch.cat([cache.keys, x])
            lengths.append(len(cache.keys))
            return cache.keys.sum(0)

    cache, lengths = Cache(), []
    measure(Decodes(), [torch.rand(1, 3), cache], runs=10, warmup=1)
    assert set(lengths) == {2} and len(cache.keys) == 1
