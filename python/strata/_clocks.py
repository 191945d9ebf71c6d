"""Clocks for timing a model where it runs: the processor's, and a device's own by its events.

The clocks of CUDA and of Apple's MPS were never run where strata is tested; their logic is tested with
events that stand in for them.
"""

from __future__ import annotations

import glob
import time
from typing import Any, Callable, Protocol


class Clock(Protocol):
    """Marks moments while a model runs, and tells afterwards how far apart they are."""

    device: str

    def mark(self) -> Any:
        """Notes this moment; cheap, because it is called around every module."""

    def settle(self) -> None:
        """Waits until everything that was started has ended."""

    def seconds(self, start: Any, end: Any) -> float:
        """Seconds between two marks, after settle()."""


class ProcessorClock:
    """The CPU's: an operator has ended when its call returns."""

    device = "cpu"
    mark = staticmethod(time.perf_counter_ns)

    def settle(self) -> None:
        """Nothing runs on by itself."""

    def seconds(self, start: int, end: int) -> float:
        return (end - start) * 1e-9


class EventClock:
    """A device that works through a queue: its events mark when the queue gets there, not when Python does.

    Times between events are the device's own, so a layer does not absorb the wait for those before it.
    """

    def __init__(self, device: str, new_event: Callable[[], Any], synchronize: Callable[[], None]):
        self.device, self._new_event, self._synchronize = device, new_event, synchronize

    def mark(self) -> Any:
        event = self._new_event()
        event.record()
        return event

    def settle(self) -> None:
        self._synchronize()

    def seconds(self, start: Any, end: Any) -> float:
        return float(start.elapsed_time(end)) * 1e-3  # milliseconds


def clock_of(device: Any) -> Clock:
    """The clock of a torch device."""
    import torch

    if device.type == "cuda":
        return EventClock(str(device), lambda: torch.cuda.Event(enable_timing=True),
                          lambda: torch.cuda.synchronize(device))
    if device.type == "mps":
        return EventClock(str(device), lambda: torch.mps.event.Event(enable_timing=True),
                          lambda: torch.mps.synchronize())
    return ProcessorClock()


def waited_seconds(all_threads: bool) -> float:
    """How long this thread, or all of the process, waited for a processor so far; -1 where the system does not say."""
    waited, seen = 0, False
    for file in glob.glob("/proc/self/task/*/schedstat") if all_threads else ["/proc/thread-self/schedstat"]:
        try:
            with open(file) as status:
                waited += int(status.read().split()[1])
                seen = True
        except (OSError, ValueError, IndexError):
            continue  # a thread that has just ended
    return waited * 1e-9 if seen else -1.0
