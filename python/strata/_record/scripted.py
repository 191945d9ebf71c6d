"""Where the calls of a ScriptModule belong: its interpreter calls no module that Python could see."""
from __future__ import annotations

import json
from typing import Any, Dict, List

from .plan import Plan
from .tape import Tape


def place_calls(tape: Tape, plan: Plan) -> None:
    """Gives each call that reads a parameter or buffer to the module that owns it; the others stay the root's."""
    owners: Dict[int, Any] = {}
    for planned in plan.modules:
        for storage in planned.storages:
            owners.setdefault(storage, planned)
    numbers: Dict[str, int] = {"": 0}
    by_path = {planned.path: planned for planned in plan.modules}

    def number_of(path: str) -> int:
        if path not in numbers:
            parent = number_of(path.rpartition(".")[0])
            numbers[path] = len(tape.modules)
            tape.modules.append(f"{by_path[path].head}{parent},0]")
        return numbers[path]

    placed: List[str] = []
    tensors = tape.tensors.since(0)
    for call in tape.calls.since(0):
        row = json.loads(call)
        storages = [json.loads(tensors[tensor])[1] for tensor in row[1]]
        owner = next((owners[storage] for storage in storages if storage in owners), None)
        if owner is not None:
            row[3] = number_of(owner.path)
        placed.append(json.dumps(row))
    tape.calls.replace(placed)
    tape.note("a ScriptModule does not say which modules run: operators with weights are listed at the modules "
              "that own them, the others at the whole network")
