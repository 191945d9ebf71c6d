"""Finds out which modules of a model an engine runs faster, with the same answers."""

from __future__ import annotations

import copy
import math
import os
import tempfile
import time
from typing import Any, Callable, Optional, Sequence

import torch

from .._errors import StrataError
from ._export import Exported, describe, export
from ._flat import Call, Example, converted, copied, tensors
from ._forward import CompiledForward, EngineForward, changes_can_be_seen, has_hooks_inside
from ._handle import Handle
from ._judge import matched_boxes, sqnr
from ._measure import by_turns
from ._receipt import Receipt, Tried
from ._record import call, judged_call, record_calls, time_modules
from ._sessions import Compiled, Session, Unavailable, first_line, open_session
from ._sizes import right_sizes
from ._units import FP32_QUALITY, Unit, Way, roi_aligns
from ._values import is_right_for_others
from ._watch import READS

#: Modules that take less of the time than this are not tried: handing tensors over costs, too.
LEAST_SHARE = 0.05
#: int8 with the layers in fp32 that suffer most, and the fewest calls with which to choose them.
MIXED, FEWEST_TO_CHOOSE = "int8+fp32", 4


class Search:
    def __init__(self, model: torch.nn.Module, examples: list[Example], check: list[Example],
                 engines: Sequence[str], precisions: Sequence[str], threads: int,
                 judge: Callable[[Any, Any], float], min_quality: float, seconds: float) -> None:  # fmt: skip
        self.model, self.examples, self.check = model, examples, check
        self.engines, self.precisions, self.threads = engines, precisions, threads
        self.judge, self.min_quality = judge, min_quality
        self.end = time.monotonic() + seconds
        self.seconds = seconds
        self.receipt = Receipt(clock="processor time" if threads == 1 else "wall time")
        self.handle = Handle(model, self.receipt)
        self.folder = tempfile.TemporaryDirectory(prefix="strata-")
        self.handle._folder = self.folder
        self.files = 0
        self.seconds_of: dict[str, float] = {}  # of each module, and of those inside of it
        self.shares: dict[str, float] = {}

    def left(self) -> float:
        return self.end - time.monotonic()

    def say(self, name: str, share: float, why: str) -> None:
        self.receipt.tried.append(Tried(name, share, "–", "–", why_not=why))

    def inside(self, name: str) -> list[str]:
        """The modules in this one that take time, if there is time to try them."""
        children = self.model.get_submodule(name).named_children() if self.left() > 0 else ()
        names = [f"{name}.{child}" if name else child for child, module in children if any(True for _ in module.parameters())]
        return [each for each in names if self.shares.get(each, 1.0) >= LEAST_SHARE]

    def units(self, level: list[str]) -> list[Unit]:
        """Those of these modules that can be exported, and of the others the largest modules inside that can."""
        found: list[Unit] = []
        while level:
            # The modules of a level are recorded in one run.
            tried, inner = [name for name in level if not self.why_not(name)], []
            modules = [self.model.get_submodule(name) for name in tried]
            recorded = dict(zip(tried, record_calls(self.model, modules, self.examples) if tried else []))
            for name in level:
                why = self.why_not(name)
                if not why:
                    try:
                        found.append(self.unit(name, recorded[name]))
                        continue
                    except StrataError as error:
                        why = str(error)
                if name in self.shares:
                    self.say(name, self.shares[name], why)
                inner += self.inside(name)
            level = inner
        # If the time is not enough for all, those that cost most are tried.
        return sorted(found, key=lambda unit: -unit.share)

    def unit(self, name: str, calls: list[Call]) -> Unit:
        self.files += 1
        path = os.path.join(self.folder.name, f"{self.files}.onnx")
        make = describe if self.engines == ["compile"] else export
        batch = next((each.shape[0] for each in tensors(self.examples[0]) if each.dim() > 0), None)
        exported = make(self.model.get_submodule(name), calls, path, batch)
        return Unit(name, self.shares[name], self.seconds_of[name], exported, calls)

    def why_not(self, name: str) -> str:
        """The reason that a module is not even exported; empty if there is none."""
        module = self.model.get_submodule(name)
        if name not in self.shares:
            return "a container"
        if not any(True for _ in module.parameters()):
            return "it has no weights"
        if "forward" in module.__dict__:
            return "its forward was replaced by another, which is not that of its class"
        if has_hooks_inside(module):
            return "a module inside has hooks, which an engine would not call"
        if not changes_can_be_seen(module):
            return "its weights were made in inference mode, where changes to them cannot be seen"
        return ""

    def file_for(self, unit: Unit, precision: str) -> str:
        """The file to run. int8 is calibrated on what the module was called with."""
        if "int8" not in precision:
            return unit.exported.path
        import numpy

        from .._jobs import quantize

        path = unit.exported.path.replace(".onnx", f".{precision}.onnx")
        if os.path.exists(path):
            return path
        folder = path + ".data"
        os.makedirs(folder, exist_ok=True)
        for number, each in enumerate(unit.calls):
            arrays = {f"input{i}": tensor.contiguous().numpy() for i, tensor in enumerate(tensors((each.args, each.kwargs)))}
            numpy.savez(os.path.join(folder, f"{number}.npz"), **arrays)
        engine = next((each for each in self.engines if each != "compile"), "onnxruntime")
        # Times are taken here, by turns with torch; the samples are few, and only the module is judged.
        how: dict[str, Any] = {}
        if precision == MIXED:  # one half of the calls gives the ranges, and the other judges
            how = {"keep_float": "auto", "min_sqnr": self.min_quality, "samples": len(unit.calls) // 2, "held_out": -(-len(unit.calls) // 2)}
        quantize(unit.exported.path, path, data=folder, engine=engine, no_time=True, **how)
        return path

    def is_mixed(self, unit: Unit, engine: str) -> bool:
        """Whether int8 is too rough for the whole model, so that some of its layers have to stay in fp32."""
        if unit.name or self.judge is not sqnr or len(unit.calls) < FEWEST_TO_CHOOSE or self.left() < 0.3 * self.seconds:
            return False
        return any(
            each.module == "" and (each.engine, each.precision) == (engine, "int8") and each.quality is not None
            and each.quality < self.min_quality for each in self.receipt.tried
        )  # fmt: skip

    def way(self, unit: Unit, plain: torch.nn.Module, engine: str, precision: str) -> tuple[EngineForward, Exported]:
        """The module's forward in this engine and precision."""
        if engine == "compile":
            if precision != "fp32":
                raise StrataError("torch.compile runs what torch runs: in fp32")
            # torch.compile makes other code for other sizes.
            exported = unit.exported._replace(sizes=None)
            return CompiledForward(plain, exported, Compiled(plain)), exported
        path = self.file_for(unit, precision)
        # Q/DQ files run in int8 where they say so, and in fp32 elsewhere.
        session = open_session(engine, path, "fp32" if "int8" in precision else precision, self.threads)
        if session.has_32_bits and unit.exported.wide:
            raise StrataError(f"{engine} {unit.exported.wide}")
        exported = unit.exported._replace(path=path)
        return EngineForward(plain, exported, session), exported

    def any_session(self, path: str) -> Session:
        """The file in the first engine that opens it."""
        failure = StrataError("no engine runs files")
        for engine in self.engines:
            try:
                if engine != "compile":
                    return open_session(engine, path, "fp32", self.threads)
            except StrataError as error:
                failure = error
        raise failure

    def check_file(self, unit: Unit, calls: list[Call]) -> None:
        """Finds out for which sizes the file is right, if some are open; and if it is for other values, if torch looks at them."""
        is_open = any(size < 0 for shape in unit.exported.shapes for size in shape)
        if not (is_open or unit.exported.reads) or not os.path.exists(unit.exported.path):
            return
        plain = self.model.get_submodule(unit.name)
        session = self.any_session(unit.exported.path)
        forward = EngineForward(plain, unit.exported._replace(sizes=None), session)

        def agrees(want: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
            forward.fallbacks.clear()
            return sqnr(want, forward(*args, **kwargs)) >= FP32_QUALITY and not forward.fallbacks

        if unit.exported.reads:
            with torch.no_grad():
                right = is_right_for_others(calls, plain.forward, agrees)
            if not right:
                raise StrataError(READS)
            self.receipt.notes.append(
                f"{unit.name or 'The model'} looks at values to leave work out in torch, such as a mask of ones; the exported "
                "file always does this work, and answered the same for other values."
            )
        if not is_open:
            return
        with torch.no_grad():
            sizes = right_sizes(unit.exported, calls, plain.forward, agrees)
        if sizes == frozenset():
            raise StrataError("an exported file keeps sizes that should be open, and answers wrongly")
        if sizes is not None:
            self.receipt.notes.append(
                f"{unit.name or 'The model'} runs on an engine for the sizes of the examples alone: "
                "an exported file keeps some of them, so torch answers for others."
            )
        unit.exported = unit.exported._replace(sizes=sizes)

    def try_ways(self, unit: Unit, held_out: list[Call]) -> bool:
        """Finds the ways to run it that are faster. False if engines that are here do not give its answers; they may give
        those of the modules inside."""
        plain = self.model.get_submodule(unit.name)
        try:
            self.check_file(unit, [*unit.calls, *held_out])
        except StrataError as error:
            self.say(unit.name, unit.share, str(error))
            return False
        refused = False
        ready: list[Way] = []
        for precision in [*self.precisions, MIXED]:
            for engine in self.engines:
                if precision == MIXED and not self.is_mixed(unit, engine):
                    continue
                tried = Tried(unit.name, unit.share, engine, precision)
                self.receipt.tried.append(tried)
                if self.left() <= 0:
                    tried.why_not = "the time was over"
                    continue
                try:
                    forward, exported = self.way(unit, plain, engine, precision)
                    with torch.no_grad():
                        tried.quality = min(sqnr(each.out, forward(*copied(each.args), **copied(each.kwargs))) for each in held_out)
                    if forward.fallbacks:
                        tried.why_not = f"it does not take calls with {', '.join(forward.fallbacks)} unlike the examples'"
                    elif precision == "fp32" and tried.quality < FP32_QUALITY:
                        tried.why_not = f"its answers differ: {tried.quality:.0f} dB"
                    else:
                        how = {"engine": engine, "precision": "fp32" if "int8" in precision else precision, "threads": self.threads}
                        ready.append((tried, forward, exported, how))
                except Unavailable as error:
                    tried.why_not = str(error)
                    continue
                except StrataError as error:
                    tried.why_not = str(error)
                except Exception as error:
                    tried.why_not = f"it failed: {first_line(error)}"
                refused = refused or bool(tried.why_not)
        if not ready:
            return not refused
        self.time_ways(unit, plain, ready, held_out[0])
        return True

    def time_ways(self, unit: Unit, plain: torch.nn.Module, ready: list[Way], one: Call) -> None:
        """Keeps those that are faster."""

        def runner(function: Callable[..., Any]) -> Callable[[], Any]:
            def run() -> Any:
                with torch.no_grad():
                    return function(*one.args, **one.kwargs)

            return run

        # A slow module has three turns: the whole model is measured again, and that has to be sure.
        limit = max(0.5, 0.1 * self.seconds * unit.share)
        fewest = 3 if 6 * unit.seconds * (len(ready) + 1) > limit else 6
        speedups = by_turns(runner(plain.forward), [runner(forward) for _, forward, _, _ in ready], self.threads,
                            limit, fewest, most=20)  # fmt: skip
        for (tried, *_), speedup in zip(ready, speedups):
            tried.speedup = speedup
            tried.why_not = "another way is faster" if speedup.is_likely else "it is not surely faster"
        unit.ways = sorted((each for each in ready if each[0].speedup and each[0].speedup.is_likely),
                           key=lambda each: -each[0].speedup.median)  # type: ignore[union-attr]  # fmt: skip

    def place(self, unit: Unit) -> None:
        tried, forward, exported, how = unit.ways[0]
        forward.fallbacks.clear()
        tried.why_not = ""
        self.handle._place(unit.name, (forward, exported, how))

    def quality(self, want: list[Any]) -> float:
        worst = math.inf
        for a, example in zip(want, self.check):
            try:
                got = judged_call(self.model, example)
            except Exception:  # what follows does not take what the engine gave
                return -math.inf
            worst = min(worst, self.judge(a, got))
        return worst

    def run(self) -> None:
        self.model.__dict__["strata"] = self.handle
        want = [copied(judged_call(self.model, example)) for example in self.check]
        self.seconds_of = time_modules(self.model, self.examples)
        whole = max(self.seconds_of.get("", 0.0), 1e-9)
        self.shares = {name: spent / whole for name, spent in self.seconds_of.items()}
        units: list[Unit] = []
        level = [""]
        while level:
            found, level = self.units(level), []
            held_out = record_calls(self.model, [self.model.get_submodule(unit.name) for unit in found], self.check)
            for unit, calls in zip(found, held_out):
                # If it is not called there, as a head that is given no box, it is judged on a call that was seen.
                level += [] if self.try_ways(unit, calls or unit.calls[-1:]) else self.inside(unit.name)
            units += found
        units += roi_aligns(self, units)
        if not units:
            self.receipt.why_not = "no module that takes time could be exported"
            return
        units = [unit for unit in units if unit.ways]
        if not units:
            self.receipt.why_not = "no way to run its modules is surely faster than torch, with the same answers"
            return
        for unit in units:
            self.place(unit)
        # Ways that are too rough are given up one after the other, the roughest first.
        self.receipt.quality = self.quality(want)
        while units and not self.receipt.quality >= self.min_quality:
            roughest = min(units, key=lambda unit: unit.ways[0][0].quality or -math.inf)
            reached = self.receipt.quality_text(self.receipt.quality)
            roughest.ways.pop(0)[0].why_not = f"the whole model's answers are too rough with it: {reached}"
            self.handle._take_away(roughest.name)
            if roughest.ways:
                self.place(roughest)
            else:
                units.remove(roughest)
            self.receipt.quality = self.quality(want)
        if not units:
            self.receipt.why_not = "no faster way has answers that are good enough"
            self.note_rounding(want)
            return
        self.compare(want)

    def note_rounding(self, want: list[Any]) -> None:
        """Says how many of a detector's boxes rounding alone decides: where scores are as good as equal, nothing keeps all."""
        if self.judge is not matched_boxes or self.left() <= 0:
            return
        try:
            exact = copy.deepcopy(self.model).double()
            answers = [converted(judged_call(exact, converted(each, torch.float64)), torch.float32) for each in self.check]
        except Exception:  # not every model computes in float64
            return
        share = min(map(self.judge, answers, want))
        if share < 1:
            self.receipt.notes.append(
                f"Of torch's own boxes, {share:.4g} match those that it finds in float64: rounding decides between scores that "
                "are nearly equal. To accept as much from an engine, give min_quality."
            )

    def compare(self, want: list[Any]) -> None:
        """The whole model, by turns with itself."""
        units = dict(self.handle._units)

        def with_torch() -> None:
            for name in units:
                self.model.get_submodule(name).__dict__.pop("forward", None)
            call(self.model, self.check[0])

        def with_engines() -> None:
            for name, unit in units.items():
                self.handle._place(name, unit)
            call(self.model, self.check[0])

        try:
            self.receipt.speedup = by_turns(with_torch, [with_engines], self.threads, max(1.0, min(self.left(), 0.3 * self.seconds)))[0]
        finally:
            for name, unit in units.items():
                self.handle._place(name, unit)
        for forward, _, _ in units.values():
            forward.calls = 0
            forward.fallbacks.clear()
        if not self.receipt.speedup.is_sure:
            self.receipt.why_not = f"the whole model is not surely faster: {self.receipt.speedup}"
            for each in self.receipt.tried:
                each.why_not = each.why_not or "the whole model is not surely faster with it"
            self.handle.restore()
