"""How long a module takes on its own device, and where: strata's rules for measuring, in an eager run.

Runs in which nothing is recorded tell how long the whole takes; every second run records when each module
call starts and ends, and tells where the time goes. Runs are of several sessions, each with the weights in
another place of memory, because that alone makes runs differ. What is measured goes to the native core run by
run; all statistics of it are the core's.
"""

from __future__ import annotations

import json
import statistics
import threading
import time
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, Optional

from ._clocks import Clock, clock_of, waited_seconds

FEWEST_WARMUPS, MOST_WARMUPS, FEWEST_RUNS = 3, 50, 10
SESSIONS, FEWEST_OF_SESSION = 5, 2

#: A module call: the module's path, and how often it was called before in the same run.
CallName = tuple[str, int]


class ProbeCost(NamedTuple):
    """The overhead of recording per module call, in seconds."""

    inside: float  # added between a call's own marks
    total: float  # added to the run


class Measured(NamedTuple):
    """The measured seconds, run by run and uncorrected."""

    engine: str
    device: str
    threads: int
    first: float
    warmup: list[float]
    probe: ProbeCost
    runs: list[float]  # unrecorded
    waits: list[float]  # how long each of them waited for a processor; empty if that is not known
    sessions: list[int]  # how many of them are of each session
    recorded: list[float]
    recorded_waits: list[float]
    recorded_sessions: list[int]
    # The own time of each module call in each recorded run, without the modules it calls and the cost of recording.
    calls: dict[CallName, list[float]]
    partial: bool
    memory: dict[CallName, tuple[int, int, int, int]] = {}  # bytes: taken, given back inside, held after, peak

    def encode(self) -> bytes:
        """The file that `strata stat --measured` reads."""
        return json.dumps({
            "strata_measured": 1, "engine": f"{self.engine} ({self.device})", "threads": self.threads,
            "first_s": self.first, "warmup_s": self.warmup, "probe_inside_s": self.probe.inside,
            "probe_total_s": self.probe.total, "partial": self.partial, "runs_s": self.runs, "waits_s": self.waits,
            "sessions": self.sessions, "recorded_s": self.recorded, "recorded_waits_s": self.recorded_waits,
            "recorded_sessions": self.recorded_sessions,
            "calls": [[path, call, seconds, self.memory.get((path, call))]
                      for (path, call), seconds in self.calls.items()],
        }).encode()  # fmt: skip


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
            seconds: float = 3.0, warmup: int = -1, clock: Optional[Clock] = None, dtype: Any = None,
            waited: Callable[[bool], float] = waited_seconds) -> Measured:
    """Measures a module, on real tensors and on the device it is on.

    `runs` unrecorded runs and as many recorded ones, or as many as fit into `seconds`, at least ten of each.
    Ctrl-C ends it with what there is.
    """
    from ._record.prepare import ready

    with ready(model, inputs, kwargs, dtype) as prepared:
        clock = clock or clock_of(prepared.device)
        measured = _Measuring(prepared, clock, waited).result(runs, seconds, warmup)
        if prepared.device.type == "cuda":
            from ._device_memory import allocator_of, device_memory

            memory = device_memory(prepared, allocator_of(prepared.device))
            measured = measured._replace(memory=memory)
        return measured


class _Runs:
    """Runs of one kind: how long each took and waited, and how many are of each session."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.waits: list[float] = []
        self.sessions: list[int] = []

    def add(self, run: tuple[float, float]) -> None:
        self.wall.append(run[0])
        self.waits.append(run[1])
        self.sessions[-1] += 1

    def known_waits(self) -> list[float]:
        return self.waits if self.waits and min(self.waits) >= 0 else []


class _Measuring:
    def __init__(self, prepared: Any, clock: Clock, waited: Callable[[bool], float]):
        self.prepared, self.clock = prepared, clock
        self.waited = lambda: waited(prepared.threads > 1)
        self.plain, self.recorded = _Runs(), _Runs()
        self.calls: dict[CallName, list[float]] = {}

    def result(self, runs: int, seconds: float, warmup: int) -> Measured:
        import torch

        partial = False
        with ModuleMarks(self.clock.mark) as marks:
            first = self._run()[0]
            warm = self._warm_up(warmup)
            probe = probe_cost(self.clock, marks)
            try:
                self._sessions(runs, seconds, marks, probe, first)
            except KeyboardInterrupt:
                partial = True
                if not self.recorded.wall:
                    raise
        plain, recorded = self.plain, self.recorded
        return Measured(f"torch {torch.__version__.split('+')[0]}", self.clock.device, self.prepared.threads, first,
                        warm, probe, plain.wall, plain.known_waits(), plain.sessions, recorded.wall,
                        recorded.known_waits(), recorded.sessions, self.calls, partial)

    def _sessions(self, runs: int, seconds: float, marks: ModuleMarks, probe: ProbeCost, first: float) -> None:
        sessions = self._sessions_that_fit(runs, seconds, first)
        spent = 0.0
        for session in range(1, sessions + 1):
            if session > 1:
                self.prepared.renew()
                self._warm_up(FEWEST_WARMUPS)
            self.plain.sessions.append(0)
            self.recorded.sessions.append(0)
            start = time.monotonic() - spent
            share = session / sessions
            wanted = share * (runs or FEWEST_RUNS)
            while len(self.plain.wall) < wanted or (not runs and time.monotonic() - start < share * seconds):
                self._pair(marks, probe)
            spent = time.monotonic() - start

    def _sessions_that_fit(self, runs: int, seconds: float, first: float) -> int:
        """One, if the weights cannot be put elsewhere, or that takes as long as measuring does."""
        if not self.prepared.can_renew:
            return 1
        if runs:
            return max(1, min(SESSIONS, runs // FEWEST_OF_SESSION))
        return max(1, min(SESSIONS, int(1 + seconds / (self.prepared.renewing_seconds + 4 * first))))

    def _pair(self, marks: ModuleMarks, probe: ProbeCost) -> None:
        """A run in which nothing is recorded, and one that is."""
        self.plain.add(self._run())
        taken: list[Any] = []
        marks.marks = taken
        try:
            run = self._run()
        finally:
            marks.marks = None
        number = len(self.recorded.wall)
        self.recorded.add(run)
        for name, lasted in own_times(taken, self.clock, probe, self.prepared.paths).items():
            self.calls.setdefault(name, [0.0] * number).append(lasted)
        for seconds in self.calls.values():
            seconds.extend([0.0] * (number + 1 - len(seconds)))

    def _run(self) -> tuple[float, float]:
        self.prepared.refresh()
        before = self.waited()
        start = self.clock.mark()
        self.prepared.call()
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


def probe_cost(clock: Clock, marks: ModuleMarks, calls: int = 200, rounds: int = 7) -> ProbeCost:
    """The overhead of recording a module call, measured on modules that do nothing."""
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
