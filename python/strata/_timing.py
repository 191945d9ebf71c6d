"""How long a module takes on its own device, and where: strata's rules for measuring, in an eager run.

Runs in which nothing is recorded tell how long the whole takes; every second run records when each module
call starts and ends, and tells where the time goes. What recording costs is measured and taken off, and
each recorded run is scaled to the median of the unrecorded ones, so that the layers and the time outside of
them add up to the whole. The statistics of it are the native core's.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, Optional

from ._clocks import Clock, clock_of, waited_seconds

FEWEST_WARMUPS, MOST_WARMUPS, FEWEST_RUNS = 3, 50, 10
UNDISTURBED_WAIT = 0.01  # a run of several threads counts if they waited for less than this share of it

#: A module call: the module's path, and how often it was called before in the same run.
CallName = tuple[str, int]


class ProbeCost(NamedTuple):
    """What recording costs per module call, in seconds."""

    inside: float  # added between a call's own marks
    total: float  # added to the run


class Timing(NamedTuple):
    """What was measured, in seconds. `runs` and `recorded` are those that count."""

    engine: str
    device: str
    threads: int
    first: float
    warmup: list[float]
    runs: list[float]
    recorded: list[float]
    wall: list[float]  # all unrecorded runs as measured
    waits: list[float]  # how long each of them waited for a processor; empty if that is not known
    disturbed: int  # runs that do not count, because others used the machine
    probe: ProbeCost
    layers: dict[CallName, list[float]]  # the own time of each module call, without the modules it calls
    partial: bool
    calls: int = 0  # module calls in a run
    all_recorded: list[float] = []  # every recorded run in order, without its waiting, with the cost of recording

    @property
    def median(self) -> float:
        return statistics.median(self.runs)

    @property
    def outside(self) -> float:
        """What is in no layer: the layers and this add up to the median."""
        return self.median - sum(statistics.median(times) for times in self.layers.values())


class ModuleMarks:
    """Replaces Module.__call__; while `marks` is a list, every call of this thread's modules is marked in it."""

    def __init__(self, mark: Callable[[], Any]):
        import torch

        self._class, self._mark = torch.nn.Module, mark
        self.marks: Optional[list[Any]] = None

    def __enter__(self) -> "ModuleMarks":
        self._original = original = self._class.__call__
        mark, thread, current = self._mark, threading.get_ident(), threading.get_ident
        here = self

        def call(module: Any, *args: Any, **kwargs: Any) -> Any:
            marks = here.marks
            if marks is None or current() != thread:
                return original(module, *args, **kwargs)
            marks.append(module)
            marks.append(mark())
            try:
                return original(module, *args, **kwargs)
            finally:
                marks.append(None)
                marks.append(mark())

        self._class.__call__ = call
        return self

    def __exit__(self, *_: Any) -> None:
        self._class.__call__ = self._original


def own_times(marks: list[Any], clock: Clock, probe: ProbeCost, paths: Mapping[int, str]) -> dict[CallName, float]:
    """The own time of each module call of one run, with the cost of recording taken off."""
    stack: list[list[Any]] = []
    counts: dict[int, int] = {}
    own: dict[CallName, float] = {}
    for module, moment in zip(marks[::2], marks[1::2]):
        if module is not None:
            count = counts.get(id(module), 0)
            counts[id(module)] = count + 1
            stack.append([(paths.get(id(module), f"<{type(module).__name__}>"), count), moment, 0.0])
            continue
        name, start, inner = stack.pop()
        lasted = clock.seconds(start, moment)
        own[name] = max(lasted - probe.inside - inner, 0.0)
        if stack:
            stack[-1][2] += lasted - probe.inside + probe.total
    return own


def measure(model: Any, inputs: Any = None, *, kwargs: Optional[Mapping[str, Any]] = None, runs: int = 0,
            seconds: float = 3.0, warmup: int = -1, clock: Optional[Clock] = None,
            waited: Callable[[bool], float] = waited_seconds) -> Timing:
    """Measures a module, on real tensors and on the device it is on.

    `runs` unrecorded runs and as many recorded ones, or as many as fit into `seconds`, at least ten of each.
    Ctrl-C ends it with what there is.
    """
    from ._record.prepare import ready

    with ready(model, inputs, kwargs) as (call, device, paths, threads):
        clock = clock or clock_of(device)
        return _Measuring(call, clock, paths, threads, waited).result(runs, seconds, warmup)


class _Measuring:
    def __init__(self, call: Callable[[], Any], clock: Clock, paths: Mapping[int, str], threads: int,
                 waited: Callable[[bool], float]):
        self.call, self.clock, self.paths, self.threads = call, clock, paths, threads
        self.waited = lambda: waited(threads > 1)
        self.wall: list[tuple[float, float]] = []  # of unrecorded runs: seconds, and seconds of waiting
        self.recorded: list[tuple[float, float, list[Any]]] = []

    def result(self, runs: int, seconds: float, warmup: int) -> Timing:
        partial = False
        with ModuleMarks(self.clock.mark) as marks:
            first = self._run()[0]
            warm = self._warm_up(warmup)
            probe = probe_cost(self.clock, marks)
            try:
                end = time.monotonic() + seconds
                while len(self.wall) < (runs or FEWEST_RUNS) or (not runs and time.monotonic() < end):
                    self.wall.append(self._run())
                    taken: list[Any] = []
                    marks.marks = taken
                    try:
                        self.recorded.append((*self._run(), taken))
                    finally:
                        marks.marks = None
            except KeyboardInterrupt:
                partial = True
                if not self.recorded:
                    raise
        return self._timing(first, warm, probe, partial)

    def _run(self) -> tuple[float, float]:
        before = self.waited()
        start = self.clock.mark()
        self.call()
        end = self.clock.mark()
        self.clock.settle()
        return self.clock.seconds(start, end), self.waited() - before if before >= 0 else -1.0

    def _warm_up(self, most: int) -> list[float]:
        """Runs until three runs take no less than the three before them, or as often as is asked."""
        warm: list[float] = []
        while len(warm) < (most if most >= 0 else MOST_WARMUPS):
            if most < 0 and len(warm) >= 2 * FEWEST_WARMUPS:
                if statistics.median(warm[-3:]) > 0.98 * statistics.median(warm[-6:-3]):
                    break
            warm.append(self._run()[0])
        return warm

    def _timing(self, first: float, warm: list[float], probe: ProbeCost, partial: bool) -> Timing:
        counting = [undisturbed(lasted, waits, self.threads) for lasted, waits in self.wall]
        runs = [lasted for lasted in counting if lasted is not None]
        disturbed = len(counting) - len(runs)
        if len(runs) < min(FEWEST_RUNS, len(self.wall)) / 2:
            runs = [lasted for lasted, _ in self.wall]  # too few are undisturbed to say anything with them
        median = statistics.median(runs)
        layers: dict[CallName, list[float]] = {}
        totals = []
        # A wait lengthens one layer of one run; the runs that waited least tell best where the time goes.
        chosen = sorted(self.recorded, key=lambda run: max(run[1], 0.0) / run[0])
        if chosen[-1][1] > UNDISTURBED_WAIT * chosen[-1][0]:
            chosen = chosen[:max(len(chosen) // 2, 1)]
        owns = [own_times(marks, self.clock, probe, self.paths) for _, _, marks in chosen]
        best: dict[CallName, float] = {}
        for own in owns:
            for name, time_ in own.items():
                best[name] = min(time_, best.get(name, time_))
        for number, ((lasted, waits, marks), own) in enumerate(zip(chosen, owns)):
            alone = self._alone(lasted, waits)
            take_off(own, best, lasted - alone)
            net = max(alone - len(marks) // 4 * probe.total, 1e-12)
            totals.append(net)
            for name, time_ in own.items():
                layers.setdefault(name, [0.0] * len(chosen))[number] = time_ * median / net
        all_waits = [waits for _, waits in self.wall]
        import torch

        return Timing(f"torch {torch.__version__.split('+')[0]}", self.clock.device, self.threads, first, warm, runs,
                      totals, [lasted for lasted, _ in self.wall],
                      all_waits if min(all_waits) >= 0 else [], disturbed, probe, layers, partial, len(chosen[0][2]) // 4, [self._alone(lasted, waits) for lasted, waits, _ in self.recorded])

    def _alone(self, lasted: float, waits: float) -> float:
        return lasted - (max(waits, 0.0) if self.threads == 1 else 0.0)


def take_off(own: dict[CallName, float], best: Mapping[CallName, float], waited: float) -> None:
    """Takes a run's waiting off the calls that took longer than at their best, the most lengthened one first.

    >>> own = {("a", 0): 5.0, ("b", 0): 3.0, ("c", 0): 1.0}
    >>> take_off(own, {("a", 0): 1.0, ("b", 0): 1.0, ("c", 0): 1.0}, 5.0)
    >>> list(own.values())
    [1.0, 2.0, 1.0]
    """
    for name in sorted(own, key=lambda name: best[name] - own[name]):
        less = min(own[name] - best[name], waited)
        if less <= 0:
            break
        own[name] -= less
        waited -= less


def undisturbed(lasted: float, waited: float, threads: int) -> Optional[float]:
    """How long a run took by itself: without its waiting, if one thread ran; else only if nobody waited.

    >>> undisturbed(2.0, 0.5, threads=1), undisturbed(2.0, 0.5, threads=2), undisturbed(2.0, -1.0, threads=2)
    (1.5, None, 2.0)
    """
    if waited < 0:
        return lasted
    if threads == 1:
        return max(lasted - waited, 0.0)
    return lasted if waited < UNDISTURBED_WAIT * lasted else None


def probe_cost(clock: Clock, marks: ModuleMarks, calls: int = 200, rounds: int = 7) -> ProbeCost:
    """What recording a module call costs, measured on modules that do nothing."""
    import torch

    chain = torch.nn.Sequential(*(torch.nn.Identity() for _ in range(calls)))
    given = torch.zeros(1)
    inside, total = [], []
    for _ in range(rounds):
        start = clock.mark()
        chain(given)
        end = clock.mark()
        clock.settle()
        plain = clock.seconds(start, end)
        taken: list[Any] = []
        marks.marks = taken
        try:
            start = clock.mark()
            chain(given)
            end = clock.mark()
        finally:
            marks.marks = None
        clock.settle()
        total.append((clock.seconds(start, end) - plain) / (calls + 1))
        times = [clock.seconds(taken[place + 1], taken[place + 3]) for place in range(2, len(taken) - 2, 4)]
        inside.append(statistics.median(times) - plain / (calls + 1))
    return ProbeCost(max(statistics.median(inside), 0.0), max(statistics.median(total), 0.0))
