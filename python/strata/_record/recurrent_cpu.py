"""Recurrent layers as the CPU runs them, for tensors without values.

On meta tensors torch takes recurrent layers apart in another way than on the CPU, with other memory: there, an LSTM is
one operator for each layer and direction, and others multiply the inputs of all steps at once. The
functions here call the same operators in the same order as torch's RNN.cpp and mkldnn/RNN.cpp.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch.nn.functional import dropout, linear

LSTM_LAYER = "mkldnn_rnn_layer"  # the operator for one layer in one direction
_LSTM_MODE = 2  # of that operator


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


def _each(function: Callable[..., Any], *states: Any) -> Any:
    """The function of one part of each state. An LSTM's state is a pair, whose second part torch works on first."""
    if type(states[0]) is not tuple:
        return function(*states)
    cell = function(*(state[1] for state in states))
    return function(*(state[0] for state in states)), cell


def _rows(state: Any, first: int, last: int) -> Any:
    return _each(lambda one: one.narrow(0, first, last - first), state)


def _joined(states: List[Any]) -> Any:
    return _each(lambda *parts: torch.cat(parts, 0), *states)


def _packed_steps(step: Callable[..., Any], data: Any, sizes: List[int], first: Any, weights: List[Any],
                  reverse: bool) -> Tuple[Any, Any]:
    """The same for packed sequences, of which `sizes[i]` have a step i: the longest come first."""
    of_input, of_hidden, bias, hidden_bias, project = weights
    given = linear(data, of_input, bias)
    outputs, ended = [], []
    rows = sizes[-1] if reverse else sizes[0]
    state = _rows(first, 0, rows) if reverse else first
    at = len(data) if reverse else 0
    for size in reversed(sizes) if reverse else sizes:
        if reverse:
            if size > rows:
                state = _joined([state, _rows(first, rows, size)])
            at -= size
        one = given.narrow(0, at, size)
        if not reverse:
            if size < rows:
                ended.append(_rows(state, size, rows))
                state = _rows(state, 0, size)
            at += size
        rows = size
        state = step(one, state, of_hidden, hidden_bias, project)
        outputs.append(state[0] if type(state) is tuple else state)
    if reverse:
        return torch.cat(outputs[::-1], 0), state
    return torch.cat(outputs, 0), _joined([state, *ended[::-1]])


def _layers(name: str, x: Any, sizes: Optional[List[int]], hx: Any, weights: List[Any], biases: bool, layers: int,
            rate: float, train: bool, both: bool, batch_first: bool = False) -> Tuple[Any, ...]:
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
            these = [*these, None][:5]
            output, final = (_steps(_STEPS[name], x, first[place], these, direction == 1) if sizes is None else
                             _packed_steps(_STEPS[name], x, sizes, first[place], these, direction == 1))
            made.append(output)
            last.append(final)
        x = torch.cat(made, -1) if both else made[0]
        del made, output  # as in torch, which frees them before the next layer
        if rate != 0 and train and layer < layers - 1:
            x = dropout(x, rate, True)
    states = _each(lambda *parts: torch.stack(parts, 0), *last)
    return ((x.transpose_(0, 1) if batch_first else x), *(states if pairs else [states]))


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
        del made, output
        if rate != 0 and train and layer < layers - 1:
            x = dropout(x, rate, True)
    return (x.transpose(0, 1) if batch_first else x), torch.stack(states[0], 0), torch.stack(states[1], 0)


def _is_packed(args: Tuple[Any, ...]) -> bool:
    return not isinstance(args[3], bool)


def takes(name: str, args: Tuple[Any, ...]) -> bool:
    """True if run() runs the call: a layer on sequences."""
    if name not in _STEPS or len(args) != 9:
        return False
    packed = _is_packed(args)
    state, weights = args[2 if packed else 1], args[3 if packed else 2]
    tensors = [args[0], *(state if name == "lstm" else [state]), *weights]
    return bool(args[0].dim() == (2 if packed else 3)) and all(
        isinstance(one, torch.Tensor) and one.is_meta for one in tensors)


def _mkldnn_has(dtype: torch.dtype) -> bool:
    """True if the CPU's kernel for a whole LSTM takes the type."""
    if not hasattr(torch.ops.aten, LSTM_LAYER) or not torch.backends.mkldnn.is_available():
        return False
    own = {torch.bfloat16: "bf16", torch.float16: "fp16"}.get(dtype)
    if own is None:
        return dtype is torch.float32
    if own == "fp16" and torch.is_grad_enabled():
        return False
    return bool(getattr(torch.ops.mkldnn, f"_is_mkldnn_{own}_supported")())


def runs_in_mkldnn(name: str, args: Tuple[Any, ...]) -> bool:
    """True if a kernel of oneDNN runs each layer of the call."""
    if name != "lstm" or _is_packed(args) or not args[0].numel() or not _mkldnn_has(args[0].dtype):
        return False
    _, _, weights, biases, layers, _, _, both, _ = args
    projects = len(weights) != layers * (2 if both else 1) * (4 if biases else 2)
    return not projects


def mkldnn_gradients(*given: Any) -> Tuple[Any, ...]:
    """The results of mkldnn_rnn_layer_backward, for which meta tensors have no kernel: input, weights, states."""
    return tuple(one.new_empty(one.shape) for one in given[:7])


def run(name: str, args: Tuple[Any, ...]) -> Tuple[Any, ...]:
    if runs_in_mkldnn(name, args):
        return _mkldnn_lstm(*args)
    if _is_packed(args):
        return _layers(name, args[0], args[1].tolist(), *args[2:])
    return _layers(name, args[0], None, *args[1:])
