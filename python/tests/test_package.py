"""The package as it is installed: what importing costs, where the native parts are, its doctests."""

from __future__ import annotations

import doctest
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import strata
from strata import _native

MODULES = [
    "_arrow", "_cells", "_child", "_commands", "_document", "_errors", "_jobs", "_library", "_long",
    "_models", "_native", "_options", "_profile", "_progress", "_stat", "_tensors", "_training",
]  # fmt: skip

IMPORT = """
import sys, time
before = set(sys.modules)
start = time.perf_counter()
import strata
print(time.perf_counter() - start)
print(*(set(sys.modules) - before))
"""


def run_python(code: str, **environment: str) -> str:
    env = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_is_quick_and_loads_nothing_large() -> None:
    seconds = []
    for _ in range(5):
        time, loaded = run_python(IMPORT).splitlines()
        seconds.append(float(time))
        for large in ("torch", "pandas", "numpy", "polars", "ctypes", "json"):
            assert large not in loaded.split()
    assert min(seconds) < 0.05


@pytest.mark.parametrize("name", ["", *MODULES])
def test_doctests(name: str) -> None:
    module = importlib.import_module(f"strata.{name}" if name else "strata")
    assert doctest.testmod(module).failed == 0


def test_everything_promised_is_there() -> None:
    for name in strata.__all__:
        assert getattr(strata, name).__doc__
    assert set(strata.__all__) <= set(dir(strata))
    with pytest.raises(AttributeError, match="no attribute 'stats'"):
        strata.stats  # noqa: B018


def test_console_script_and_module_are_the_program() -> None:
    for command in ([sys.executable, "-m", "strata"], ["strata"]):
        if command == ["strata"] and "STRATA_TEST_ENVIRONMENT" not in os.environ:
            continue  # not installed
        done = subprocess.run([*command, "--version"], capture_output=True, text=True)
        assert done.stdout == subprocess.run(
            [str(_native.program()), "--version"], capture_output=True, text=True
        ).stdout
        assert subprocess.run([*command, "stat", "no.onnx"], capture_output=True).returncode == 1


def test_native_parts_that_are_missing_are_one_sentence(tmp_path: Path) -> None:
    code = """
import strata
try:
    strata.stat("zoo:alexnet").total
except strata.StrataError as error:
    print(error)
"""
    sentence = run_python(code, STRATA_NATIVE=str(tmp_path))
    assert str(tmp_path) in sentence and "STRATA_NATIVE" in sentence
    done = subprocess.run(
        [sys.executable, "-m", "strata", "zoo"],
        capture_output=True, text=True, env={**os.environ, "STRATA_NATIVE": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 1 and done.stderr.startswith("strata: the native part")


def test_tour() -> None:
    """The example, as a script."""
    tour = Path(__file__).parent.parent / "examples" / "tour.py"
    lines = run_python(tour.read_text()).splitlines()
    assert lines[0] == "3504872 300774272"  # as torchvision has them
    assert any("does not keep its 1 budget: 1 over" in line for line in lines)


def test_versions_agree() -> None:
    import ctypes

    library = _native.library()
    assert library is not None, "libstrata_c.so is part of the package"
    function = ctypes.CDLL(library).strata_version
    function.restype = ctypes.c_char_p
    assert function().decode() == strata.__version__
