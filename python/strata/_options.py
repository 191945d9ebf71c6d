"""Keyword arguments as words of the command line: `device_memory="arena"` is `--device-memory arena`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def size_text(shape: Any) -> str:
    """A shape as the program reads it.

    >>> size_text((1, 3, 224, 224))
    '1x3x224x224'
    """
    return "x".join(str(int(size)) for size in shape)


def _value_text(value: Any) -> str:
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(_value_text(part) for part in value)
    return str(value)


def option_words(options: Mapping[str, Any]) -> list[str]:
    """The words of options; those that are None or False are left out.

    A mapping is an option that is repeated, `True` an option without a value.

    >>> option_words({"report": "tree", "depth": 2, "fuse": True, "sort": None})
    ['--report=tree', '--depth=2', '--fuse']
    >>> option_words({"dim": {"N": 1, "T": 128}, "columns": ["layer", "macs"]})
    ['--dim=N=1', '--dim=T=128', '--columns=layer,macs']
    """
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        word = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(word)
        elif isinstance(value, Mapping):
            words += [f"{word}={key}={_value_text(part)}" for key, part in value.items()]
        else:
            words.append(f"{word}={_value_text(value)}")
    return words
