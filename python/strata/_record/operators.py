"""ATen operators as the dispatcher shows them: their arguments, what they write to, and their text."""
from __future__ import annotations

from typing import Any, List, Optional, Tuple

import torch

from .tape import quoted

Tensor = torch.Tensor

# Their schemas say that the result is new, and it is not.
VIEWS_IN_SECRET = {"aten._unsafe_view.default", "aten._reshape_alias.default", "aten.unsafe_split.Tensor",
                   "aten.unsafe_split_with_sizes.default", "aten.unsafe_chunk.default"}
# They write to their running statistics, and their schemas do not say so.
STATISTICS = {"native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm", "_native_batch_norm_legit",
              "batch_norm_gather_stats", "batch_norm_gather_stats_with_counts", "native_instance_norm"}
# In-place operators that may change the shape, so that the kernel has to run every time.
RESHAPING = {"resize_", "resize_as_", "t_", "transpose_", "squeeze_", "unsqueeze_", "set_", "as_strided_",
             "swapaxes_", "swapdims_", "detach_"}
# Operators that make small tensors of known values. They get values even where meta tensors are asked for,
# because models look at masks and positions.
KNOWN = {"arange", "zeros", "ones", "full", "scalar_tensor", "eye", "linspace"}
SMALL = 65_536
# Their second argument is numbers of rows.
BAGS = {"_embedding_bag", "_embedding_bag_forward_only"}
LOOKUPS = {"embedding", *BAGS}
# They want even a tensor of one value on the device of the others.
ONE_DEVICE = {"masked_fill", "masked_fill_"}


def own_dispatch(kind: type) -> bool:
    """True if a subclass of Tensor handles operators itself; its own calls are then recorded."""
    ours = getattr(Tensor, "__torch_dispatch__", None)
    theirs = getattr(kind, "__torch_dispatch__", None)
    return (theirs is not None and getattr(theirs, "__func__", theirs) is not getattr(ours, "__func__", ours)
            and theirs is not torch._C._disabled_torch_dispatch_impl and kind.__name__ != "FakeTensor")


def bytes_of(tensor: Tensor) -> Any:
    return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()


def held_beyond(tensor: Tensor) -> int:
    """The bytes of a tensor's storage, if that has gaps or was made larger than the tensor; else 0."""
    try:
        held = int(bytes_of(tensor).nbytes())
    except (RuntimeError, NotImplementedError):
        return 0
    return held if held > tensor.numel() * tensor.element_size() else 0


def offset_of(tensor: Tensor) -> int:
    try:
        return int(tensor.storage_offset())
    except (RuntimeError, NotImplementedError):
        return 0


def flattened(value: Any) -> List[Any]:
    if isinstance(value, (list, tuple)):
        return [one for part in value for one in flattened(part)]
    return [value]


def named_arguments(func: Any, args: Any, kwargs: Any) -> List[Tuple[Any, Any]]:
    """Each argument of the schema that is given, with its value."""
    arguments = func._schema.arguments
    pairs = list(zip(arguments, args))
    return pairs + [(one, kwargs[one.name]) for one in arguments[len(args):] if one.name in kwargs]


def as_given(result: Any, changed: Any, given: Any) -> Any:
    """The result with the caller's own tensors in the place of those that stood for them."""
    stood = {id(one): other for one, other in zip(flattened([*changed[0], *changed[1].values()]),
                                                  flattened([*given[0], *given[1].values()])) if one is not other}
    if isinstance(result, (list, tuple)):
        return type(result)(stood.get(id(one), one) for one in result)
    return stood.get(id(result), result)


def convolution_gradients(grad: Tensor, x: Tensor, weight: Tensor, bias_sizes: Any, *rest: Any) -> Any:
    """The results of convolution_backward, for torch 1.13, whose meta tensors have no kernel for it."""
    wanted = rest[-1]
    return (torch.empty_like(x) if wanted[0] else None, torch.empty_like(weight) if wanted[1] else None,
            x.new_empty(bias_sizes) if wanted[2] else None)


def grouped_products(x: Tensor, weights: Tensor, offsets: Optional[Tensor] = None, bias: Any = None,
                     out_dtype: Any = None) -> Tensor:
    """The result of _grouped_mm, since torch's meta tensors have a kernel for bfloat16 only. Rows begin at 16 bytes."""
    sizes = [x.shape[-2], weights.shape[-1]]
    if x.dim() == weights.dim():
        sizes.insert(0, x.shape[0] if x.dim() == 3 else offsets.shape[0] if offsets is not None else 1)
    dtype = out_dtype or x.dtype
    step = 16 // torch.empty(0, dtype=dtype).element_size()
    row = (sizes[-1] + step - 1) // step * step
    steps = [sizes[1] * row, row, 1][-len(sizes):]
    return torch.empty_strided(sizes, steps, dtype=dtype, device="meta")


def is_small(name: str, args: Any) -> bool:
    """True if the values of a call's result can be kept: those it makes, or those it would lose on the way."""
    if name == "_to_copy":
        return args[0].numel() <= SMALL
    if name in ("zeros", "ones", "full"):
        elements = 1
        for size in args[0]:
            elements *= size
        return elements <= SMALL
    return name in KNOWN and all(not isinstance(value, (int, float)) or abs(value) <= SMALL for value in args)


def unpacked(value: Any) -> List[Tensor]:
    """The weight inside a quantized layer's packed parameters, and the bias if it has one."""
    if not isinstance(value, torch.ScriptObject):
        return []
    for name in ("linear_unpack", "conv2d_unpack", "conv1d_unpack", "conv3d_unpack"):
        try:
            return [one for one in getattr(torch.ops.quantized, name)(value)[:2] if isinstance(one, Tensor)]
        except (RuntimeError, AttributeError, TypeError, IndexError):
            continue  # packed by another operator
    return []


_DENSE = {torch.strided, getattr(torch, "_mkldnn", torch.strided)}


def is_sparse(value: Any) -> bool:
    return isinstance(value, Tensor) and value.layout not in _DENSE


def stored_elements(func: Any, args: Any, kwargs: Any, result: Any) -> str:
    """How many elements of each tensor argument are stored, and then of a sparse result: -1 for a dense one; as
    JSON. Empty if no argument is sparse."""
    given = [one for _, value in named_arguments(func, args, kwargs) for one in flattened([value])]
    tensors = [one for one in given if isinstance(one, Tensor)]
    if not any(is_sparse(one) for one in tensors):
        return ""
    if is_sparse(result):
        tensors.append(result)
    counts = [(one._values() if one.layout is torch.sparse_coo else one.values()).numel() if is_sparse(one) else -1
              for one in tensors]
    return f'"nnz":[{",".join(map(str, counts))}]'


def call_text(func: Any, args: Any, kwargs: Any, beside: str = "") -> str:
    """The pattern of a call, with %d for every tensor; none for an operator that makes nothing. `beside` are further
    named arguments, as JSON."""
    if func._schema.name == "aten::empty" and args == ([0],):
        return ""

    def write(value: Any) -> str:
        kind = type(value)
        if isinstance(value, Tensor):
            return '{"t":%d}'
        if unpacked(value):
            return f"[{','.join(write(one) for one in unpacked(value))}]"
        if value is None:
            return "null"
        if kind is bool:
            return "true" if value else "false"
        if kind is int:
            return str(value)
        if kind is float:
            return repr(value) if value - value == 0 else f'{{"o":"{value}"}}'
        if kind is list or kind is tuple:
            return f"[{','.join(write(one) for one in value)}]"
        if kind is str:
            return f'{{"s":{quoted(value)}}}'.replace("%", "%%")
        if kind is torch.dtype:
            return f'{{"d":"{str(value)[6:]}"}}'
        return f'{{"o":{quoted(str(value))}}}'.replace("%", "%%")

    parts = [f"{quoted(name)}:{write(value)}" for name, value in kwargs.items()]
    named = ",".join([*parts, beside] if beside else parts)
    keywords = f",{{{named}}}" if named else ""
    return f'["{func}",[{",".join(write(value) for value in args)}]{keywords}]'
