"""The nodes of a traced graph, which fvcore lists where it has no rule for them.

A trace has nodes that no recording has: arithmetic on sizes, functions before they are taken apart. Their
counts come from torch's own tracer, and only when they are asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn


def traced_nodes(
    model: nn.Module, inputs: tuple[Any, ...], paths: Mapping[nn.Module, str]
) -> Iterator[tuple[str, list[str]]]:
    """The kind of each node, `aten::add`, and the paths of the modules that were running, outermost first."""
    handles = []

    def enter(path: str) -> Any:
        def hook(module: nn.Module, given: Any) -> None:
            state = torch._C._get_tracing_state()
            if state is not None:
                state.push_scope(path)

        return hook

    def leave(module: nn.Module, given: Any, result: Any) -> None:
        state = torch._C._get_tracing_state()
        if state is not None:
            state.pop_scope()

    try:
        for module, path in paths.items():
            handles += [module.register_forward_pre_hook(enter(path)), module.register_forward_hook(leave)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            graph, _ = torch.jit._get_trace_graph(model, inputs)
    finally:
        for handle in handles:
            handle.remove()
    for node in graph.nodes():
        kind = node.kind()
        if kind == "prim::PythonOp":
            kind += "." + node.pyname()
        elif kind.startswith("prim::") and kind != "prim::CallFunction":
            continue
        yield kind, node.scopeName().split("/")
