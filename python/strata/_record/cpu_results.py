"""What the CPU's kernels make, where torch's kernels for tensors without values make something else."""
from __future__ import annotations

from typing import Any

import torch

from .operators import BAGS, named_arguments

Tensor = torch.Tensor


def as_the_cpu(func: Any, args: Any, kwargs: Any, name: str, result: Any) -> Any:
    """The result of a meta kernel, laid out as the CPU's kernel lays it out."""
    if name == "native_batch_norm":
        # The CPU's kernel keeps no statistics unless it trains; torch's own meta kernel says it does.
        kept = result[1:] if args[5] else [one.new_empty(0) for one in result[1:]]
        result = (_laid_out(result[0], args[0]), *kept)
    if name in ("native_layer_norm", "native_group_norm"):
        # The CPU's kernels keep statistics in the type of the weights, or of the input if there are none.
        scale = args[2] if name == "native_layer_norm" else args[1]
        kept = (args[0] if scale is None else scale).dtype
        result = (result[0], *(one.new_empty(one.shape, dtype=kept) for one in result[1:]))
    if name == "col2im":  # whose result has the memory of the input
        result = args[0].new_empty(args[0].numel())[:result.numel()].view(result.shape)
    if name in BAGS:
        result = _bag_results(func, args, kwargs, result)
    if len(func._schema.arguments) > 1 and func._schema.arguments[-1].name == "output_mask":
        wanted = kwargs.get("output_mask", args[-1])  # CPU's kernels make what is wanted, meta ones may make all
        result = tuple(one if want else None for one, want in zip(result, wanted))
    return result


def _bag_results(func: Any, args: Any, kwargs: Any, result: Any) -> Any:
    """The results of an embedding bag as the CPU's kernel makes them; meta tensors have others behind the first."""
    given = {argument.name: value for argument, value in named_arguments(func, args, kwargs)}
    weight, scales, mode = given["weight"], given.get("per_sample_weights"), given.get("mode", 0)
    bags, ids = result[0].shape[0], result[1].new_empty
    direct = (weight.dtype in (torch.float32, torch.float16, torch.bfloat16) and weight.stride(1) == 1
              and given.get("padding_idx", -1) < 0 and (scales is None or scales.stride(0) == 1))
    rows = given["indices"].shape[0]
    # The bag of each row, in a list that had one more element.
    of_rows = ids(0) if mode == 0 and direct else ids(rows + 1)[:rows]
    # Sizes are made one for each offset, too, of which the last may be no bag.
    sizes = ids(given["offsets"].shape)
    if mode != 0 or not func._schema.name.endswith("only"):
        sizes = sizes[:bags]
    return result[0], of_rows, sizes, ids((bags, weight.shape[1]) if mode == 2 else sizes.shape)


def _laid_out(result: Tensor, x: Tensor) -> Tensor:
    """The result of a norm as the CPU's kernel lays it out: channels last if they are, else without gaps."""
    for dims, layout in ((4, torch.channels_last), (5, torch.channels_last_3d)):
        if x.dim() == dims and x.is_contiguous(memory_format=layout) and not x.is_contiguous():
            return result
    return result if result.is_contiguous() else result.new_empty(result.shape)
