"""Records one run of a model: every ATen call with its tensors, and every module call.

The recording goes to the native core, which counts; nothing is counted here.
"""
from __future__ import annotations

import contextlib
import sys
import threading
from typing import Any, Dict, List, Optional, Tuple

import torch

from .attention import Attention
from .block import recording
from .borrow import Borrowed, unwrapped, walk
from .calls import ModuleCalls
from .devices import Devices
from .dispatch import Recorder
from .errors import RecordingError, WantsIds, first_line, recording_error
from .flex import uncompiled
from .inputs import Shape, arguments, filled, mapped, names_of, tensors_in
from .plan import Plan, alias_twin, meta_twin, plan_of
from .recurrent import Recurrent
from .scripted import place_calls
from .shortcuts import Shortcuts
from .step import Step
from .tape import Tape, quoted

__all__ = ["RecordingError", "record", "recording"]

_one_at_a_time = threading.RLock()


def record(model: Any, inputs: Any = None, *, kwargs: Optional[Dict[str, Any]] = None, mode: str = "auto",
           backward: bool = False, loss: Any = None, optimizer: Any = None, name: Optional[str] = None,
           grad: Optional[bool] = None, plain: bool = False, dtype: Any = None) -> bytes:
    """Runs a model once and returns the recording, as JSON.

    Inputs that are shapes become tensors of `dtype`, or of the type that the model takes: whole numbers for an
    embedding, else that of its parameters.

    `mode` is "meta" (tensors without values), "fake" (torch's fake tensors), "real", or "auto": meta
    tensors, and real ones where the model needs values. The model is left as it was. `grad` keeps
    gradients on in a forward run; `plain` records every call as the dispatcher sees it.

    >>> import json, torch
    >>> made = json.loads(record(torch.nn.ReLU(), (2, 3)))
    >>> made["patterns"], made["calls"]
    ([['aten.relu.default', [{'t': 0}]]], [[0, [0], [1], 0]])
    """
    if mode not in ("auto", "meta", "fake", "real"):
        raise ValueError(f"mode is {mode!r}, and must be auto, meta, fake or real")
    subject = unwrapped(_runnable(model))
    if not callable(subject):
        raise RecordingError(f"a {type(model).__name__} cannot be run: give a module, a function or a file's name")
    modules = walk(subject) if isinstance(subject, torch.nn.Module) else []
    return _record_call(subject, modules, arguments(inputs, kwargs, dtype, subject), mode, name, backward, loss,
                        optimizer, backward if grad is None else grad, plain)


def _record_call(subject: Any, modules: List[Tuple[str, torch.nn.Module]], given: Any, mode: str,
                 name: Optional[str] = None, backward: bool = False, loss: Any = None, optimizer: Any = None,
                 grad: bool = False, plain: bool = False) -> bytes:
    """Records one call, once more for each of its shapes that turns out to be numbers of rows."""
    while True:
        try:
            return _record_once(subject, modules, given, mode, name, backward, loss, optimizer, grad, plain)
        except _Marked:
            continue


class _Marked(Exception):
    """A shape of the inputs is known to be numbers of rows now."""


def settled_arguments(model: Any, inputs: Any, kwargs: Optional[Dict[str, Any]], dtype: Any = None) -> Any:
    """Arguments whose shapes know what is made of them, for runs that are not recorded."""
    subject = unwrapped(model)
    given = arguments(inputs, kwargs, dtype, subject)
    if not any(isinstance(one, Shape) and one.dtype is None for one in [*given[0], *given[1].values()]):
        return given
    if not isinstance(subject, torch.nn.Module):
        return given
    modules = walk(subject)
    if any(isinstance(module, (torch.nn.Embedding, torch.nn.EmbeddingBag)) for _, module in modules):
        _record_call(subject, modules, given, "auto")
    return given


def _record_once(subject: Any, modules: List[Tuple[str, torch.nn.Module]], given: Any, mode: str,
                 name: Optional[str], backward: bool, loss: Any, optimizer: Any, grad: bool, plain: bool) -> bytes:
    scripted = isinstance(subject, (torch.jit.ScriptModule, torch.jit.ScriptFunction))
    empty = any(tensor.is_meta for _, module in modules for tensor in _tensors_of(module))
    modes = [mode]
    if mode == "auto":
        modes = ["real"] if scripted else ["meta"] if empty else ["meta", "real"]
    notes: List[str] = []
    with _one_at_a_time:
        for attempt in modes:
            run = _Run(subject, modules, given, attempt, name or _name(subject), notes)
            try:
                with torch.inference_mode(False):  # which the caller may be in
                    return run.record(backward, loss, optimizer, grad, plain)
            except RecordingError:
                raise
            except WantsIds as wanted:
                if run.mark(wanted):
                    raise _Marked from None
                raise recording_error(wanted, run.failed) from wanted
            except Exception as error:
                if attempt == modes[-1]:
                    raise recording_error(error, run.failed) from error
                notes.append(f"recorded with real tensors, because it does not run without values: {first_line(error)}")
    raise AssertionError("no mode was tried")


def _runnable(model: Any) -> Any:
    """An exported program's module, with the modules it was exported from; else the model itself."""
    if type(model).__name__ == "ExportedProgram":
        return torch.export.unflatten(model)
    return model


def _name(subject: Any) -> str:
    if isinstance(subject, torch.jit.ScriptModule):
        return str(getattr(subject, "original_name", type(subject).__name__))
    return type(subject).__name__ if isinstance(subject, torch.nn.Module) else getattr(subject, "__name__", "function")


def _tensors_of(module: torch.nn.Module) -> List[torch.Tensor]:
    own = module.__dict__
    return [one for group in ("_parameters", "_buffers") for one in own.get(group, {}).values() if one is not None]


class _Run:
    """One attempt to record, in one mode."""

    def __init__(self, subject: Any, modules: List[Tuple[str, torch.nn.Module]], given: Any, mode: str, name: str,
                 notes: List[str]):
        self.subject, self.modules, self.given, self.mode = subject, modules, given, mode
        training = bool(modules) and bool(getattr(subject, "training", False))
        self.tape = Tape(f"torch {torch.__version__.split('+')[0]}", name, mode, training)
        self.tape.notes.extend(notes)
        self.failed: Optional[str] = None
        self.made: List[Tuple[torch.Tensor, Shape]] = []
        for shape in [*given[0], *given[1].values()]:
            if isinstance(shape, Shape) and shape.rows:
                self.tape.note(f"the input of shape {tuple(shape.size)} is whole numbers below {shape.rows}, "
                               "since an embedding looks them up")

    def mark(self, wanted: WantsIds) -> bool:
        """Notes that the shape that an embedding was given the tensor of stands for whole numbers."""
        for tensor, shape in self.made:
            if shape.dtype is None and self.tape.tag(tensor)[2].number == wanted.storage:
                shape.dtype, shape.rows = torch.int64, wanted.rows
                return True
        return False

    def record(self, backward: bool, loss: Any, optimizer: Any, grad: bool, plain: bool) -> bytes:
        tape, subject = self.tape, self.subject
        first = next((one for _, module in self.modules for one in _tensors_of(module)), None)
        floating = next((one.dtype for _, module in self.modules for one in _tensors_of(module)
                         if one.is_floating_point()), torch.get_default_dtype())
        device = first.device if first is not None else torch.device("cpu")
        tape.device = str(device) if device.type != "meta" else "cpu"
        fake = contextlib.nullcontext()
        if self.mode == "fake":
            from torch._subclasses.fake_tensor import FakeTensorMode
            fake = FakeTensorMode(allow_non_fake_inputs=True)
        plan = self._plan(fake, backward)
        ours = self.mode == "meta"
        tape.start(plan, ours)
        tape.trains = backward
        tape.joins = not isinstance(subject, torch.jit.ScriptModule)
        if ours:
            for twin, tag in plan.tags.values():
                twin._strata = tag
        recorder = Recorder(tape, ours)
        recorder.made_inputs = any(isinstance(one, Shape) for one in [*self.given[0], *self.given[1].values()])
        step = Step(tape, plan) if backward else None
        calls = ModuleCalls(tape, plan, Shortcuts(tape) if ours and not grad and not plain else None, ours, step)
        try:
            with Borrowed(self.modules, plan if plan.make else None), _quiet():
                args, kwargs = mapped(self.given, lambda value: self._input(value, floating, device, fake))
                self._name_inputs(args, kwargs)
                if not self.modules:
                    tape.modules.append(f'["",{quoted(tape.name)},-1,0]')
                fused = Attention(tape) if ours and not plain else contextlib.nullcontext()
                recurrent = Recurrent(tape, plan, not plain) if ours else contextlib.nullcontext()
                devices = Devices(tape) if ours else contextlib.nullcontext()
                keeping = step.keeping() if step else contextlib.nullcontext()
                with torch.set_grad_enabled(grad), fake, fused, recurrent, devices, calls, keeping, recorder:
                    result = subject(*args, **kwargs)
                    if step is not None:
                        step.backward(result, loss)
                        if optimizer is not None:
                            step.optimize(optimizer, ours)
                        step.finish()
                for tensor, path in tensors_in(result):
                    tape.outputs.append(f"[{tape.tag(tensor)[0]},{quoted(path and f'output.{path}' or 'output')}]")
                if isinstance(subject, torch.jit.ScriptModule):
                    place_calls(tape, plan)
                return tape.encode(last=True)
        finally:
            self.failed = calls.failed
            for tensor, gradient in tape.gradients:
                tensor.grad = gradient
            recorder.restore()

    def _plan(self, fake: Any, backward: bool) -> Plan:
        if self.mode == "meta" and not backward:
            return plan_of(self.modules)
        if self.mode == "real":
            return Plan(self.modules, alias_twin if backward else None)
        return Plan(self.modules, meta_twin if self.mode == "meta" else fake.from_tensor)

    def _input(self, value: Any, dtype: torch.dtype, device: torch.device, fake: Any) -> torch.Tensor:
        tensor = self._made(value, dtype, device, fake)
        if isinstance(value, Shape):
            self.made.append((tensor, value))
        return tensor

    def _made(self, value: Any, dtype: torch.dtype, device: torch.device, fake: Any) -> torch.Tensor:
        if self.mode == "meta":
            if isinstance(value, Shape):
                wanted = value.dtype or dtype
                if wanted.is_floating_point or wanted.is_complex:
                    return torch.empty(value.size, dtype=wanted, device="meta")
                value = value.tensor(dtype, torch.device("cpu"))
            small = value.numel() <= 4096 or not (value.is_floating_point() or value.is_complex())
            kept = small and not value.is_meta and not value.requires_grad and type(value) is torch.Tensor
            return value if kept else meta_twin(value)
        if device.type == "meta":
            device = torch.device("cpu")
        tensor = filled(value, dtype, device)
        return fake.from_tensor(tensor) if self.mode == "fake" else tensor

    def _name_inputs(self, args: List[Any], kwargs: Dict[str, Any]) -> None:
        function = self.subject.forward if isinstance(self.subject, torch.nn.Module) else self.subject
        named = dict(zip(names_of(function, len(args)), args))
        for tensor, path in tensors_in({**named, **kwargs}):
            self.tape.inputs.append(f"[{self.tape.tag(tensor)[0]},{quoted(path)}]")


@contextlib.contextmanager
def _quiet() -> Any:
    """Turns off what would hide operators: the fused encoder layers, and compiled functions."""
    with contextlib.ExitStack() as stack:
        mha = getattr(torch.backends, "mha", None)
        if mha is not None and mha.get_fastpath_enabled():
            mha.set_fastpath_enabled(False)
            stack.callback(mha.set_fastpath_enabled, True)
        if "torch._dynamo" in sys.modules and hasattr(getattr(torch, "compiler", None), "set_stance"):
            stack.enter_context(torch.compiler.set_stance("force_eager"))
        stack.enter_context(uncompiled())
        yield
