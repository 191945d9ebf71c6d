"""The options of `strata stat` as keyword arguments, in the groups of its help.

They say nothing at run time: the native core judges options. Editors complete them, and type checkers
find misspelt ones. The tests compare them with the program's own list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Union

Columns = Union[str, Sequence[str], None]
_Text = Union[str, None]
_Number = Union[int, None]


class CountingOptions(TypedDict, total=False):
    """How numbers are counted."""

    count: _Text
    energy: _Text
    load_work: bool
    as_stored: bool
    arena: bool
    tflm: bool
    on: _Text
    device_file: Any
    device_memory: _Text


class TableOptions(TypedDict, total=False):
    """Which rows and columns there are."""

    report: _Text
    depth: _Number
    columns: Columns
    sort: _Text
    top: _Number
    filter: _Text
    all: bool
    fuse: bool
    layout: _Text
    exact: bool


class EngineOptions(TypedDict, total=False):
    """The engine that runs a file, and how it is measured."""

    engine: Any
    engine_path: Any
    device: _Text
    provider: _Text
    threads: Union[int, str, None]
    precision: _Text
    trust_model: bool
    time: bool
    memory: bool
    roofline: bool
    view: _Text
    seed: _Number
    runs: _Number
    max_time: Any
    warmup: _Number
    max_wait: Any
    measured: Any


class StatOptions(CountingOptions, TableOptions, EngineOptions, total=False):
    """All of them, and how a file is read."""

    input: Union[Mapping[str, Any], None]
    allow_outside_data: bool
    limit: Union[float, None]
