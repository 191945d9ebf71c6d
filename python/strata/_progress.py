"""A long job's own line of progress, in terminals and notebooks, and the sentences around it."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

_CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def is_watched() -> bool:
    """True if somebody sees progress: stderr is a terminal, or this runs in a notebook."""
    stream = sys.stderr
    if stream is None:
        return False
    if hasattr(stream, "isatty") and stream.isatty():
        return True
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


class Watcher:
    """Takes what a child writes to stderr apart: lines are kept, a line that is written over is shown.

    >>> watcher = Watcher(None)
    >>> watcher.take("\\rmeasuring 10 %\\x1b[K\\rmeasuring 20 %\\x1b[K\\r\\x1b[Knote: quiet machine\\r\\n")
    >>> watcher.lines
    ['note: quiet machine']
    """

    def __init__(self, show: Any) -> None:
        self._show = show  # a stream, or None
        self._open = ""
        self.lines: list[str] = []

    def take(self, text: str) -> None:
        if self._show is not None:
            self._show.write(text.replace("\r\n", "\n"))
            self._show.flush()
        parts = (self._open + text).replace("\r\n", "\n").split("\n")
        self._open = parts.pop()
        for part in parts:
            line = _CONTROL.sub("", part.rsplit("\r", 1)[-1])
            if line:
                self.lines.append(line)


def open_stderr(watched: bool) -> tuple[int, int]:
    """Two ends for a child's stderr, to read and to write. It draws progress where that is a terminal."""
    if not watched:
        return os.pipe()
    import fcntl
    import pty
    import shutil
    import struct
    import termios

    ours, its = pty.openpty()
    size = shutil.get_terminal_size()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", size.lines, size.columns, 0, 0))
    return ours, its


def read_all(descriptor: int, watcher: Watcher) -> None:
    """Reads until the child has closed its end."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while True:
        try:
            data = os.read(descriptor, 65536)
        except OSError:  # what a terminal says at its end
            data = b""
        if not data:
            break
        watcher.take(decoder.decode(data))
