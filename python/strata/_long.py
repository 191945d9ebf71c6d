"""Runs the program for a long job: with progress, and so that Ctrl-C keeps the results so far."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from . import _native
from ._child import error_of
from ._options import Request
from ._progress import Watcher, is_watched, open_stderr, read_all


class _SavedResult(_native.Result):
    """A document that a child printed; the library lays it out."""

    def __init__(self, json: bytes, code: int) -> None:
        self._json, self.code = json, code

    def json(self) -> bytes:
        return self._json

    def render(self, format: str, **options: Any) -> bytes:
        content: bytes = self._read.render(format, **options)
        return content

    def arrow_into(self, table: int, stream: int) -> None:
        self._read.arrow_into(table, stream)

    @cached_property
    def _read(self) -> Any:
        return _native.read(self._json)


def _wait(child: subprocess.Popen[bytes]) -> bool:
    """Waits for the child's end. The first KeyboardInterrupt stops its work, the second ends it."""
    interrupted = False
    while True:
        try:
            child.wait(timeout=0.5)
            return interrupted
        except subprocess.TimeoutExpired:
            pass  # looks for signals that another thread has received
        except KeyboardInterrupt:
            if interrupted:
                child.kill()
                child.wait()
                raise
            interrupted = True
            child.send_signal(signal.SIGINT)


def run_long(
    request: Request, progress: bool | None = None, variables: Mapping[str, str] | None = None
) -> _native.Result:
    """Runs a command and returns its document, or the results so far after Ctrl-C. `variables` are added to
    the environment.

    Raises KeyboardInterrupt if it was stopped before there was anything.
    """
    watched = is_watched() if progress is None else progress
    ours, its = open_stderr(watched)
    watcher = Watcher(sys.stderr if watched else None)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as asked:
        asked.write(request.having(format="json").json())
        asked.seek(0)
        try:
            # In a session of its own, Ctrl-C of a terminal reaches it from here alone, once.
            child = subprocess.Popen(
                [str(_native.program()), "request", "-"],
                stdin=asked,
                stdout=output,
                stderr=its,
                env={**_native.child_environment(), **(variables or {})},
                start_new_session=True,
            )
        finally:
            os.close(its)
        reader = threading.Thread(target=read_all, args=(ours, watcher), daemon=True)
        reader.start()
        try:
            interrupted = _wait(child)
        finally:
            reader.join()
            os.close(ours)
        output.seek(0)
        json = output.read()
    if interrupted and not json:
        raise KeyboardInterrupt
    if not json:
        code = child.returncode
        raise error_of("\n".join(watcher.lines), code if code > 0 else 1, f"strata {request.command} ended with {code}")
    return _SavedResult(json, child.returncode)
