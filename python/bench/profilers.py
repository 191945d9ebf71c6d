"""strata.stat against the profilers that people use now: wall time and peak memory of one warm call.

    python bench/profilers.py [--rounds 21] [--threads 1] [NETWORK…]

All tools run in one process, interleaved in a random order of every round, after two calls each that are
not counted. Memory is that of one warm call in a process of its own, at its peak. `alive` is what the call has
allocated and not freed, in bytes, as memray counts them: every malloc of Python, torch and the core. The other two are
what the call adds to the resident memory, the median of five processes: `needs` where all that was free before had
been given back to the system, `adds` where it had not, as in a user's process. They are whole pages, of which the
system counts some late, and what fits into holes that earlier calls left is not seen by them.
Needs torch, transformers, fvcore, ptflops, thop, torchinfo and memray.
"""
from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import io
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from typing import Any, Callable, Dict, List

import torch
from networks import NAMES, network

Tool = Callable[[torch.nn.Module, Dict[str, Any]], Any]


def _strata(model: torch.nn.Module, inputs: Dict[str, Any]) -> Any:
    import strata

    return strata.stat(model, inputs).total.macs


def _record(model: torch.nn.Module, inputs: Dict[str, Any]) -> Any:
    from strata._record import record

    return len(record(model, inputs))


def _counter(model: torch.nn.Module, inputs: Dict[str, Any]) -> Any:
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counted:
        model(**inputs)
    return counted.get_total_flops()


def _fvcore(model: torch.nn.Module, inputs: Dict[str, Any]) -> Any:
    from fvcore.nn import FlopCountAnalysis

    return FlopCountAnalysis(model, tuple(inputs.values())).unsupported_ops_warnings(False).total()


def _ptflops(model: torch.nn.Module, inputs: Dict[str, Any]) -> Any:
    from ptflops import get_model_complexity_info

    return get_model_complexity_info(model, (1,), input_constructor=lambda _: dict(inputs), as_strings=False,
                                     print_per_layer_stat=False)


def _thop(model: torch.nn.Module, inputs: Dict[str, Any]) -> Any:
    from thop import profile

    return profile(model, inputs=tuple(inputs.values()), verbose=False)


def _torchinfo(model: torch.nn.Module, inputs: Dict[str, Any]) -> Any:
    from torchinfo import summary

    device = next(iter(inputs.values())).device
    return summary(model, input_data=inputs, verbose=0, device=device).total_mult_adds


TOOLS: Dict[str, Tool] = {"strata.stat": _strata, "recorder alone": _record, "FlopCounterMode": _counter,
                          "fvcore": _fvcore, "ptflops": _ptflops, "thop": _thop, "torchinfo": _torchinfo}


def quietly(tool: Tool, model: torch.nn.Module, inputs: Dict[str, Any]) -> Any:
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), \
            contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        return tool(model, inputs)


def _resident(field: str) -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))


def alive_memory(tool: str, name: str) -> int:
    """The most bytes that a warm call has allocated and not freed, in this process."""
    import memray

    model, inputs = network(name)
    for _ in range(2):
        quietly(TOOLS[tool], model, inputs)
    gc.collect()
    with tempfile.TemporaryDirectory() as folder:
        with memray.Tracker(f"{folder}/calls"):
            quietly(TOOLS[tool], model, inputs)
        return int(memray.FileReader(f"{folder}/calls").metadata.peak_memory)


def peak_memory(tool: str, name: str, kind: str) -> int:
    """Measures what a warm call adds to the resident memory at its peak, in this process; `needs` gives back
    free memory first, or the call would get for nothing what the one before left behind."""
    if kind == "alive":
        return alive_memory(tool, name)
    model, inputs = network(name)
    quietly(TOOLS[tool], model, inputs)
    gc.collect()
    if kind == "needs":
        ctypes.CDLL(None).malloc_trim(0)
    before = _resident("VmRSS")
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")  # the peak starts anew
    quietly(TOOLS[tool], model, inputs)
    return max(_resident("VmHWM") - before, 0)


def compare(name: str, rounds: int) -> List[str]:
    """The lines of one network's table."""
    model, inputs = network(name)
    cannot: Dict[str, str] = {}
    for tool, function in TOOLS.items():
        for _ in range(2):
            try:
                quietly(function, model, inputs)
            except Exception as error:
                lines = str(error).strip().splitlines()
                cannot[tool] = f"{type(error).__name__}: {lines[0] if lines else ''}"[:80]
                model, inputs = network(name)  # a tool that fails may leave its hooks behind
                break
    runs = [tool for tool in TOOLS if tool not in cannot]
    times: Dict[str, List[float]] = {tool: [] for tool in runs}
    for _ in range(rounds):
        for tool in random.sample(runs, len(runs)):
            gc.collect()
            start = time.perf_counter()
            quietly(TOOLS[tool], model, inputs)
            times[tool].append(time.perf_counter() - start)
    own = times.get("strata.stat") or times["recorder alone"]
    lines = [f"{name}: {rounds} interleaved calls",
             f"{'':16} {'median':>10} {'min':>10} {'ratio':>7} {'alive':>12} {'needs':>12} {'adds':>12}"]
    for tool in TOOLS:
        if tool in cannot:
            lines.append(f"{tool:16} cannot: {cannot[tool]}")
            continue
        ratio = statistics.median(other / mine for other, mine in zip(times[tool], own))
        lines.append(f"{tool:16} {statistics.median(times[tool]) * 1e3:7.2f} ms {min(times[tool]) * 1e3:7.2f} ms "
                     f"{ratio:6.2f}x {peak_text(tool, name, 'alive', 1):>12} {peak_text(tool, name, 'needs', 5):>12} "
                     f"{peak_text(tool, name, 'adds', 5):>12}")
    return lines


def peak_text(tool: str, name: str, kind: str, times: int) -> str:
    """Python's own allocator takes memory in large pieces and keeps them, so that it is used for `adds` alone."""
    env = {**os.environ, "PYTHONMALLOC": "malloc"} if kind != "adds" else None
    words = [sys.executable, __file__, "--peak", tool, name, kind]
    children = [subprocess.run(words, capture_output=True, text=True, env=env) for _ in range(times)]
    peaks = [json.loads(child.stdout) for child in children if child.returncode == 0]
    return f"{statistics.median(peaks) / 1e6:9.2f} MB" if peaks else "n/a"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="*", default=NAMES)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--threads", type=int, default=1, help="threads that torch's kernels use")
    parser.add_argument("--peak", nargs=3, metavar=("TOOL", "NETWORK", "KIND"))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.peak:
        tool, name, kind = options.peak
        print(json.dumps(peak_memory(tool, name, kind)))
        return
    for name in options.networks:
        print("\n".join(compare(name, options.rounds)), flush=True)


if __name__ == "__main__":
    main()
