"""Device memory that each module call takes, as the device's own allocator counts it.

CUDA's allocator was never asked where strata is tested; the logic is tested with one that stands in for it.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from ._timing import CallName, ModuleMarks


class Allocator(Protocol):
    """Counters of a device's allocator, in bytes."""

    def settle(self) -> None:
        """Waits until everything that was started has ended."""

    def read(self) -> "Counters":
        """The bytes allocated now; starts a new peak."""


class Counters(NamedTuple):
    """`peak` is the most in use since the counters were read before."""

    in_use: int
    peak: int
    taken: int  # in all since the start
    freed: int  # in all since the start


class CudaAllocator:
    """PyTorch's caching allocator on one CUDA device."""

    def __init__(self, device: Any) -> None:
        import torch

        self._cuda, self._device = torch.cuda, device

    def settle(self) -> None:
        self._cuda.synchronize(self._device)

    def read(self) -> Counters:
        counted = self._cuda.memory_stats(self._device)
        self._cuda.reset_peak_memory_stats(self._device)
        of = "allocated_bytes.all."
        return Counters(counted[of + "current"], counted[of + "peak"], counted[of + "allocated"], counted[of + "freed"])


def allocator_of(device: Any) -> Allocator:
    """The allocator of a torch device."""
    return CudaAllocator(device)


def device_memory(prepared: Any, allocator: Allocator) -> dict[CallName, tuple[int, int, int, int]]:
    """Runs the model once: what each call took and gave back itself, what was in use at its end, and its peak.

    What was in use before the run is not counted. A block that was taken before the call and given back in it
    counts as given back, but never more than the call took.
    """
    prepared.refresh()
    prepared.call()  # memory that a first run takes and later ones find again
    allocator.settle()
    marks: list[Any] = []
    with ModuleMarks(allocator.read) as marking:
        prepared.refresh()
        before = allocator.read()
        marking.marks = marks
        try:
            prepared.call()
        finally:
            marking.marks = None
    allocator.settle()
    return _by_call(marks, before, prepared.paths)


def _by_call(marks: list[Any], before: Counters, paths: dict[int, str]) -> dict[CallName, tuple[int, int, int, int]]:
    result: dict[CallName, tuple[int, int, int, int]] = {}
    counts: dict[int, int] = {}
    open_calls: list[list[Any]] = []  # name, taken, freed, peak
    last = before
    for module, now in zip(marks[::2], marks[1::2]):
        if open_calls:  # what happened since the last mark is of the innermost call
            call = open_calls[-1]
            call[1] += now.taken - last.taken
            call[2] += now.freed - last.freed
            call[3] = max(call[3], now.peak)
        last = now
        if module is not None:
            count = counts.get(id(module), 0)
            counts[id(module)] = count + 1
            open_calls.append([(paths.get(id(module), f"<{type(module).__name__}>"), count), 0, 0, now.in_use])
            continue
        name, taken, freed, peak = open_calls.pop()
        result[name] = (taken, min(freed, taken), max(now.in_use - before.in_use, 0), max(peak - before.in_use, 0))
        if open_calls:
            open_calls[-1][3] = max(open_calls[-1][3], peak)
    return result
