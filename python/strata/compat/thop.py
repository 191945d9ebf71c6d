"""thop's calls: `profile` and `clever_format`, as of thop 0.1.1.post2209072238.

>>> clever_format([4133742592.0, 25557032.0], "%.3f")
('4.134G', '25.557M')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import nn

from ._count import Run, by_module, number, run
from ._modules import tensors, training_mode

__all__ = ["clever_format", "profile", "profile_origin"]

# The classes that thop has a rule for, by the name of the rule. A class of one's own that derives from
# one of them has none. Parameters of other classes are not counted either.
_RULES = {
    "zero_ops": "ZeroPad2d ReLU ReLU6 MaxPool1d MaxPool2d MaxPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d"
    " AdaptiveMaxPool3d Dropout Sequential PixelShuffle",
    "count_convNd": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
    "count_normalization": "BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm InstanceNorm1d InstanceNorm2d"
    " InstanceNorm3d SyncBatchNorm",
    "count_prelu": "PReLU",
    "count_softmax": "Softmax",
    "count_relu": "LeakyReLU",
    "count_avgpool": "AvgPool1d AvgPool2d AvgPool3d",
    "count_adap_avgpool": "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d",
    "count_linear": "Linear",
    "count_upsample": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    "count_rnn_cell": "RNNCell",
    "count_gru_cell": "GRUCell",
    "count_lstm_cell": "LSTMCell",
    "count_rnn": "RNN",
    "count_gru": "GRU",
    "count_lstm": "LSTM",
}
_RULE_OF = {getattr(nn, name): rule for rule, names in _RULES.items() for name in names.split()}

LayerInfo = dict[str, Any]


def profile(
    model: nn.Module,
    inputs: Iterable[Any],
    custom_ops: Mapping[type, Callable[..., None]] | None = None,
    verbose: bool = True,
    ret_layer_info: bool = False,
    report_missing: bool = False,
    *,
    count: str = "thop",
) -> tuple[Any, ...]:
    """MACs and parameters of `model(*inputs)`, and with `ret_layer_info` those of each child.

    The result is `(macs, params)` or `(macs, params, layers)`; `layers` maps the name of a child to
    `(macs, params, its layers)`. thop leaves out the parameters of classes that it has no rule for;
    `count="strata"` counts all of them.
    """
    custom = dict(custom_ops or {})
    _say(model, custom, verbose or report_missing, report_missing)
    taken = run(model, tuple(inputs), training=False)
    ops = by_module(taken.rows(count, report="calls", all=True), model, "macs")
    ops.update(_custom_counts(model, custom, taken))
    if count == "thop":
        # thop hangs its hooks on a module as often as it is held, so that each call counts as often.
        held: Counter[nn.Module] = Counter()
        model.apply(lambda module: held.update([module]))
        ops = {module: macs * held[module] for module, macs in ops.items()}
        ruled = {m for m in model.modules() if type(m) in custom or type(m) in _RULE_OF}
        called = {call.module for call in taken.watch.calls} if taken.watch else set()
        macs, params, layers = _thops_sum(model, ops, ruled, called)
        return (macs, params, layers) if ret_layer_info else (macs, params)
    tree = _tree(model, taken, count)
    params = float(sum(p.numel() for p in model.parameters()))
    macs = float(number(taken.profile(count, report="none").total.get("macs")))
    return (macs, params, tree) if ret_layer_info else (macs, params)


def profile_origin(
    model: nn.Module,
    inputs: Iterable[Any],
    custom_ops: Mapping[type, Callable[..., None]] | None = None,
    verbose: bool = True,
    report_missing: bool = False,
    *,
    count: str = "thop",
) -> tuple[float, float]:
    """The older call: leaf modules alone, and the parameters of all of them."""
    custom = dict(custom_ops or {})
    leaves = [m for m in model.modules() if next(m.children(), None) is None]
    _say(model, custom, verbose or report_missing, report_missing, leaves=True)
    taken = run(model, tuple(inputs), training=False)
    ops = by_module(taken.rows(count, report="calls", all=True), model, "macs")
    ops.update(_custom_counts(model, custom, taken))
    params = sum(p.numel() for leaf in leaves for p in leaf.parameters())
    return float(sum(ops.get(leaf, 0) for leaf in leaves)), float(params)


def clever_format(nums: Any, format: str = "%.2f") -> Any:
    """Numbers with the letters T, G, M, K or B: a text for one number, a tuple for several."""
    if not isinstance(nums, Iterable):
        nums = [nums]
    texts = []
    for value in nums:
        for unit, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K")):
            if value > unit:
                texts.append(format % (value / unit) + letter)
                break
        else:
            texts.append(format % value + "B")
    return texts[0] if len(texts) == 1 else tuple(texts)


def _say(
    model: nn.Module, custom: dict[type, Any], verbose: bool, missing: bool, leaves: bool = False
) -> None:
    """The lines that thop prints for each class when it first meets it, children first."""
    seen: set[type] = set()

    def visit(module: nn.Module) -> None:
        kind = type(module)
        if kind in seen or (leaves and next(module.children(), None) is not None):
            return
        seen.add(kind)
        if kind in custom:
            if verbose:
                print(f"[INFO] Customize rule {custom[kind].__qualname__}() {kind}.")
        elif kind in _RULE_OF:
            if verbose:
                print(f"[INFO] Register {_RULE_OF[kind]}() for {kind}.")
        elif missing:
            text = f"[WARN] Cannot find rule for {kind}. Treat it as zero Macs and zero Params."
            print(f"\033[91m{text}\n\033[00m", end="")

    model.apply(visit)


def _custom_counts(model: nn.Module, custom: dict[type, Any], taken: Run) -> dict[nn.Module, int]:
    """Counts by the caller's own rules: `rule(module, inputs, output)` adds to `module.total_ops`."""
    counts = {}
    for module in model.modules():
        rule = custom.get(type(module))
        if rule is None or taken.watch is None:
            continue
        module.total_ops = torch.zeros(1, dtype=torch.float64)
        try:
            with training_mode(model, False):
                for call in taken.watch.of(module):
                    rule(module, tensors(call.inputs), tensors(call.outputs))
            counts[module] = int(module.total_ops.item())
        finally:
            del module.total_ops
    return counts


def _thops_sum(
    module: nn.Module, ops: dict[nn.Module, int], ruled: set[nn.Module], called: set[nn.Module]
) -> tuple[float, float, LayerInfo]:
    """thop's sum: it ends at modules with a rule, and enters one as often as it has parents."""
    macs, params, layers = float(ops.get(module, 0) if module in ruled else 0), 0.0, LayerInfo()
    for name, child in module.named_children():
        if child in ruled and not isinstance(child, (nn.Sequential, nn.ModuleList)):
            own = sum(p.numel() for p in child.parameters()) if child in called else 0
            inner = (float(ops.get(child, 0)), float(own), LayerInfo())
        else:
            inner = _thops_sum(child, ops, ruled, called)
        layers[name] = inner
        macs, params = macs + inner[0], params + inner[1]
    return macs, params, layers


def _tree(model: nn.Module, taken: Run, count: str) -> LayerInfo:
    """The same nest of dictionaries with the sums that the core has for each module."""
    macs = {row.layer: number(row.get("macs")) for row in taken.rows(count, report="tree")}

    def inside(module: nn.Module, prefix: str) -> LayerInfo:
        return LayerInfo(
            (
                name,
                (
                    float(macs.get(prefix + name, 0)),
                    float(sum(p.numel() for p in child.parameters())),
                    inside(child, prefix + name + "."),
                ),
            )
            for name, child in module.named_children()
        )

    return inside(model, "")
