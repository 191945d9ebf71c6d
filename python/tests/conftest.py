"""Fixtures of all tests, and the list of tests that an environment cannot run.

skips_ENVIRONMENT.txt names every test that is skipped in the environment that STRATA_TEST_ENVIRONMENT
names; a test that is skipped and not listed fails the run, and so does one that is listed and runs.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

HERE = Path(__file__).parent
SOURCE = Path(os.environ.get("STRATA_SOURCE_DIR", HERE.parent.parent))
ENVIRONMENT = os.environ.get("STRATA_TEST_ENVIRONMENT")

_skipped: set[str] = set()
_seen: set[str] = set()


@pytest.fixture
def models() -> Path:
    """The networks in the repository."""
    return SOURCE / "tests" / "models"


def _plain(node: str) -> str:
    """A test's name without the folder and without parameters."""
    return node.rsplit("/", 1)[-1].split("[", 1)[0]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seen.add(_plain(report.nodeid))
    if report.skipped:
        _skipped.add(_plain(report.nodeid))


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.skipped:
        _skipped.add(_plain(report.nodeid))
        _seen.add(_plain(report.nodeid))


def listed_skips(environment: str) -> set[str]:
    lines = (HERE / f"skips_{environment}.txt").read_text().splitlines()
    return {line.split("#")[0].strip() for line in lines} - {""}


def pytest_sessionfinish(session: pytest.Session) -> None:
    if ENVIRONMENT is None:
        return
    listed = listed_skips(ENVIRONMENT)
    unexpected = sorted(_skipped - listed)
    needless = sorted((listed & _seen) - _skipped)
    if unexpected or needless:
        for name in unexpected:
            print(f"\n{name} is skipped, and skips_{ENVIRONMENT}.txt does not list it")
        for name in needless:
            print(f"\n{name} runs, and skips_{ENVIRONMENT}.txt lists it")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
