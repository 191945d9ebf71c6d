"""fvcore.nn's calls: `FlopCountAnalysis` and its tables, as of fvcore 0.1.5.post20221221."""

from __future__ import annotations

import logging
import typing
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from ._count import run
from ._fvcore_names import IGNORED, SUPPORTED, counted_name, traced_name
from ._fvcore_text import flop_count_str, flop_count_table, parameter_count, parameter_count_table
from ._fvcore_trace import traced_nodes
from ._operators import OperatorCount, operator_counts

__all__ = [
    "FlopCountAnalysis",
    "flop_count",
    "flop_count_str",
    "flop_count_table",
    "parameter_count",
    "parameter_count_table",
]


class FlopCountAnalysis:
    """The flops of a model, by module and by operator; one multiply-add is one flop.

    Nothing runs before a number is asked for. Paths are those of `named_modules`; "" is the model.
    With `count="strata"` the numbers are strata's MACs.
    """

    def __init__(self, model: nn.Module, inputs: Any, *, count: str = "fvcore") -> None:
        self._model, self._inputs, self._count = model, inputs, count
        self._handles: dict[str, Callable[..., Any] | None] = {}
        self._cleared = False
        self._aliases: dict[str, str] = {}
        first: dict[nn.Module, str] = {}
        for path, module in model.named_modules(remove_duplicate=False):
            self._aliases[path] = first.setdefault(module, path)
        self._stats: _Statistics | None = None
        self._warn_unsupported = self._warn_uncalled = True
        self._tracer_warnings = "no_tracer_warning"
        self._ancestors = "owner"

    def total(self, module_name: str = "") -> int:
        """The flops of a module and all that it calls."""
        return sum(self.by_operator(module_name).values())

    def by_operator(self, module_name: str = "") -> typing.Counter[str]:
        """The flops of a module, for each operator that counts."""
        return self._analyze().counts[self.canonical_module_name(module_name)]

    def by_module_and_operator(self) -> dict[str, typing.Counter[str]]:
        """The flops of every module, for each operator that counts."""
        return self._analyze().counts

    def by_module(self) -> typing.Counter[str]:
        """The flops of every module."""
        sums: typing.Counter[str] = Counter()
        for path, counts in self._analyze().counts.items():
            sums[path] = sum(counts.values())
        return sums

    def unsupported_ops(self, module_name: str = "") -> typing.Counter[str]:
        """How often a traced graph has each operator that fvcore neither counts nor ignores. A model that cannot be
        traced has those that ran."""
        if self._stats is None:
            raise RuntimeError("Analysis results should be computed before calling unsupported_ops()")
        if not self._stats.traced and self._count == "fvcore":
            self._trace(self._stats)
        return self._stats.unsupported[self.canonical_module_name(module_name)]

    def _trace(self, stats: _Statistics) -> None:
        stats.traced = True
        modules = dict(self._model.named_modules(remove_duplicate=False))
        paths = {module: self._aliases[path] for path, module in modules.items()}
        listed: dict[str, typing.Counter[str]] = defaultdict(Counter)
        try:
            for kind, scopes in traced_nodes(self._model, self._given(), paths):
                known = not self._cleared and kind in SUPPORTED
                if known or kind in IGNORED or kind in self._handles:
                    continue
                parts = scopes[-1].split(".")
                owners = {"", *(".".join(parts[:k]) for k in range(1, len(parts) + 1))}
                for path in owners if self._ancestors == "owner" else set(scopes):
                    listed[path][kind] += 1
        except Exception as problem:  # whatever a model may raise where it is traced
            logger = logging.getLogger(__name__)
            logger.warning("the model cannot be traced (%s); operators that ran are listed", problem)
            return
        stats.unsupported = listed

    def _given(self) -> tuple[Any, ...]:
        return tuple(self._inputs) if isinstance(self._inputs, (tuple, list)) else (self._inputs,)

    def uncalled_modules(self) -> set[str]:
        """The modules in which no operator ran."""
        return self._analyze().uncalled

    def set_op_handle(self, *args: Any, **kwargs: Any) -> FlopCountAnalysis:
        """Counts operators by functions of one's own: `"aten::add", handle, …`.

        A handle gets the operator's inputs and outputs, and returns a number or a Counter. None takes an
        operator off the list of what is not supported; one that has a rule is counted still, as in fvcore.
        """
        if len(args) % 2 != 0:
            raise TypeError("set_op_handle should be called with pairs of names and handles!")
        self._handles.update({**dict(zip(args[::2], args[1::2])), **kwargs})
        self._stats = None
        return self

    def clear_op_handles(self) -> FlopCountAnalysis:
        """No operator counts until handles are set."""
        self._handles, self._cleared, self._stats = {}, True, None
        return self

    def canonical_module_name(self, name: str) -> str:
        """The path that stands for a module which has several."""
        assert isinstance(name, str), "Module name must be a string."
        if name not in self._aliases:
            raise KeyError("Requested module name is not among the descendants of the analyzed model.")
        return self._aliases[name]

    def copy(self, new_model: nn.Module | None = None, new_inputs: Any = None) -> FlopCountAnalysis:
        """The same settings for another model or other inputs."""
        model = self._model if new_model is None else new_model
        inputs = self._inputs if new_inputs is None else new_inputs
        other = FlopCountAnalysis(model, inputs, count=self._count)
        other._handles, other._cleared = dict(self._handles), self._cleared
        other._warn_unsupported, other._warn_uncalled = self._warn_unsupported, self._warn_uncalled
        other._tracer_warnings = self._tracer_warnings
        return other

    def tracer_warnings(self, mode: str) -> FlopCountAnalysis:
        """Taken for the sake of callers: nothing is traced, so there are no such warnings."""
        if mode not in ("all", "no_tracer_warning", "none"):
            raise ValueError(f"Unrecognized tracer warning mode {mode}.")
        self._tracer_warnings = mode
        return self

    def ancestor_mode(self, mode: str) -> FlopCountAnalysis:
        """`owner`: an operator counts for the module that runs and those that hold it; `caller`: for
        all that are running."""
        if mode not in ("owner", "caller"):
            raise ValueError(f"Unrecognized ancestor mode: {mode}")
        self._ancestors, self._stats = mode, None
        return self

    def unsupported_ops_warnings(self, enabled: bool) -> FlopCountAnalysis:
        self._warn_unsupported = enabled
        return self

    def uncalled_modules_warnings(self, enabled: bool) -> FlopCountAnalysis:
        self._warn_uncalled = enabled
        return self

    def _analyze(self) -> _Statistics:
        if self._stats is None:
            self._stats = self._counted()
            self._warn(self._stats)
        return self._stats

    def _counted(self) -> _Statistics:
        taken = run(self._model, self._given(), grad=torch.is_grad_enabled())
        stats = _Statistics({path: Counter() for path in self._aliases.values()})
        seen = {""}
        for call in operator_counts(taken, self._count):
            owner = self._aliases.get(call.path, "")
            parts = owner.split(".")
            owners = {"", *(".".join(parts[:k]) for k in range(1, len(parts) + 1))}
            seen |= owners
            places = owners if self._ancestors == "owner" else {*call.callers, ""}
            self._add(call, stats, [place for place in places if place in stats.counts])
        ran = taken.watch.calls if taken.watch else []
        seen |= {each.path for each in ran if _leaves_a_trace(each.module)}
        stats.uncalled = set(self._aliases.values()) - seen
        return stats

    def _add(self, call: OperatorCount, stats: _Statistics, places: list[str]) -> None:
        traced = traced_name(call)
        if traced is None:
            return
        handle = self._handles.get(traced)
        found: Any = call.macs
        if handle is not None:
            found = handle(call.inputs, call.outputs)
        elif self._cleared or (traced not in SUPPORTED and (self._count == "fvcore" or not found)):
            if traced not in IGNORED and traced not in self._handles:
                for place in places:
                    stats.unsupported[place][traced] += 1
            return
        counts = found if isinstance(found, Counter) else Counter({counted_name(traced): found})
        for place in places:
            stats.counts[place] += counts

    def _warn(self, stats: _Statistics) -> None:
        logger = logging.getLogger(__name__)
        if self._warn_unsupported:
            for name, times in stats.unsupported[""].items():
                logger.warning("Unsupported operator %s encountered %d time(s)", name, times)
        modules = dict(self._model.named_modules(remove_duplicate=False))
        silent = (nn.ModuleList, nn.ModuleDict, nn.Module, nn.Identity)
        uncalled = {
            path
            for path in stats.uncalled
            if all(type(modules[path]).forward is not kind.forward for kind in silent)
        }
        if self._warn_uncalled and uncalled:
            logger.warning(
                "The following submodules of the model were never called during the trace of the graph."
                " They may be unused, or they were accessed by direct calls to .forward() or via other"
                " python methods. In the latter case they will have zeros for statistics, though their"
                " statistics will still contribute to their parent calling module.\n%s",
                ", ".join(sorted(uncalled)),
            )


class _Statistics:
    def __init__(self, counts: dict[str, typing.Counter[str]]) -> None:
        self.counts = counts
        self.unsupported: dict[str, typing.Counter[str]] = defaultdict(Counter)
        self.uncalled: set[str] = set()
        self.traced = False  # whether `unsupported` is of a trace, and not of the recording


def _leaves_a_trace(module: nn.Module) -> bool:
    """True if a call that ran no operator would still be a node of a traced graph, as dropout is."""
    return isinstance(module, (nn.modules.dropout._DropoutNd, nn.Flatten))


def flop_count(
    model: nn.Module, inputs: Any, supported_ops: dict[str, Any] | None = None
) -> tuple[defaultdict[str, float], typing.Counter[str]]:
    """Gigaflops for each operator, and what is not supported."""
    analysis = FlopCountAnalysis(model, inputs).set_op_handle(**(supported_ops or {}))
    giga: defaultdict[str, float] = defaultdict(float)
    for name, flops in analysis.by_operator().items():
        giga[name] = flops / 1e9
    return giga, analysis.unsupported_ops()
