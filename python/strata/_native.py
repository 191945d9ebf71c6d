"""The native core: `libstrata_c.so` in this process, and the program `strata` as a child.

`run` is the one door that the rest of the package uses. It hands a request to the library in this
process where that is there, else to the program in a child.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from ._errors import StrataError
from ._options import Request

_PROGRAM = "strata"
_LIBRARY = "libstrata_c.so"


def folders() -> list[Path]:
    """Where the native parts are looked for: STRATA_NATIVE alone if it is set, else this package."""
    given = os.environ.get("STRATA_NATIVE")
    if given:
        return [Path(given)]
    return [Path(__file__).resolve().parent / "_native_parts"]


def find(name: str) -> Path | None:
    """The file of that name in the first folder that has it."""
    for folder in folders():
        if (folder / name).is_file():
            return folder / name
    return None


def program() -> Path:
    """The program `strata`."""
    path = find(_PROGRAM)
    if path is None:
        places = " or ".join(str(folder) for folder in folders())
        raise StrataError(
            f"the native part of strata is not in {places}; install the wheel, or set STRATA_NATIVE"
            " to a folder with the program strata and libstrata_c.so"
        )
    return path


@cache
def onnxruntime_folder() -> str | None:
    """The folder of pip's onnxruntime with its library, found without importing it."""
    from importlib.util import find_spec

    spec = find_spec("onnxruntime")
    for place in (spec.submodule_search_locations or []) if spec else []:
        libraries = sorted(Path(place, "capi").glob("libonnxruntime.so.*"))
        if libraries:
            return str(libraries[0])
    return None


def environment() -> dict[str, str]:
    """The environment of children, whose engines find the ONNX Runtime of this Python."""
    result = dict(os.environ)
    if "STRATA_ONNXRUNTIME" not in result:
        library = onnxruntime_folder()
        if library is not None:
            result["STRATA_ONNXRUNTIME"] = library
    return result


def child_environment() -> dict[str, str]:
    """Like environment(), for a child whose errors this package raises: their advice names keyword arguments."""
    return {**environment(), "STRATA_CALLER": "python"}


class Result:
    """The document that a command gave."""

    #: the program's exit code: 0, or 3 where a limit is not kept
    code: int = 0

    def json(self) -> bytes:
        """The document."""
        raise NotImplementedError

    def head(self) -> bytes:
        """The document, perhaps without the rows of its tables."""
        return self.json()

    def render(self, format: str, **options: Any) -> bytes:
        """The document in another format: table, html, csv, md, svg, …"""
        raise NotImplementedError


def library() -> str | None:
    """The path of the C interface, or None: then the program does all of it."""
    path = find(_LIBRARY)
    return str(path) if path is not None else None


def run(request: Request) -> Result:
    """Runs a command that gives a document.

    Raises StrataError where the program would exit with 1 or 2.
    """
    path = library()
    if path is not None:
        from . import _library

        return _library.LibraryResult(path, request)
    from ._child import run_child

    return run_child(request)


def text(request: Request) -> str:
    """Runs a command that prints a text, such as `explain`."""
    path = library()
    if path is not None:
        from . import _library

        return _library.text(path, request)
    from ._child import run_text

    return run_text(request)


def read(json: bytes) -> Result:
    """A document from the JSON that the program printed."""
    path = library()
    if path is None:
        places = " or ".join(str(folder) for folder in folders())
        raise StrataError(f"{_LIBRARY}, which lays documents out, is not in {places}")
    from . import _library

    return _library.ReadResult(path, json)
