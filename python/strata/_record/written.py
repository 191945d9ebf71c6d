"""A recording read back, with what its rows refer to written out in every row."""
from __future__ import annotations

import json
from typing import Any, Dict, List


def written_out(recording: bytes) -> Dict[str, Any]:
    """The recording with tensors as `[dtype, sizes, strides, storage, offset]` and calls as
    `[operator, arguments, keywords, results, module, phase]`, which is a recording, too.

    >>> import torch
    >>> from strata._record import record
    >>> made = written_out(record(torch.nn.ReLU(), (2, 3)))
    >>> made["tensors"][0], made["calls"]
    (['float32', [2, 3], None, 0, 0], [['aten.relu.default', [{'t': 0}], {}, [1], 0, 0]])
    """
    document = json.loads(recording)
    kinds, patterns = document.pop("kinds", []), document.pop("patterns", [])
    document["tensors"] = [_tensor(row, kinds) for row in document["tensors"]]
    document["storages"] = [row if isinstance(row, list) else [row, "cpu"] for row in document.get("storages", [])]
    document["calls"] = [_call(row, patterns) for row in document["calls"]]
    return document


def _tensor(row: List[Any], kinds: List[Any]) -> List[Any]:
    if not isinstance(row[0], int):
        return row
    dtype, sizes, *strides = kinds[row[0]]
    storage, *offset = row[1:]
    return [dtype, sizes, strides[0] if strides else None, storage, offset[0] if offset else 0]


def _call(row: List[Any], patterns: List[Any]) -> List[Any]:
    if not isinstance(row[0], int):
        return row
    pattern, tensors, results, module, *phase = row
    operator, arguments, *keywords = patterns[pattern]
    return [operator, _filled(arguments, tensors), _filled(keywords[0], tensors) if keywords else {}, results, module,
            phase[0] if phase else 0]


def _filled(value: Any, tensors: List[int]) -> Any:
    """The value with the call's own tensors in the place of the pattern's."""
    if isinstance(value, list):
        return [_filled(one, tensors) for one in value]
    if isinstance(value, dict):
        if set(value) == {"t"} and isinstance(value["t"], int):
            return {"t": tensors[value["t"]]}
        return {name: _filled(one, tensors) for name, one in value.items()}
    return value
