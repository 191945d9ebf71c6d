"""The program `strata` as a child process: for long jobs, and where the library is missing."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from typing import Any

from . import _native
from ._errors import StrataError
from ._options import Request

_MEMORY = "memory:"


_RECORD = "strata-error "


def error_of(stderr: str, code: int, otherwise: str) -> StrataError:
    """The error that the program printed: its sentence, and the record for programs behind it.

    >>> error = error_of('strata: no layer "a"\\nstrata-error {"code": "no_layer", "fields": {"name": "a"}}', 2, "")
    >>> str(error), error.code, error.name, error.fields
    ('no layer "a"', 2, 'no_layer', {'name': 'a'})
    """
    lines = stderr.splitlines()
    records = [line[len(_RECORD) :] for line in lines if line.startswith(_RECORD)]
    sentence = sentence_of("\n".join(line for line in lines if not line.startswith(_RECORD)))
    record = json.loads(records[-1]) if records else {}
    return StrataError(sentence or otherwise, code, record.get("code", "general"), record.get("fields"))


def sentence_of(stderr: str) -> str:
    """The error's sentence in what the program printed.

    >>> sentence_of("strata: no.onnx: there is no such file\\nRun strata --help, …\\n")
    'no.onnx: there is no such file'
    """
    lines = [line for line in stderr.strip().splitlines() if not line.startswith("Run strata ")]
    text = "\n".join(lines)
    return text[len("strata: ") :] if text.startswith("strata: ") else text


def _put_down(value: Any, files: Mapping[str, bytes], folder: str) -> Any:
    """Returns the options with each `memory:NAME` written to a file in `folder`."""
    if isinstance(value, Mapping):
        return {name: _put_down(one, files, folder) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_put_down(one, files, folder) for one in value]
    if not isinstance(value, str) or not value.startswith(_MEMORY):
        return value
    name = value[len(_MEMORY) :]
    path = os.path.join(folder, os.path.basename(name))
    with open(path, "wb") as file:
        file.write(files[name])
    return path


def _call(request: Request) -> tuple[int, bytes, str]:
    with tempfile.TemporaryDirectory(prefix="strata-") as folder:
        put_down = Request(request.command, _put_down(request.options, request.files, folder))
        done = subprocess.run(
            [str(_native.program()), "request", "-"],
            input=put_down.json(),
            capture_output=True,
            env=_native.child_environment(),
            check=False,
        )
    # Readers know the files by their names, and not by where they were put for the program.
    inside = os.path.join(folder, "").encode()
    stdout, stderr = done.stdout.replace(inside, b""), done.stderr.replace(inside, b"").decode("utf-8", "replace")
    if done.returncode not in (0, 3):
        code = done.returncode if done.returncode > 0 else 1
        raise error_of(stderr, code, f"the program strata ended with {done.returncode}")
    return done.returncode, stdout, stderr


class ChildResult(_native.Result):
    """A command that is run again for each format that is asked for."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self.code, self._json, self.stderr = _call(request.having(format="json"))

    def json(self) -> bytes:
        return self._json

    def render(self, format: str, **options: Any) -> bytes:
        return _call(self._request.having(**options, format=format))[1]


def run_child(request: Request) -> ChildResult:
    """Runs a command that prints documents."""
    return ChildResult(request)


def run_text(request: Request) -> str:
    """Runs a command that prints a text, such as `explain`."""
    return _call(request)[1].decode("utf-8")
