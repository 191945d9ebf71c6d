"""`strata.optimize`: a module of torch that is surely faster, and gives the same answers.

The modules that cost most are exported and run by an engine of this Python. The engine's answers are
judged before its times, on calls that were not used to choose; where the engine was not prepared for a
call, torch answers it.
"""

from __future__ import annotations

import math
import os
from typing import Any, Callable, Mapping, Optional, Sequence

import torch

from .._errors import StrataError
from . import _saved
from ._flat import Example, copied
from ._handle import Handle
from ._judge import is_detection, matched_boxes, sqnr
from ._receipt import Receipt
from ._record import call
from ._search import Search
from ._sessions import installed
from ._units import FP32_QUALITY

PRECISIONS = ("fp32", "bf16", "int8")


def _example_list(examples: Any) -> list[Example]:
    if isinstance(examples, torch.Tensor):
        return [Example((examples,), {})]
    if isinstance(examples, tuple):
        return [Example(examples, {})]
    if isinstance(examples, Mapping):  # also what a tokenizer gives
        return [Example((), dict(examples))]
    if isinstance(examples, list) and examples and all(isinstance(each, (tuple, Mapping)) for each in examples):
        return [each for example in examples for each in _example_list(example)]
    raise StrataError("examples are a tensor, a tuple with the arguments of a call, a dictionary of arguments by name, or a "
                      "list of such tuples or dictionaries", 2)  # fmt: skip


def _varied(example: Example) -> Example:
    """Another call of the same kind: numbers with noise, whole numbers in another order."""
    from ._flat import flatten, unflatten

    leaves, spec = flatten(example)
    random = torch.Generator().manual_seed(0)
    for place, each in enumerate(leaves):
        if not isinstance(each, torch.Tensor) or each.numel() < 2:
            continue
        if each.is_floating_point():
            noise = torch.randn(each.shape, generator=random).to(each.dtype)
            leaves[place] = each + 0.1 * each.float().std().to(each.dtype) * noise
        else:
            leaves[place] = each.roll(1, -1)
    return unflatten(leaves, spec)  # type: ignore[no-any-return]


def optimize(
    model: torch.nn.Module, examples: Any, *, engines: Optional[Sequence[str]] = None,
    precisions: Sequence[str] = ("fp32",), threads: Optional[int] = None, check: Any = None,
    judge: Optional[Callable[[Any, Any], float]] = None, min_quality: Optional[float] = None, max_time: float = 300.0,
) -> torch.nn.Module:  # fmt: skip
    """Makes a module surely faster on this machine, or leaves it as it is and says why.

    `examples` are calls: a tensor, a tuple of arguments, a dictionary of arguments by name, or a list of
    these. Sizes that differ between them stay open. Answers are judged on `check`, which is in the same form; by default on the
    last example, or, if there is only one, on one with noise. The module itself is changed and given
    back: `module.strata.receipt` says what was done, and `module.strata.restore()` undoes it. Call it
    under torch.no_grad(), or torch answers.

    Only fp32 is tried unless `precisions` names "bf16" or "int8", too; those need a `min_quality`, in
    the unit of `judge(want, got)`: dB of signal to noise, or, for detectors, the share of matched boxes.

    >>> module = optimize(module, images)  # doctest: +SKIP
    >>> print(module.strata.receipt)  # doctest: +SKIP
    """
    if not isinstance(model, torch.nn.Module):
        raise StrataError(f"optimize takes a module of torch, not a {type(model).__name__}; for files: strata optimize FILE", 2)
    if isinstance(model, torch.jit.ScriptModule):
        raise StrataError("a TorchScript module cannot be taken apart; optimize the module that it was made of, or compare its "
                          "forms: strata bench FILE.pt --engine torch:mode=eager,torch:mode=frozen,torch:mode=optimized", 2)  # fmt: skip
    if model.training:
        raise StrataError("the model is in training mode; call model.eval() first", 2)
    if any(each.device.type != "cpu" for each in model.parameters()):
        raise StrataError("the model is not on the CPU; only that is optimized so far", 2)
    if isinstance(model.__dict__.get("strata"), Handle):
        model.strata.restore()  # type: ignore[operator]
    for each in precisions:
        if each not in PRECISIONS:
            raise StrataError(f'there is no precision "{each}"; there are {", ".join(PRECISIONS)}', 2)
    if set(precisions) != {"fp32"} and min_quality is None:
        raise StrataError(f"{' and '.join(p for p in precisions if p != 'fp32')} change answers; "
                          "say how good they must be: min_quality=30 (dB)", 2)  # fmt: skip
    calls = _example_list(examples)
    if check is not None:
        held_out = _example_list(check)
    elif len(calls) > 1:
        held_out = calls[-1:]
        calls = calls[:-1] if len(calls) > 2 else calls
    else:
        held_out = [_varied(calls[0])]
    names = list(engines) if engines is not None else installed()
    threads = threads or torch.get_num_threads()
    detects = judge is None and is_detection(call(model, copied(held_out[0])))
    judge = judge or (matched_boxes if detects else sqnr)
    if min_quality is None:
        min_quality = 1.0 if detects else FP32_QUALITY if judge is sqnr else -math.inf
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    search = Search(model, calls, held_out, names, precisions, threads, judge, min_quality, max_time)
    search.receipt.quality_unit = "dB" if judge is sqnr else "of the boxes matched" if detects else ""
    try:
        if not names:
            search.receipt.why_not = "neither onnxruntime nor openvino is installed in this Python; try pip install onnxruntime openvino"
            model.__dict__["strata"] = search.handle
        else:
            search.run()
    except BaseException:
        search.handle.restore()
        raise
    finally:
        torch.set_num_threads(before)
    if search.handle.replaced():
        search.receipt.notes.append("Call it under torch.no_grad() or torch.inference_mode(): where gradients are on, torch answers.")
    search.receipt.notes.append(
        f"Measured in {search.receipt.clock} at {threads} thread{'s' if threads > 1 else ''}. Weights are in memory twice: in torch and in the engine."
    )
    return model


def load_optimized(folder: str | os.PathLike[str], module: Optional[torch.nn.Module] = None) -> torch.nn.Module:
    """Load what `module.strata.save(folder)` wrote.

    Without `module`, only the engine runs it; with it, torch answers the rest.

    >>> module.strata.save("fast")  # doctest: +SKIP
    >>> module = load_optimized("fast")  # doctest: +SKIP
    """
    model, units, receipt = _saved.load(os.fspath(folder), module)
    handle = Handle(model, Receipt(notes=[f"Loaded from {os.fspath(folder)}."]))
    handle.saved = receipt  # type: ignore[attr-defined]
    for name, unit in units.items():
        handle._place(name, unit)
    model.__dict__["strata"] = handle
    return model
