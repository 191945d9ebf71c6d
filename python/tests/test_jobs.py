"""Commands that run models in a child process: progress, Ctrl-C, errors, and what they export."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import strata

SMALL = "zoo:squeezenet1_1?resolution=32"


def test_bench_of_a_network() -> None:
    report = strata.bench(SMALL, max_time="1s", processes=1, threads=[1, 2])
    assert report.kind == "bench" and [row.threads for row in report.rows] == [1, 2]
    assert all(row.median_s > 0 for row in report.rows)
    assert "onnxruntime" in str(report)


def test_bench_in_the_published_layout() -> None:
    """The columns are those of the published table, and a rate is that of its time."""
    golden = Path(os.environ["STRATA_SOURCE_DIR"], "tests/golden/torchblade_benchmark.csv").read_text()
    report = strata.bench(
        "zoo:squeezenet1_1?resolution=32", engines=["onnxruntime"], batch="1,2", max_time="2s", processes=1, layout="torchblade"
    )
    printed = report.render("csv").splitlines()
    assert printed[0] == golden.splitlines()[0]
    assert printed[1].startswith("squeezenet1_1?resolution=32,onnx,onnxruntime,fp32,")
    assert printed[2].startswith("squeezenet1_1?resolution=32_b2,onnx,onnxruntime,fp32,")
    for batch, row in zip((1, 2), report.rows):
        assert row.mean_fps == pytest.approx(batch / row.mean_s, rel=1e-3)
        assert row.p99_s is None or row.p99_s > row.median_s
    assert "Median(FPS)" in str(report) and "Median(FPS)" in report.render("md")
    with pytest.raises(strata.StrataError, match="there is torchblade"):
        strata.bench("zoo:squeezenet1_1?resolution=32", engines=["onnxruntime"], max_time="1s", processes=1, layout="stone")


def test_bench_of_an_engine_that_is_not_there() -> None:
    with pytest.raises(strata.StrataError, match="nothing_like_it"):
        strata.bench(SMALL, engines=["nothing_like_it"], max_time="1s")


def test_calibrate_sensitivity_quantize(tmp_path: Path) -> None:
    ranges = tmp_path / "ranges.json"
    calibration = strata.calibrate(SMALL, random=True, samples=2, output=ranges)
    assert calibration.kind == "calibration" and ranges.exists()
    scores = strata.sensitivity(SMALL, random=True, samples=2)
    convolutions = [row for row in strata.stat(SMALL) if row.type == "Conv2d"]
    assert scores.kind == "sensitivity" and len(scores.rows) >= len(convolutions) == 26
    model = tmp_path / "int8.onnx"
    made = strata.quantize(SMALL, model, random=True, samples=2, no_time=True)
    assert made.kind == "quantization"
    # Eight bits for each weight, and scales and biases beside them.
    assert model.stat().st_size < 0.35 * 4 * 1_235_496
    with pytest.raises(strata.StrataError, match="there are no samples") as caught:
        strata.calibrate(SMALL)
    assert caught.value.code == 2


def test_sensitivity_of_a_module_sees_its_norms() -> None:
    torch = pytest.importorskip("torch")
    from torch import nn

    # The blocks of efficientvit: a convolution, a norm, and an activation or none.
    def layer(width_in: int, width: int, groups: int, activation: nn.Module) -> nn.Module:
        return nn.Sequential(
            nn.Conv2d(width_in, width, 3, padding=1, groups=groups, bias=False), nn.BatchNorm2d(width), activation
        )

    module = nn.Sequential(
        layer(3, 8, 1, nn.Hardswish()),
        layer(8, 8, 8, nn.Hardswish()),
        layer(8, 16, 1, nn.Identity()),
        layer(16, 16, 16, nn.Identity()),
    ).train()
    scores = strata.sensitivity(module, torch.rand(1, 3, 16, 16), random=True, samples=2)
    assert module.training
    assert {row.layer: row.operators for row in scores.rows} == {
        "0.0": "Conv+BatchNormalization+HardSwish",
        "1.0": "Conv+BatchNormalization+HardSwish",
        "2.0": "Conv+BatchNormalization",
        "3.0": "Conv+BatchNormalization",
    }
    assert {row.layer: row.place for row in scores.rows}["2.0"] == "no activation"


def test_timing_of_a_file() -> None:
    profile = strata.stat(SMALL, timing=True, runs=4)
    assert profile.total.time > 0 and profile.facts["timing"]["runs"] >= 1


def test_interrupt_keeps_what_there_is(capfd: pytest.CaptureFixture[str]) -> None:
    timer = threading.Timer(4, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:  # without the interrupt, it would go on for an hour
        report = strata.bench(SMALL, max_time="60min", until="0.0001%")
    finally:
        timer.cancel()
    assert report.facts["complete"] is False and report.rows[0].median_s > 0


def test_progress_is_the_programs_own_line() -> None:
    code = f"import strata; strata.bench({SMALL!r}, max_time='1s', processes=1)"
    import pty

    ours, its = pty.openpty()
    child = subprocess.Popen([sys.executable, "-c", code], stderr=its)
    os.close(its)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert child.wait() == 0
    assert b"%" in shown and b"\r" in shown
    quiet = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert quiet.returncode == 0 and "\r" not in quiet.stderr


def test_progress_is_shown_in_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    from strata import _progress

    class ZMQInteractiveShell:
        pass

    class IPython:
        get_ipython = staticmethod(ZMQInteractiveShell)

    class Terminal(IPython):
        get_ipython = staticmethod(lambda: None)

    monkeypatch.setattr(sys, "stderr", open(os.devnull, "w"))
    assert not _progress.is_watched()
    monkeypatch.setitem(sys.modules, "IPython", IPython)
    assert _progress.is_watched()
    monkeypatch.setitem(sys.modules, "IPython", Terminal)
    assert not _progress.is_watched()
    monkeypatch.setattr(sys, "stderr", None)  # as in a process without a console
    assert not _progress.is_watched()
