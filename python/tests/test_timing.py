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


def times(timing):
    return {name: round(statistics.median(samples) * 1e9, 3) for name, samples in timing.layers.items()}


@pytest.mark.parametrize("look", [0, 7])
def test_layers_and_outside_add_up_and_recording_is_taken_off(look):
    clock = Fake(look)
    timing = measure(network(clock), (1,), runs=12, warmup=3, clock=clock, waited=lambda _: -1.0)
    # Unrecorded, a run looks at the clock once after it has started.
    assert round(timing.median * 1e9, 3) == 1000 + 300 + 50 + 2000 + 300 + 500 + look
    # A recorded call looks twice, once of it between its own marks; a 201st of a look is in the probe's own run.
    assert timing.probe.inside * 1e9 == pytest.approx(look, abs=look / 200)
    assert timing.probe.total * 1e9 == pytest.approx(2 * look)
    assert times(timing) == pytest.approx({("", 0): 1500, ("inner.0", 0): 300, ("inner.0", 1): 300, ("inner.1", 0): 50,
                                           ("inner.1.inner.0", 0): 2000}, abs=3 * look / 200)
    assert timing.outside * 1e9 == pytest.approx(look, abs=look / 20)
    assert (len(timing.runs), len(timing.recorded), len(timing.warmup)) == (12, 12, 3)
    assert torch.nn.Module.__call__.__module__.startswith("torch")


def test_recorded_runs_are_scaled_to_the_unrecorded_ones():
    clock, calls = Fake(), []

    class Slower(torch.nn.Module):
        def forward(self, x):
            calls.append(1)
            clock.now += 100 if len(calls) % 2 else 150  # every second run, which is recorded, takes half more
            return x

    timing = measure(torch.nn.Sequential(Slower()), (1,), runs=10, warmup=2, clock=clock, waited=lambda _: -1.0)
    assert timing.median * 1e9 == pytest.approx(statistics.median(timing.wall) * 1e9)
    assert times(timing)["0", 0] == round(timing.median * 1e9, 3) and timing.outside == pytest.approx(0)


def test_waiting_and_disturbed_runs():
    clock, waited = Fake(), [0.0]

    def waits(_):
        waited[0] += 0.25e-7  # asked twice in a run: 25 of its 100 ns were spent waiting
        return waited[0]

    model = Takes(clock, 100)
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        alone = measure(model, (1,), runs=10, warmup=1, clock=clock, waited=waits)
        torch.set_num_threads(2)
        several = measure(model, (1,), runs=10, warmup=1, clock=clock, waited=waits)
    finally:
        torch.set_num_threads(threads)
    assert [round(run * 1e9, 3) for run in alone.runs] == [75] * 10 and alone.disturbed == 0
    assert several.disturbed == 10 and [round(run * 1e9, 3) for run in several.runs] == [100] * 10


def test_ctrl_c_keeps_what_there_is():
    clock, calls = Fake(), []

    class Stops(torch.nn.Module):
        def forward(self, x):
            calls.append(1)
            clock.now += 10
            if len(calls) == 11:
                raise KeyboardInterrupt
            return x

    timing = measure(Stops(), (1,), runs=100, warmup=2, clock=clock, waited=lambda _: -1.0)
    assert timing.partial and len(timing.recorded) == 3
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
    timing = measure(model, (1,), runs=10, warmup=1, clock=clock, waited=lambda _: -1.0)
    assert timing.device == "cuda:0" and timing.median == pytest.approx(7e-3)
    assert statistics.median(timing.layers["0", 0]) == pytest.approx(2e-3)
    assert statistics.median(timing.layers["1", 0]) == pytest.approx(5e-3)


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


def test_waiting_is_taken_off_the_layer_that_it_lengthened():
    clock, waited, runs = Fake(), [0.0], []

    class Waits(torch.nn.Module):
        def forward(self, x):
            runs.append(1)
            clock.now += 100
            if len(runs) % 3 == 0:  # another program runs for 400 ns
                clock.now += 400
                waited[0] += 400e-9
            return x

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        model = torch.nn.Sequential(Takes(clock, 300), Waits())
        timing = measure(model, (1,), runs=12, warmup=1, clock=clock, waited=lambda _: waited[0])
    finally:
        torch.set_num_threads(threads)
    assert {round(run * 1e9) for run in timing.runs} == {400} and timing.outside == pytest.approx(0, abs=1e-12)
    assert times(timing) == {("", 0): 0, ("0", 0): 300, ("1", 0): 100}
    assert {round(time * 1e9) for time in timing.layers["1", 0]} == {100}
