"""The columns of TorchBlade's published table, for `bench(layout="torchblade")`: those of `strata bench --layout torchblade`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from ._document import Document
from ._errors import StrataError

#: name, heading, and the column of a benchmark that it is
_COLUMNS = (
    ("model", "Model", ""),
    ("export", "Export", ""),
    ("backend", "Backend", ""),
    ("precision", "Precision", ""),
    ("median_fps", "Median(FPS)", "median_fps"),
    ("mean_fps", "Mean(FPS)", "mean_fps"),
    ("median_s", "Median(s)", "median_s"),
    ("mean_s", "Mean(s)", "mean_s"),
    ("p99_s", "99th_p(s)", "p99_s"),
    ("std_dev_s", "std_dev(s)", "std_s"),
)
_TORCH_FILES = (".pt", ".pth", ".ts")


def six_digits(value: float | None) -> float | None:
    """The table as published.

    >>> six_digits(9.78185432), six_digits(None)
    (9.78185, None)
    """
    return None if value is None else float(f"{value:.6g}")


def _row(row: Mapping[str, Any], file: str, name_threads: bool) -> dict[str, Any]:
    batch = f"_b{row['batch']}" if row["batch"] != 1 else ""
    shape = f"_{row['shape']}" if row["shape"] else ""
    threads = f" ({row['threads']} threads)" if name_threads else ""
    is_script = os.path.splitext(file)[1] in _TORCH_FILES
    words = {
        "model": f"{row['model']}{batch}{shape}",
        "export": "torchscript" if is_script else "onnx",
        "backend": f"{row['backend']}{threads}",
        "precision": row["precision"],
    }
    return {name: six_digits(row[own]) if own else words[name] for name, _, own in _COLUMNS}


def check_layout(layout: str | None) -> None:
    """Before the work, not after it."""
    if layout not in (None, "torchblade"):
        raise StrataError(f'there is no layout "{layout}"; there is torchblade', 2)


def in_layout(report: Document) -> Document:
    """The same benchmark with the published columns."""
    from ._long import _SavedResult

    content = report.to_dict()
    rows = content["tables"]["variants"]["rows"]
    files = [variant["file"] for model in content["facts"]["models"] for variant in model["variants"]]
    name_threads = len({row["threads"] for row in rows}) > 1
    table = {
        **content["tables"]["variants"],
        "columns": [
            {"name": name, "title": title, "unit": "number" if own else "text", "type": "plain"} for name, title, own in _COLUMNS
        ],
        "rows": [_row(row, file, name_threads) for row, file in zip(rows, files)],
    }
    changed = {**content, "tables": {**content["tables"], "variants": table}}
    return Document(_SavedResult(json.dumps(changed).encode(), report._result.code))
