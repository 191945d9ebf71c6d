"""torch itself in strata.bench, against a plain loop."""

from __future__ import annotations

import statistics
import time

import pytest

torch = pytest.importorskip("torch")
import recordings  # noqa: E402, F401 (finds the next one)
import convolutional  # noqa: E402, I001

import strata  # noqa: E402

NEW = torch.__version__ >= "2"


def test_eager_stands_beside_an_engine() -> None:
    """Its time is that of a plain loop, but for the machine; its answer is the engine's."""
    torch.manual_seed(0)
    model = convolutional.MobileNetV2().eval()
    report = strata.bench(model, (1, 3, 96, 96), engines=["torch-eager", "onnxruntime"], max_time=6, processes=2)
    eager, engine = report.table.rows
    assert (eager.backend, engine.backend) == ("torch_eager", "onnxruntime")
    assert all(each["failure"] is None for each in report.facts["models"][0]["variants"])
    assert engine.relative_error < 1e-4  # of torch's answer, which is the base's
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        given, lasted = torch.rand(1, 3, 96, 96), []
        with torch.no_grad():
            for _ in range(30):
                start = time.perf_counter()
                model(given)
                lasted.append(time.perf_counter() - start)
    finally:
        torch.set_num_threads(threads)
    assert 0.2 < float(eager.mean_s) / statistics.median(lasted) < 5


def test_what_cannot_be_run_is_a_sentence() -> None:
    with pytest.raises(strata.StrataError, match="give the module itself"):
        strata.bench("zoo:alexnet", engines="torch_eager")
    own = type("Own", (torch.nn.ReLU,), {"__module__": "__main__"})()
    with pytest.raises(strata.StrataError, match="put it into a file"):
        strata.bench(own, (1, 3), engines="torch_eager")
