"""One step of training: the forward pass, the backward pass and, if there is one, the optimizer's step.

Each backward call belongs to the module call whose forward pass made its autograd node: at the start of
every module call the graph behind its inputs is walked, whose new nodes are the caller's, and at its end the
graph behind its outputs, whose new nodes are its own.
"""
from __future__ import annotations

import contextlib
import difflib
from collections import defaultdict
from typing import Any, Dict, List

import torch

from .errors import RecordingError
from .inputs import tensors_in
from .plan import Plan, meta_twin
from .tape import BACKWARD, FORWARD, OPTIMIZER, Storage, Tape, quoted

_TAKEN = "strata"


class _Saved:
    """A tensor that autograd keeps; it holds the storage's mark, so that the storage's end is seen."""

    __slots__ = ("storage", "tensor")

    def __init__(self, tensor: torch.Tensor, storage: Storage):
        self.tensor, self.storage = tensor, storage


class Step:
    """The phases of one step on a tape."""

    def __init__(self, tape: Tape, plan: Plan):
        self.tape, self.plan = tape, plan
        self.saved: List[str] = []
        self.forward_calls: Dict[int, List[int]] = {}  # of each module: its calls that were not yet recomputed

    def took(self, number: int, result: Any) -> None:
        """The autograd nodes behind a value that nobody took yet are those of the module call `number`."""
        if not torch.is_grad_enabled():
            return
        waiting = [tensor.grad_fn for tensor, _ in tensors_in(result) if tensor.grad_fn is not None]
        tape = self.tape
        while waiting:
            node = waiting.pop()
            if node is None or node.metadata.get(_TAKEN) is tape.mark:
                continue
            node.metadata[_TAKEN] = tape.mark

            def enter(*_: Any, number: int = number) -> None:
                tape.module = number

            node.register_prehook(enter)
            waiting.extend(following for following, _ in node.next_functions)

    def again(self, module: Any) -> int:
        """The forward call that a call during the backward pass repeats: the last that was not repeated yet."""
        calls = self.forward_calls.get(id(module))
        if not calls:
            return self.tape.module
        return calls.pop() if len(calls) > 1 else calls[0]

    @contextlib.contextmanager
    def keeping(self) -> Any:
        """Watches what autograd keeps for the backward pass."""
        tape = self.tape

        def pack(tensor: torch.Tensor) -> _Saved:
            tag = tape.tag(tensor)
            if tape.phase == FORWARD:
                self.saved.append(f"[{tag[0]},{tape.module}]")
            return _Saved(tensor, tag[2])

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept.tensor):
            yield

    def backward(self, result: Any, loss: Any) -> None:
        """The loss and the backward pass."""
        total = loss(result) if loss is not None else _default_loss(result)
        if not isinstance(total, torch.Tensor) or not total.requires_grad:
            raise RecordingError("there is nothing to train: the loss depends on no parameter that has a gradient")
        self.took(0, total)
        self.tape.phase = BACKWARD
        try:
            with torch.no_grad():
                gradient = torch.ones_like(total)
            total.backward(gradient)
        finally:
            self.tape.phase, self.tape.module = FORWARD, 0

    def optimize(self, optimizer: Any, meta: bool) -> None:
        """The optimizer's step on the twins; each call belongs to the module of the parameter it works on."""
        twins = {id_: twin for id_, (twin, _) in self.plan.tags.items()}
        ours = _on_twins(optimizer, twins, meta)
        tape = self.tape
        first = {}  # of each module path: its first call
        for number, text in enumerate(tape.modules.since(0)):
            first.setdefault(text.rsplit(",", 2)[0], number)
        for planned in self.plan.modules:
            number = first.get(planned.head[:-1], 0)
            for storage in planned.storages:
                tape.owned_by.setdefault(storage, number)
        for twin, tag in self.plan.tags.values():
            if twin.grad is not None:
                tape.owned_by[tape.tag(twin.grad)[2].number] = tape.owned_by.get(tag[2].number, 0)
        tape.phase = OPTIMIZER
        try:
            ours.step()
        finally:
            tape.phase, tape.module = FORWARD, 0
        state = [tape.tag(tensor)[2].number for tensor, _ in tensors_in([dict(one) for one in ours.state.values()])]
        tape.extra["optimizer"] = f'{{"name":{quoted(type(ours).__name__)},"state":{sorted(set(state))}}}'

    def finish(self) -> None:
        """Puts what is known of the memory onto the tape."""
        gradients = [self.tape.tag(twin.grad)[2].number for twin, _ in self.plan.tags.values() if twin.grad is not None]
        self.tape.extra["gradients"] = str(sorted(set(gradients)))
        self.tape.extra["saved"] = f"[{','.join(self.saved)}]"


def _default_loss(result: Any) -> Any:
    """A model's own loss where it has one, else the sum of its outputs."""
    own = getattr(result, "loss", None)
    if isinstance(own, torch.Tensor):
        return own
    outputs = [tensor for tensor, _ in tensors_in(result) if tensor.is_floating_point() and tensor.requires_grad]
    if not outputs:
        raise RecordingError("there is nothing to train: no output depends on a parameter that has a gradient")
    total = outputs[0].sum()
    for tensor in outputs[1:]:
        total = total + tensor.sum()
    return total


def _optimizer_named(name: str) -> Any:
    """A maker of torch's optimizer of that name, in any case: "adam", "AdamW", "sgd"."""
    known = {each.lower(): kind for each, kind in vars(torch.optim).items()
             if isinstance(kind, type) and issubclass(kind, torch.optim.Optimizer) and kind is not torch.optim.Optimizer}
    kind = known.get(name.lower())
    if kind is None:
        near = difflib.get_close_matches(name.lower(), known, 1)
        meant = f'; did you mean "{near[0]}"?' if near else f": there are {', '.join(sorted(known))}"
        raise RecordingError(f'torch.optim has no optimizer "{name}"{meant}')
    return lambda parameters: kind(parameters, lr=1e-3)  # torch 1.13 has no usual rate for SGD


def _on_twins(optimizer: Any, twins: Dict[int, torch.Tensor], meta: bool) -> Any:
    """The user's optimizer with the twins in the place of the parameters; or a new one, of a class or function."""
    if isinstance(optimizer, str):
        optimizer = _optimizer_named(optimizer)
    if not isinstance(optimizer, torch.optim.Optimizer):
        if not callable(optimizer):
            raise RecordingError(f"a {type(optimizer).__name__} is not an optimizer")
        return optimizer([twin for twin in twins.values() if twin.requires_grad])

    def twin_of(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        return meta_twin(value) if meta and value.dim() else value.clone()

    ours = object.__new__(type(optimizer))
    ours.__dict__.update(optimizer.__dict__)
    ours.param_groups = [{**group, "params": [twins[id(one)] for one in group["params"] if id(one) in twins]}
                         for group in optimizer.param_groups]
    ours.state = defaultdict(dict, {twins[id(one)]: {name: twin_of(value) for name, value in state.items()}
                                    for one, state in optimizer.state.items() if id(one) in twins})
    return ours
