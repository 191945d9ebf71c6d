"""The names that a traced graph has for what the recorder calls by the name of a kernel."""

from __future__ import annotations

from ._operators import OperatorCount

# Operators that fvcore counts.
SUPPORTED = frozenset(
    f"aten::{name}"
    for name in (
        "addmm bmm _convolution einsum matmul mm linear batch_norm group_norm layer_norm instance_norm"
        " upsample_nearest2d upsample_bilinear2d adaptive_avg_pool2d grid_sampler"
    ).split()
)

# Operators that fvcore leaves out silently.
IGNORED = frozenset(
    f"aten::{name}"
    for name in (
        "Int ScalarImplicit __and__ arange bitwise_not cat chunk clamp clamp_ constant_pad_nd contiguous copy_"
        " detach dropout empty eq expand flatten floor floor_divide full full_like gather ge gt index index_put_"
        " masked_fill max narrow new_empty new_full new_zeros nonzero ones permute relu relu_ remainder reshape"
        " roll select size slice split split_with_sizes squeeze stack t to transpose type_as unbind unsqueeze"
        " unsqueeze_ view zeros zeros_like"
    ).split()
)

_TRACED = {
    "convolution": "_convolution",
    "native_batch_norm": "batch_norm",
    "_native_batch_norm_legit": "batch_norm",
    "_native_batch_norm_legit_no_training": "batch_norm",
    "cudnn_batch_norm": "batch_norm",
    "native_layer_norm": "layer_norm",
    "native_group_norm": "group_norm",
    "_adaptive_avg_pool2d": "adaptive_avg_pool2d",
    "_adaptive_avg_pool3d": "adaptive_avg_pool3d",
    "max_pool2d_with_indices": "max_pool2d",
    "max_pool3d_with_indices": "max_pool3d",
    "_softmax": "softmax",
    "_log_softmax": "log_softmax",
    "native_dropout": "dropout",
    "grid_sampler_2d": "grid_sampler",
    "_scaled_dot_product_flash_attention_for_cpu": "scaled_dot_product_attention",
    "_scaled_dot_product_flash_attention": "scaled_dot_product_attention",
    "_scaled_dot_product_efficient_attention": "scaled_dot_product_attention",
    "_scaled_dot_product_attention_math": "scaled_dot_product_attention",
    "_unsafe_view": "view",
    "_reshape_alias": "view",
    "_to_copy": "to",
    "alias": "detach",
    "lift_fresh": "detach",
    "clone": "contiguous",
}


# The operators that do the work of a function; what else the function calls only moves data.
_WORK = frozenset(("mm", "bmm", "addmm", "baddbmm", "dot", "mv", "addmv"))


def traced_name(call: OperatorCount) -> str | None:
    """`aten::batch_norm` for a call of `native_batch_norm`; None for a part of another call."""
    if call.function == "multi_head_attention_forward":
        # A function of Python: what it calls is traced, its projections as linear.
        name = "linear" if call.operator in ("mm", "addmm") else call.operator
        return "aten::" + _TRACED.get(name, name)
    if call.function is not None:
        return "aten::" + call.function if call.operator in _WORK else None
    return "aten::" + _TRACED.get(call.operator, call.operator)


def counted_name(traced: str) -> str:
    """The name in a Counter: `conv` for `aten::_convolution`."""
    name = traced.split("::")[-1]
    return "conv" if name == "_convolution" else name
