"""The package as it is installed: what importing costs, where the native parts are, its doctests."""

from __future__ import annotations

import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import strata
from strata import _native

def modules_with_examples() -> list[str]:
    """Every module of the package whose docstrings have examples."""
    root = Path(strata.__file__).parent
    found = []
    for path in sorted(root.rglob("*.py")):
        if ">>> " in path.read_text():
            parts = path.relative_to(root).with_suffix("").parts
            found.append(".".join(("strata", *parts)).removesuffix(".__init__"))
    return found


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


@pytest.mark.parametrize("name", modules_with_examples())
def test_doctests(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0
    # Those of optimize are shown only: each measures for a minute.
    assert results.attempted > 0 or name == "strata._optimize"


def check_members(name: str, kind: type) -> None:
    """What a class of ours adds has a docstring, and an example there or in the class's."""
    ours = [owner for owner in kind.__mro__ if owner.__module__.startswith("strata")]
    shown = "\n".join(owner.__doc__ or "" for owner in ours)
    for owner in ours:
        for member, value in vars(owner).items():
            if member.startswith("_") or not (callable(value) or hasattr(value, "__get__")):
                continue
            said = getattr(value, "__doc__", None)
            assert said, f"strata.{name}.{member} has no docstring"
            examples = [line for line in f"{shown}\n{said}".splitlines() if line.strip().startswith(">>> ")]
            assert any(f".{member}" in line for line in examples), f"strata.{name}.{member} has no example"


def test_everything_promised_is_there() -> None:
    for name in strata.__all__:
        said = getattr(strata, name).__doc__
        assert said and ">>> " in said, f"strata.{name} has no example"
        if isinstance(getattr(strata, name), type):
            check_members(name, getattr(strata, name))
    assert set(strata.__all__) <= set(dir(strata))
    with pytest.raises(AttributeError, match="no attribute 'stats'"):
        strata.stats  # noqa: B018


def test_every_option_of_stat_is_typed() -> None:
    """The keyword arguments that editors know are the options of the program."""
    from typing import get_type_hints

    from strata import _stat_options

    words = subprocess.run([str(_native.program()), "stat", "--help-all"], capture_output=True, text=True, check=True)
    listed = re.findall(r"^  (?:-\w, )?--([a-z-]+)", words.stdout, re.M)
    # Files and terminals are the business of `save`, `render` and print; `batch`, `dim` and `time` are arguments.
    not_here = {"format", "output", "with_paths", "chart", "color", "save", "strict", "width", "help", "help_all",
                "notes", "batch", "dim", "model"}
    assert {name.replace("-", "_") for name in listed} - not_here == set(get_type_hints(_stat_options.StatOptions))


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
    assert any("exceeds 1 of 1 budgets" in line for line in lines)


def test_versions_agree() -> None:
    import ctypes

    library = _native.library()
    assert library is not None, "libstrata_c.so is part of the package"
    function = ctypes.CDLL(library).strata_version
    function.restype = ctypes.c_char_p
    assert function().decode() == strata.__version__
