"""A module, as it was called, as an ONNX file."""

from __future__ import annotations

import inspect
import warnings
from typing import Any, NamedTuple, Optional, Sequence

import torch

from .._errors import StrataError
from ._arguments import names_of
from ._flat import Call, copied, flatten, unflatten
from ._sessions import first_line
from ._watch import READS, what_files_lack


class Exported(NamedTuple):
    """A file, and how the calls of the module become its inputs and outputs."""

    path: str
    spec: Any  # of (args, kwargs)
    leaves: list[Any]  # tensors stand as None
    shapes: list[tuple[int, ...]]  # of the tensors; -1: any size
    dtypes: list[torch.dtype]
    out_spec: Any
    out_leaves: list[Any]  # tensors stand as None
    out_dtypes: list[torch.dtype]
    out_orders: list[Optional[tuple[int, ...]]]  # the axes as they lie in memory, outermost first; None: as usual
    bounds: list[Optional[tuple[int, int]]]  # of the whole numbers that choose rows of weights
    sizes: Optional[frozenset[tuple[int, ...]]] = None  # the only ones that the open axes may have; None: any
    wide: str = ""  # what an engine that computes with 32 bits would do otherwise
    reads: bool = False  # whether torch looks at values, and takes another way than the file by them
    names: tuple[str, ...] = ()  # of the arguments by position, which a call may also name


#: What torch.jit.trace says of Python code that turns a size into a number, whose value then stays in the file.
_KEEPS_SIZES = ("Converting a tensor to a Python", "Iterating over a tensor", "Using len to get tensor shape")


class _Flat(torch.nn.Module):
    """The module with tensors in and tensors out."""

    def __init__(self, module: torch.nn.Module, spec: Any, leaves: Sequence[Any]) -> None:
        super().__init__()
        self.module = module
        self._spec, self._leaves = spec, leaves

    def forward(self, *given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rest = iter(given)
        leaves = [next(rest) if each is None else each[0] for each in self._leaves]
        args, kwargs = unflatten(leaves, self._spec)
        out = self.module(*args, **kwargs)
        return tuple(each for each in flatten(out)[0] if isinstance(each, torch.Tensor))


def _boxed(leaves: Sequence[Any]) -> list[Any]:
    return [None if isinstance(each, torch.Tensor) else (each,) for each in leaves]


def _shapes(calls: Sequence[Call], batch: int | None) -> list[tuple[int, ...]]:
    """The sizes that all calls have in common. The first axis of what is made per box is always open."""
    first = [each for each in flatten((calls[0].args, calls[0].kwargs))[0] if isinstance(each, torch.Tensor)]
    shapes = [list(each.shape) for each in first]
    for call in calls[1:]:
        others = [each for each in flatten((call.args, call.kwargs))[0] if isinstance(each, torch.Tensor)]
        for shape, other in zip(shapes, others):
            if len(shape) != other.dim():
                raise StrataError("its inputs have different numbers of axes in different calls")
            for axis, size in enumerate(other.shape):
                if shape[axis] != size:
                    shape[axis] = -1
    per_box = batch is not None and bool(shapes) and shapes[0] and shapes[0][0] not in (batch, 1)
    if per_box:
        for shape, each in zip(shapes, first):
            if shape and each.shape[0] == first[0].shape[0]:
                shape[0] = -1
    return [tuple(shape) for shape in shapes]


def _order(tensor: torch.Tensor) -> Optional[tuple[int, ...]]:
    """The axes as they lie in memory, outermost first; None if that is their own order, or there are gaps."""
    if tensor.is_contiguous():
        return None
    order = tuple(sorted(range(tensor.dim()), key=lambda axis: -tensor.stride(axis)))
    return order if tensor.permute(order).is_contiguous() else None


def describe(
    module: torch.nn.Module, calls: Sequence[Call], path: str, batch: int | None = None, traced: bool = False
) -> Exported:
    """How the module is called. Raises StrataError with a sentence if a file could not answer its calls.

    With `traced`, it may look at values where it is not traced; `reads` says so, and _values.py compares the answers.
    """
    if not calls:
        raise StrataError("the examples call it with empty tensors only")
    leaves, spec = flatten((calls[0].args, calls[0].kwargs))
    for call in calls[1:]:
        if flatten((call.args, call.kwargs))[1] != spec:
            raise StrataError("it is called with different arguments in different calls")
    given = [each for each in leaves if isinstance(each, torch.Tensor)]
    if not given:
        raise StrataError("it is called without tensors")
    out_leaves, out_spec = flatten(calls[0].out)
    results = [each for each in out_leaves if isinstance(each, torch.Tensor)]
    if any(each is not None and not isinstance(each, torch.Tensor) for each in out_leaves):
        raise StrataError("it returns values that are not tensors, which may depend on its inputs")
    if not results:
        raise StrataError("it returns no tensors")
    if any(each.layout is not torch.strided or each.is_nested for each in [*given, *results]):
        raise StrataError("it takes or gives sparse or nested tensors, which an engine has not")
    if any(each.dtype is torch.bfloat16 for each in [*given, *results]):
        raise StrataError("it takes or gives bfloat16, which strata cannot hand over to an engine")
    lacking, seen = what_files_lack(module, calls[0], traced)
    if lacking:
        raise StrataError(lacking)
    return Exported(
        path, spec, _boxed(leaves), _shapes(calls, batch), [each.dtype for each in given], out_spec,
        _boxed(out_leaves), [each.dtype for each in results], [_order(each) for each in results], seen.bounds,
        wide=seen.wide, reads=seen.reads, names=names_of(module, *copied((calls[0].args, calls[0].kwargs))),
    )  # fmt: skip


def export(module: torch.nn.Module, calls: Sequence[Call], path: str, batch: int | None = None) -> Exported:
    """Writes the file. Raises StrataError with a sentence if torch cannot export it.

    If the file may keep sizes of this call where they should be open, `sizes` is empty: _sizes.py finds out those
    for which the file is right.
    """
    exported = describe(module, calls, path, batch, traced=True)
    leaves = flatten((calls[0].args, calls[0].kwargs))[0]
    inputs = [f"input{number}" for number in range(len(exported.shapes))]
    outputs = [f"output{number}" for number in range(len(exported.out_dtypes))]
    open_axes = {
        name: {axis: f"{name}_{axis}" for axis, size in enumerate(shape) if size < 0}
        for name, shape in zip(inputs, exported.shapes)
    }
    how: dict[str, Any] = {}
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        how["dynamo"] = False
    try:
        # With gradients on: without, attention takes a fused operator that ONNX does not have.
        with warnings.catch_warnings(record=True) as said, torch.enable_grad():
            warnings.simplefilter("always")
            torch.onnx.export(
                _Flat(module, exported.spec, exported.leaves).eval(),
                tuple(each.contiguous() for each in leaves if isinstance(each, torch.Tensor)),
                path,
                input_names=inputs,
                output_names=outputs,
                dynamic_axes={name: axes for name, axes in open_axes.items() if axes},
                opset_version=17,
                **how,
            )
    except Exception as error:
        raise StrataError(f"torch cannot export it: {first_line(error)}") from error
    if any("Python list" in str(each.message) or "NumPy array" in str(each.message) for each in said):
        raise StrataError(READS)
    if any(open_axes.values()) and any(str(each.message).startswith(_KEEPS_SIZES) for each in said):
        return exported._replace(sizes=frozenset())
    return exported
