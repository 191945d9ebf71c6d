"""Recurrent layers as the CPU runs them, for tensors without values.

On meta tensors torch takes recurrent layers apart in another way than on the CPU, with other memory: there, an LSTM is
one operator for each layer and direction, and others multiply the inputs of all steps at once. The
functions here call the same operators in the same order as torch's RNN.cpp and mkldnn/RNN.cpp.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

import torch
from torch.nn.functional import dropout, linear

_LSTM_MODE = 2  # of mkldnn


def _lstm_step(given: Any, state: Any, weight: Any, bias: Any, project: Any) -> Any:
    hidden, cell = state
    keep_in, forget, new, out = linear(hidden, weight, bias).add_(given).unsafe_chunk(4, 1)
    keep_in, forget, new, out = keep_in.sigmoid_(), forget.sigmoid_(), new.tanh_(), out.sigmoid_()
    cell = (forget * cell).add_(keep_in * new)
    hidden = out * cell.tanh()
    return (hidden if project is None else hidden.matmul(project.t())), cell


def _gru_step(given: Any, hidden: Any, weight: Any, bias: Any, _: Any) -> Any:
    reset_in, update_in, new_in = given.unsafe_chunk(3, 1)
    reset, update, new = linear(hidden, weight, bias).unsafe_chunk(3, 1)
    reset = reset.add_(reset_in).sigmoid_()
    update = update.add_(update_in).sigmoid_()
    new = new_in.add(new.mul_(reset)).tanh_()
    return (hidden - new).mul_(update).add_(new)


def _plain_step(activation: Callable[[Any], Any]) -> Callable[..., Any]:
    def step(given: Any, hidden: Any, weight: Any, bias: Any, _: Any) -> Any:
        return activation(linear(hidden, weight, bias).add_(given))

    return step


_STEPS: Dict[str, Callable[..., Any]] = {
    "lstm": _lstm_step, "gru": _gru_step, "rnn_tanh": _plain_step(torch.tanh), "rnn_relu": _plain_step(torch.relu)}  # fmt: skip


def _steps(step: Callable[..., Any], inputs: Any, state: Any, weights: List[Any], reverse: bool) -> Tuple[Any, Any]:
    """One direction of one layer. An LSTM's state is a pair."""
    of_input, of_hidden, bias, hidden_bias, project = weights
    given = list(linear(inputs, of_input, bias).unbind(0))
    outputs = []
    for one in reversed(given) if reverse else given:
        state = step(one, state, of_hidden, hidden_bias, project)
        outputs.append(state[0] if type(state) is tuple else state)
    return torch.stack(outputs[::-1] if reverse else outputs, 0), state


def _layers(name: str, x: Any, hx: Any, weights: List[Any], biases: bool, layers: int, rate: float, train: bool,
            both: bool, batch_first: bool) -> Tuple[Any, ...]:
    """A layer's output, and its last states."""
    directions = 2 if both else 1
    own = len(weights) // (layers * directions)
    x = x.transpose(0, 1) if batch_first else x
    pairs = name == "lstm"
    first: Any = list(zip(hx[0].unbind(0), hx[1].unbind(0))) if pairs else hx.unbind(0)
    last = []
    for layer in range(layers):
        made = []
        for direction in range(directions):
            place = layer * directions + direction
            these = weights[place * own:(place + 1) * own]
            if not biases:
                these[2:2] = [None, None]
            output, final = _steps(_STEPS[name], x, first[place], [*these, None][:5], direction == 1)
            made.append(output)
            last.append(final)
        x = torch.cat(made, 2) if both else made[0]
        if rate != 0 and train and layer < layers - 1:
            x = dropout(x, rate, True)
    states = [torch.stack(one, 0) for one in (zip(*last) if pairs else [last])]
    return ((x.transpose_(0, 1) if batch_first else x), *states)


def _mkldnn_lstm(x: Any, hx: Any, weights: List[Any], biases: bool, layers: int, rate: float, train: bool, both: bool,
                 batch_first: bool) -> Tuple[Any, Any, Any]:
    directions, own = 2 if both else 1, 4 if biases else 2
    x = (x.transpose(0, 1) if batch_first else x).contiguous()
    hidden, cells = hx[0].contiguous(), hx[1].contiguous()
    states: Tuple[List[Any], List[Any]] = ([], [])
    for layer in range(layers):
        made = []
        for direction in range(directions):
            place = layer * directions + direction
            these = weights[place * own:(place + 1) * own]
            first = (hidden.select(0, place), cells.select(0, place))
            if not biases:
                these += [torch.zeros_like(these[1]), torch.zeros_like(these[0])][::-1]
            output, *final, _ = torch.ops.aten.mkldnn_rnn_layer(
                x, *these, *first, direction == 1, [], _LSTM_MODE, hidden.shape[2], layers, biases, both, batch_first, train)
            made.append(output)
            for state, one in zip(states, final):
                state.append(one)
        x = torch.cat(made, -1) if both else made[0]
        if rate != 0 and train and layer < layers - 1:
            x = dropout(x, rate, True)
    return (x.transpose(0, 1) if batch_first else x), torch.stack(states[0], 0), torch.stack(states[1], 0)


def takes(name: str, args: Tuple[Any, ...]) -> bool:
    """True if run() runs the call: a layer on plain sequences. A training step keeps torch's own LSTM in parts."""
    if name not in _STEPS or len(args) != 9 or not isinstance(args[3], bool):
        return False
    tensors = [args[0], *(args[1] if name == "lstm" else args[1:2]), *args[2]]
    if name == "lstm" and torch.is_grad_enabled():
        return False
    return bool(args[0].dim() == 3) and all(isinstance(one, torch.Tensor) and one.is_meta and one.numel() for one in tensors)


def _mkldnn_has(dtype: torch.dtype) -> bool:
    """True if the CPU's kernel for a whole LSTM takes the type."""
    if not hasattr(torch.ops.aten, "mkldnn_rnn_layer") or not torch.backends.mkldnn.is_available():
        return False
    own = {torch.bfloat16: "bf16", torch.float16: "fp16"}.get(dtype)
    if own is None:
        return dtype is torch.float32
    return bool(getattr(torch.ops.mkldnn, f"_is_mkldnn_{own}_supported")())


def run(name: str, args: Tuple[Any, ...]) -> Tuple[Any, ...]:
    x, _, weights, biases, layers, _, _, both, _ = args
    projects = len(weights) != layers * (2 if both else 1) * (4 if biases else 2)
    if name == "lstm" and not projects and _mkldnn_has(x.dtype):
        return _mkldnn_lstm(*args)
    return _layers(name, *args)
