"""Attention without values: the CPU's fused kernel where a real run would take it.

On meta tensors torch takes scaled_dot_product_attention apart into matrix products, and a training step
would seem to keep the whole attention matrix. A real run on the CPU calls one fused operator.
"""
from __future__ import annotations

from typing import Any, Optional

import torch
from torch.nn import functional

from .shortcuts import new_unseen
from .tape import Tape, meta_kind

_FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16)


class Attention:
    """Replaces torch.nn.functional.scaled_dot_product_attention in one thread. Use as a context."""

    def __init__(self, tape: Tape):
        self.tape = tape
        self.original: Any = getattr(functional, "scaled_dot_product_attention", None)
        try:
            self.fused: Any = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default
        except AttributeError:  # older than torch 2.2
            self.original = None

    def __enter__(self) -> "Attention":
        if self.original is not None:
            functional.scaled_dot_product_attention = self._call
        return self

    def __exit__(self, *_: Any) -> None:
        if self.original is not None:
            functional.scaled_dot_product_attention = self.original

    def _call(self, query: Any, key: Any, value: Any, attn_mask: Optional[Any] = None, dropout_p: float = 0.0,
              is_causal: bool = False, scale: Optional[float] = None, enable_gqa: bool = False) -> Any:
        if any(isinstance(one, torch.Tensor) and one.is_meta for one in (query, key, value)):
            query, key, value, attn_mask = map(self._emptied, (query, key, value, attn_mask))
        tensors = (query, key, value)
        if (_fits(tensors, attn_mask, dropout_p, is_causal, enable_gqa)
                and not torch.overrides.has_torch_function(tensors)):
            if attn_mask is not None and attn_mask.dtype is torch.bool:  # as torch does before it calls the kernel
                attn_mask = torch.where(attn_mask, torch.scalar_tensor(0.0, dtype=query.dtype),
                                        torch.scalar_tensor(float("-inf"), dtype=query.dtype))
            return self.fused(query, key, value, dropout_p, is_causal, attn_mask=attn_mask, scale=scale)[0]
        return self.original(query, key, value, attn_mask, dropout_p, is_causal, scale=scale,
                             **({"enable_gqa": True} if enable_gqa else {}))

    def _emptied(self, tensor: Any) -> Any:
        """The same tensor without values; the kernel wants all of them on one device."""
        if type(tensor) is not torch.Tensor or tensor.is_meta or tensor.requires_grad:
            return tensor
        number, kind, storage, _ = self.tape.tag(tensor)
        empty = new_unseen(meta_kind(kind))
        empty._strata = (number, meta_kind(kind), storage, self.tape.mark)  # type: ignore[attr-defined]
        return empty


def _fits(tensors: Any, mask: Any, dropout: float, causal: bool, grouped: bool) -> bool:
    """True if the CPU's fused kernel takes these tensors, by the rules of torch's sdp_utils."""
    query, key, value = tensors
    if any(not one.is_meta or one.dim() != 4 or 0 in one.shape or one.stride(-1) != 1 for one in tensors):
        return False
    if query.dtype not in _FLOATS or key.dtype is not query.dtype or value.dtype is not query.dtype:
        return False
    if dropout != 0.0 or query.shape[-1] != key.shape[-1] or key.shape[-1] != value.shape[-1]:
        return False
    if query.shape[0] != key.shape[0] or key.shape[:3] != value.shape[:3]:
        return False
    if query.shape[1] % key.shape[1] if grouped else query.shape[1] != key.shape[1]:
        return False
    if mask is None:
        return True
    if causal or mask.requires_grad or mask.dtype not in (query.dtype, torch.float32, torch.bool) or not mask.is_meta:
        return False
    wanted = (*query.shape[:2], query.shape[2], key.shape[2])
    return mask.dim() in (2, 4) and all(size in (1, want) for size, want in zip(mask.shape, wanted[-mask.dim():]))
