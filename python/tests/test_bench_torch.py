"""torch itself in strata.bench, against a plain loop."""

from __future__ import annotations

import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
import recordings  # noqa: E402, F401 (finds the next one)
import convolutional  # noqa: E402, I001

import strata  # noqa: E402

LOOP = """
import os, sys, time, torch
sys.path.insert(0, os.path.dirname(sys.argv[1]))
import convolutional
torch.set_num_threads(1)
model, given, lasted = convolutional.MobileNetV2().eval(), torch.rand(1, 3, 96, 96), []
with torch.no_grad():
    for _ in range(50):
        start = time.perf_counter()
        model(given)
        lasted.append(time.perf_counter() - start)
print(min(lasted))
"""


def test_eager_stands_beside_an_engine() -> None:
    """Its time is that of a plain loop, but for the machine; its answer is the engine's."""
    torch.manual_seed(0)
    model = convolutional.MobileNetV2().eval()
    report = strata.bench(model, (1, 3, 96, 96), engines=["torch-eager", "onnxruntime"], max_time=6, processes=2)
    eager, engine = report.table.rows
    assert (eager.backend, engine.backend) == ("torch_eager", "onnxruntime")
    assert all(each["failure"] is None for each in report.facts["models"][0]["variants"])
    assert engine.relative_error < 1e-4  # of torch's answer, which is the base's
    # In a process of its own, as bench's are: the tests before this one leave threads behind.
    loop = subprocess.run([sys.executable, "-c", LOOP, convolutional.__file__], capture_output=True, text=True, check=True)
    assert 0.2 < eager.min_s / float(loop.stdout) < 5


def test_what_cannot_be_run_is_a_sentence() -> None:
    with pytest.raises(strata.StrataError, match="give the module itself"):
        strata.bench("zoo:alexnet", engines="torch_eager")
    own = type("Own", (torch.nn.ReLU,), {"__module__": "__main__"})()
    with pytest.raises(strata.StrataError, match="put it into a file"):
        strata.bench(own, (1, 3), engines="torch_eager")
