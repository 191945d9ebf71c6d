"""torch.utils.flop_counter's class: `FlopCounterMode`, as of torch 2.13, and on torch 1.13, too.

>>> import torch
>>> with FlopCounterMode(display=False) as counter:
...     _ = torch.ones(2, 3) @ torch.ones(3, 4)
>>> counter.get_total_flops()
48
"""

from __future__ import annotations

import warnings
import weakref
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from .._record.dispatch import Recorder
from .._record.plan import Plan
from .._record.tape import BACKWARD, FORWARD, Tape, quoted
from ._count import Run
from ._operators import operator_counts
from ._pipe_table import simple_table

__all__ = ["FlopCounterMode"]

_LETTERS = ["", "K", "M", "B", "T"]


class FlopCounterMode:
    """Counts the flops of whatever runs inside of its `with` block, the backward pass included.

    `get_flop_counts()` has them by module and operator, `get_total_flops()` their sum. What the
    block runs is recorded, and counted when the block ends. `count="strata"` counts every operator.
    """

    def __init__(
        self,
        mods: nn.Module | list[nn.Module] | None = None,
        depth: int = 2,
        display: bool = True,
        custom_mapping: dict[Any, Any] | None = None,
        *,
        count: str = "flopcounter",
    ) -> None:
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        self.depth, self.display = depth, display
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self._custom, self._count = dict(custom_mapping or {}), count
        self._modules: _Modules | None = None

    def get_total_flops(self) -> int:
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """Counts by the name of a module, then by operator; "Global" is everything."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The counts as a table, modules down to `depth`."""
        deepest = depth if depth is not None else self.depth if self.depth is not None else 999999
        total = self.get_total_flops()
        letter = max(0, min(len(_LETTERS) - 1, (len(str(total)) - 2) // 3))
        covered = False

        def rows_of(name: str, level: int) -> list[list[str]]:
            nonlocal covered
            counts = self.flop_counts[name]
            whole = sum(counts.values())
            covered = covered or whole >= total
            indent = " " * level
            lines = [(indent + name, whole), *((f"{indent} - {op}", value) for op, value in counts.items())]
            return [
                [text, f"{value / 1000**letter:.3f}{_LETTERS[letter]}", f"{value / total:.2%}" if total else "0%"]
                for text, value in lines
            ]

        rows: list[list[str]] = []
        for name in sorted(self.flop_counts):
            level = name.count(".") + 1
            if name != "Global" and level <= deepest:
                rows += rows_of(name, level - 1)
        if "Global" in self.flop_counts and not covered:
            rows = rows_of("Global", 0) + [[" " + text, *cells] for text, *cells in rows]
        return simple_table(["Module", "FLOP", "% Total"], rows or [["Global", "0", "0%"]])

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts.clear()
        self._tape = Tape(f"torch {torch.__version__.split('+')[0]}", "Global", "real", True)
        self._tape.start(Plan([], None), ours=False)
        self._tape.modules.append('["","Global",-1,0]')
        self._modules = _Modules(self._tape)
        self._recorder = _Counted(self._tape, self._custom, self._modules)
        self._modules.__enter__()
        self._recorder.__enter__()
        return self

    def __exit__(self, *problem: Any) -> Any:
        result = self._recorder.__exit__(*problem)
        assert self._modules is not None
        self._modules.__exit__()
        self._add()
        if self.display:
            print(self.get_table(self.depth))
        return result

    def _add(self) -> None:
        """Counts what was recorded."""
        assert self._modules is not None
        taken = Run(self, self._tape.encode())
        places = self._modules.places
        convention = "flopcounter-eager" if self._count == "flopcounter" else self._count
        for at, call in enumerate(operator_counts(taken, convention)):
            packet = getattr(torch.ops.aten, call.operator, call.operator)
            if packet in self._custom:
                flops = self._recorder.custom.get(at, 0)
            else:
                flops = call.flops
                known = call.operator in _COUNTED
                if not known and (self._count == "flopcounter" or not flops):
                    continue
            for place in places[at]:
                self.flop_counts[place][packet] += flops


# The operators that torch counts: they have an entry even where it is 0, and others have none.
_COUNTED = frozenset(
    "mm addmm bmm baddbmm _scaled_mm convolution _convolution cudnn_convolution convolution_overrideable"
    " _slow_conv2d_forward convolution_backward _scaled_dot_product_efficient_attention"
    " _scaled_dot_product_flash_attention _scaled_dot_product_cudnn_attention"
    " _scaled_dot_product_efficient_attention_backward _scaled_dot_product_flash_attention_backward"
    " _scaled_dot_product_cudnn_attention_backward _flash_attention_forward _efficient_attention_forward"
    " _flash_attention_backward _efficient_attention_backward".split()
)


class _Counted(Recorder):
    """The recorder, with the caller's own formulas, which need the tensors."""

    def __init__(self, tape: Tape, formulas: dict[Any, Callable[..., int]], modules: _Modules) -> None:
        super().__init__(tape, False)
        self.keeps = False  # what the block writes is the caller's, and stays
        self.formulas, self.modules = formulas, modules
        self.custom: dict[int, int] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.tape.phase = BACKWARD if _runs_backward() else FORWARD
        before = len(self.tape.calls)
        result = super().__torch_dispatch__(func, types, args, kwargs)
        added = len(self.tape.calls) - before
        self.modules.places += [frozenset(self.modules.running)] * added
        formula = self.formulas.get(func._overloadpacket)
        if formula is not None and added:
            named = dict(kwargs or {})
            if getattr(formula, "_get_raw", False):
                self.custom[before] = formula(*args, **named, out_val=result)
            else:
                named = {name: _shaped(value) for name, value in named.items()}
                self.custom[before] = formula(*map(_shaped, args), **named, out_shape=_shaped(result))
        return result


def _runs_backward() -> bool:
    """True if autograd's engine runs in this thread; torch 1.13 does not tell."""
    task = getattr(torch._C, "_current_graph_task_id", None)
    return task is not None and task() != -1


def _shaped(value: Any) -> Any:
    """Shapes in the place of tensors, as torch hands them to formulas."""
    if isinstance(value, torch.Tensor):
        return value.shape
    if isinstance(value, (list, tuple)):
        return type(value)(_shaped(each) for each in value)
    return value


class _Modules:
    """Which modules are running, in the forward pass and in the backward pass, by their names."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.running: set[str] = {"Global"}
        self.places: list[frozenset[str]] = []  # of each recorded call
        self.names: weakref.WeakKeyDictionary[nn.Module, str] = weakref.WeakKeyDictionary()
        self.handles: list[Any] = []
        self.numbers: list[int] = []

    def name(self, module: nn.Module) -> str:
        """The class of the outermost module, then the path in it."""
        if module not in self.names:
            root = type(module).__name__
            for path, inner in module.named_modules():
                self.names.setdefault(inner, f"{root}.{path}" if path else root)
        return self.names[module]

    def __enter__(self) -> None:
        self.handles = [register_module_forward_pre_hook(self.enter), register_module_forward_hook(self.leave)]

    def __exit__(self) -> None:
        for handle in self.handles:
            handle.remove()
        self.handles.clear()

    def enter(self, module: nn.Module, inputs: Any) -> None:
        name = self.name(module)
        self.running.add(name)
        parent = self.tape.module
        self.numbers.append(parent)
        self.tape.module = len(self.tape.modules)
        kind = quoted(type(module).__name__)
        self.tape.modules.append(f"[{quoted(name)},{kind},{parent},{self.calls_of(name)}]")
        self.at_gradients(inputs, lambda: self.running.discard(name))

    def leave(self, module: nn.Module, inputs: Any, outputs: Any) -> None:
        name = self.name(module)
        self.running.discard(name)
        if self.numbers:
            self.tape.module = self.numbers.pop()
        self.at_gradients(outputs, lambda: self.running.add(name))

    def calls_of(self, name: str) -> int:
        self._calls = getattr(self, "_calls", {})
        self._calls[name] = self._calls.get(name, -1) + 1
        return self._calls[name]

    def at_gradients(self, value: Any, action: Callable[[], None]) -> None:
        """Runs `action` when the gradients of the tensors in `value` are there."""
        tensors = [t for t in _flat(value) if isinstance(t, torch.Tensor) and t.requires_grad]
        hook = getattr(torch.autograd.graph, "register_multi_grad_hook", None)
        if tensors and hook is not None and torch.is_grad_enabled():
            self.handles.append(hook(tensors, lambda *gradients: self.once(action)))

    def once(self, action: Callable[[], None]) -> None:
        action()
        torch.autograd.Variable._execution_engine.queue_callback(self.ended)

    def ended(self) -> None:
        self.running = {"Global"}


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [inner for each in value for inner in _flat(each)]
    return [value]
