"""The layers of torchinfo's summary: one for each call of a module, in the order of the calls."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn

from ._modules import ModuleCall, Shape

Sizes = list[int]


class LayerInfo:
    """A module, or one call of it: sizes, parameters and mult-adds."""

    def __init__(self, var_name: str, module: nn.Module, depth: int, parent_info: LayerInfo | None) -> None:
        self.var_name, self.module, self.depth, self.parent_info = var_name, module, depth, parent_info
        self.layer_id = id(module)
        script = isinstance(module, torch.jit.ScriptModule)
        self.class_name = str(module.original_name) if script else type(module).__name__
        self.depth_index: int | None = None
        self.children: list[LayerInfo] = []
        self.inner_layers: dict[str, dict[str, str]] = {}
        self.executed = False
        self.is_leaf_layer = next(module.children(), None) is None
        self.is_recursive = False
        self.contains_lazy_param = False
        self.input_size: Sizes = []
        self.output_size: Sizes = []
        self.kernel_size = _kernel_size(module)
        self.num_params = self.trainable_params = self.param_bytes = 0
        self.output_bytes = 0
        self.macs = 0

    def __repr__(self) -> str:
        return f"{self.class_name}: {self.depth}"

    @property
    def trainable(self) -> str:
        """True, False, Partial, or -- where there are no parameters."""
        if self.num_params == 0:
            return "--"
        if self.trainable_params == 0:
            return "False"
        return "True" if self.trainable_params == self.num_params else "Partial"

    def calculate_num_params(self) -> None:
        """Counts the parameters of the module and its children; of pruned ones, those that are left."""
        self.num_params = self.trainable_params = self.param_bytes = 0
        self.inner_layers = {}
        for name, param in self.module.named_parameters():
            if isinstance(param, nn.parameter.UninitializedParameter):
                self.contains_lazy_param = True
                continue
            elements, shown = _kept_elements(self.module, name, param)
            self.num_params += elements
            self.param_bytes += elements * param.element_size()
            self.trainable_params += elements if param.requires_grad else 0
            sizes = list(param.size())
            if shown == "weight" and len(sizes) > 1:
                sizes[:2] = sizes[1], sizes[0]
            if self.parent_info is not None or "." not in shown:
                self.inner_layers[shown] = {"kernel_size": str(sizes), "num_params": f"├─{elements:,}"}
        if self.inner_layers:
            last = self.inner_layers[next(reversed(self.inner_layers))]
            last["num_params"] = "└─" + last["num_params"][2:]

    def finish(self, call: ModuleCall, macs: int, batch_dim: int | None) -> None:
        """Takes over what a call gave and what the core counted for it."""
        if self.contains_lazy_param:
            self.calculate_num_params()
        self.input_size, _ = sizes_of(call.inputs, batch_dim)
        self.output_size, element_bytes = sizes_of(call.outputs, batch_dim)
        self.output_bytes = element_bytes
        for size in self.output_size:
            self.output_bytes *= size
        self.executed, self.macs = True, macs

    def calculate_macs(self) -> int:
        """torchinfo's mult-adds: parameters times sizes of the output, whatever the module computes.

        They depend on no operator, only on the names of parameters and on the class's name.
        """
        total = 0
        for name, param in self.module.named_parameters():
            if isinstance(param, nn.parameter.UninitializedParameter):
                continue
            elements, shown = _kept_elements(self.module, name, param)
            sizes = self.output_size
            if shown in ("weight", "bias"):
                sizes = sizes[:1] + sizes[2:] if "Conv" in self.class_name else sizes[:1]
            elif "weight" in shown or "bias" in shown:  # those of recurrent layers, such as weight_ih_l0
                sizes = sizes[:2]
            else:
                continue
            total += int(elements * math.prod(sizes))
        return total

    def get_layer_name(self, show_var_name: bool, show_depth: bool) -> str:
        name = self.class_name
        if show_var_name and self.var_name:
            name += f" ({self.var_name})"
        if show_depth and self.depth > 0:
            name += f": {self.depth}" + ("" if self.depth_index is None else f"-{self.depth_index}")
        return name

    def leftover_params(self) -> int:
        """Parameters that no layer below this one has."""
        return self.num_params - sum(
            child.num_params if child.is_leaf_layer else child.leftover_params()
            for child in self.children
            if not child.is_recursive
        )

    def leftover_trainable_params(self) -> int:
        return self.trainable_params - sum(
            child.trainable_params if child.is_leaf_layer else child.leftover_trainable_params()
            for child in self.children
            if not child.is_recursive
        )

    def macs_to_str(self, reached_max_depth: bool) -> str:
        if self.is_leaf_layer:
            return f"{self.macs:,}" if self.macs > 0 else "--"
        # A container shows the sum of its leaves, also of 0, if there are weights in it.
        weights = any("weight" in name or "bias" in name for name, _ in self.module.named_parameters())
        if reached_max_depth and self.executed and weights:
            return f"{sum(child.macs for child in self.children if child.is_leaf_layer):,}"
        return "--"

    def num_params_to_str(self, reached_max_depth: bool) -> str:
        if self.num_params == 0:
            return "--"
        if self.is_recursive:
            return "(recursive)"
        if reached_max_depth or self.is_leaf_layer:
            return f"{self.num_params:,}" if self.trainable_params else f"({self.num_params:,})"
        left = self.leftover_params()
        return f"{left:,}" if left > 0 else "--"

    def params_percent(self, total_params: int, reached_max_depth: bool, precision: int = 2) -> str:
        if total_params and self.is_recursive:
            return "(recursive)"
        whole = reached_max_depth or self.is_leaf_layer
        params = self.num_params if whole else self.leftover_params()
        if total_params == 0 or params == 0:
            return " " * 5 + "--"
        return f"{params / total_params:>{precision + 5}.{precision}%}"


def _kernel_size(module: nn.Module) -> int | list[int] | None:
    size = getattr(module, "kernel_size", None)
    return size if size is None or isinstance(size, int) else list(size)


def _kept_elements(module: nn.Module, name: str, param: torch.Tensor) -> tuple[int, str]:
    """Pruning names a parameter `weight_orig` and has a buffer `weight_mask` of zeros and ones."""
    if name.endswith("_orig"):
        mask = dict(module.named_buffers()).get(name[: -len("_orig")] + "_mask")
        if mask is not None:
            return int(torch.sum(mask)), name[: -len("_orig")]
    return param.nelement(), name


def sizes_of(value: Any, batch_dim: int | None) -> tuple[Sizes, int]:
    """The sizes that torchinfo shows for inputs or outputs, and the bytes of an element: of several
    tensors the first counts, of a mapping the last."""
    if isinstance(value, list) and value and isinstance(value[0], Shape):
        sizes, width = list(value[0].sizes), value[0].element_bytes
        if batch_dim is not None:
            sizes[batch_dim : batch_dim + 1] = [1]
        return sizes, width
    if isinstance(value, Mapping):
        value = list(value.values())[-1] if value else None
        return _first(value)
    sizes, width = _first(value)
    if isinstance(value, list) and batch_dim is not None and batch_dim < len(sizes):
        sizes[batch_dim] = 1
    return sizes, width


def _first(value: Any) -> tuple[Sizes, int]:
    while isinstance(value, (list, Mapping)) and value:
        value = value[0] if isinstance(value, list) else next(iter(value.values()))
    return (list(value.sizes), value.element_bytes) if isinstance(value, Shape) else ([], 0)


def registered(model: nn.Module) -> Iterator[LayerInfo]:
    """Every module in the order of registration, with its parent; a shared one as often as it is held."""
    stack: list[tuple[str, nn.Module, int, LayerInfo | None]] = [(type(model).__name__, model, 0, None)]
    while stack:
        name, module, depth, parent = stack.pop()
        info = LayerInfo(name, module, depth, parent)
        yield info
        children = [(n, m, depth + 1, info) for n, m in module._modules.items() if m is not None]
        stack += reversed(children)


def add_containers(layers: list[LayerInfo]) -> list[LayerInfo]:
    """The layers with the containers that were never called, such as a ModuleList, where they belong."""
    seen = {layer.layer_id for layer in layers}
    result: list[LayerInfo] = []
    current: dict[int, LayerInfo] = {}
    for layer in layers:
        chain: dict[int, LayerInfo] = {}
        parent = layer.parent_info
        while parent is not None and parent.depth > 0:
            chain[parent.depth] = parent
            parent = parent.parent_info
        for depth in range(1, layer.depth):
            held = current.get(depth)
            last = result[-1] if result else None
            if (held is None or held.module is not chain[depth].module) and chain[depth] is not last:
                chain[depth].calculate_num_params()
                chain[depth].is_recursive = chain[depth].layer_id in seen
                result.append(chain[depth])
                seen.add(chain[depth].layer_id)
                current[depth] = chain[depth]
        current = {depth: held for depth, held in current.items() if depth < layer.depth}
        current[layer.depth] = layer
        result.append(layer)
    return result


def number_layers(layers: list[LayerInfo]) -> None:
    """Sets each layer's number within its depth, and the layers below it."""
    seen: dict[int, int] = {}
    for at, layer in enumerate(layers):
        seen[layer.depth] = layer.depth_index = seen.get(layer.depth, 0) + 1
        end = at + 1
        while end < len(layers) and layers[end].depth > layer.depth:
            end += 1
        layer.children = layers[at + 1 : end]
