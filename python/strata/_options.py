"""Requests: a command and its options, which go to the native core as JSON (docs/json-schema.md)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from ._errors import StrataError


def size_text(shape: Any) -> str:
    """A shape as the program reads it.

    >>> size_text((1, 3, 224, 224))
    '1x3x224x224'
    """
    return "x".join(str(int(size)) for size in shape)


def options_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments as options: `device_memory="arena"` is `--device-memory`; None and False are left out.

    >>> options_of({"device_memory": "arena", "depth": 2, "fuse": True, "sort": None})
    {'--device-memory': 'arena', '--depth': 2, '--fuse': True}
    """
    return {
        "--" + name.rstrip("_").replace("_", "-"): value
        for name, value in arguments.items()
        if value is not None and value is not False
    }


def as_json(value: Any) -> Any:
    """Replace values that JSON has no word for: a path is its text, a set a list, a number of numpy a number.

    >>> import pathlib
    >>> as_json(pathlib.Path("a.toml")), as_json(frozenset("x")), as_json(3j)
    ('a.toml', ['x'], '3j')
    """
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


def to_json(value: Any) -> bytes:
    """JSON in UTF-8, which has no place for file names in other encodings."""
    try:
        return json.dumps(value, default=as_json, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise StrataError(f"{error.object!r} is not UTF-8; rename the file", 2) from None


class Request:
    """A request to the native core: a command, its options, and the files in memory that they name.

    >>> request = Request("stat", {"model": "net.onnx"}).having(top=3)
    >>> request.json()
    b'{"command": "stat", "options": {"model": "net.onnx", "--top": 3}}'
    """

    def __init__(self, command: str, options: Mapping[str, Any], files: Mapping[str, bytes] | None = None) -> None:
        self.command, self.options, self.files = command, dict(options), dict(files or {})

    def having(self, **arguments: Any) -> Request:
        """The same with these arguments, too."""
        return Request(self.command, {**self.options, **options_of(arguments)}, self.files)

    def json(self) -> bytes:
        """The request as data/schemas/request.json describes it."""
        return to_json({"command": self.command, "options": self.options})
