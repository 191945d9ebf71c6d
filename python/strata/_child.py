"""The program `strata` as a child process: long jobs, and whatever the library is not there for."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence

from . import _native
from ._errors import StrataError

_MEMORY = "memory:"


def sentence_of(stderr: str) -> str:
    """The error's sentence in what the program printed.

    >>> sentence_of("strata: no.onnx: there is no such file\\nRun strata --help, …\\n")
    'no.onnx: there is no such file'
    """
    lines = [line for line in stderr.strip().splitlines() if not line.startswith("Run strata ")]
    text = "\n".join(lines)
    return text[len("strata: ") :] if text.startswith("strata: ") else text


def _put_down(words: Sequence[str], files: Mapping[str, bytes], folder: str) -> list[str]:
    """The words with each `memory:NAME` as a file in `folder`."""
    result = []
    for word in words:
        if word.startswith(_MEMORY):
            name = word[len(_MEMORY) :]
            word = os.path.join(folder, os.path.basename(name))
            with open(word, "wb") as file:
                file.write(files[name])
        result.append(word)
    return result


def _call(words: Sequence[str], files: Mapping[str, bytes]) -> tuple[int, bytes, str]:
    with tempfile.TemporaryDirectory(prefix="strata-") as folder:
        command = [str(_native.program()), *_put_down(words, files, folder)]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=_native.environment(),
            check=False,
        )
    stderr = done.stderr.decode("utf-8", "replace")
    if done.returncode not in (0, 3):
        code = done.returncode if done.returncode > 0 else 1
        why = sentence_of(stderr) or f"the program strata ended with {done.returncode}"
        raise StrataError(why, code)
    return done.returncode, done.stdout, stderr


class ChildResult(_native.Result):
    """A command that is run again for each format that is asked for."""

    def __init__(self, words: Sequence[str], files: Mapping[str, bytes]) -> None:
        self._words, self._files = list(words), dict(files)
        self.code, self._json, self.stderr = _call([*self._words, "--format=json"], self._files)

    def json(self) -> bytes:
        return self._json

    def render(self, format: str, options: Sequence[str] = ()) -> bytes:
        return _call([*self._words, *options, f"--format={format}"], self._files)[1]


def run_child(words: Sequence[str], files: Mapping[str, bytes]) -> ChildResult:
    """Runs a command that prints documents."""
    return ChildResult(words, files)


def run_text(words: Sequence[str], files: Mapping[str, bytes] | None = None) -> str:
    """Runs a command that prints a text, such as `explain`."""
    return _call(words, files or {})[1].decode("utf-8")
