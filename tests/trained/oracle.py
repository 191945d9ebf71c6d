#!/usr/bin/python3
"""oracle.py MODEL SAMPLES.npz --calibrate N --judge M: what rounding each layer alone and all layers
does to the outputs, computed without strata and without an engine. With --leave-one-out also what
rounding all but one does; with --written INT8.onnx what the Q/DQ pairs of that file do, and with
--labels FILE how often both files give the right class.

An interpreter in torch runs the ONNX file in double precision on N samples for the ranges and on the
M behind them. It prints JSON: the SQNR in dB and the drop (noise over signal) of every layer, in
running order, of all together, and the sum of the drops over that.

The rounding is what docs/sensitivity.md says: weights int8 by output channel, symmetric, after the
norm is folded in; the output behind the activation uint8 by tensor, with the range of the samples
and zero; of the first layer the input as well.
"""

import argparse
import json
import math
import pathlib

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper
import torch
from torch.nn import functional


def attributes(node):
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


class Network:
    def __init__(self, path):
        graph = onnx.load(str(path)).graph
        self.nodes = [node for node in graph.node]
        self.stored = {t.name: torch.from_numpy(onnx.numpy_helper.to_array(t).copy())
                       for t in graph.initializer}
        for name, value in self.stored.items():
            if value.is_floating_point():
                self.stored[name] = value.double()
        self.input, self.output = graph.input[0].name, graph.output[0].name
        self.readers = {}
        for node in self.nodes:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)
        self.layers = [self.layer(node) for node in self.nodes
                       if node.op_type in ("Conv", "Gemm") and node.input[1] in self.stored]

    def layer(self, node):
        """A convolution or product with its norm and activation."""
        norm, end = None, node.output[0]
        after = self.readers.get(end, [])
        if len(after) == 1 and after[0].op_type == "BatchNormalization":
            norm, end = after[0], after[0].output[0]
        after = self.readers.get(end, [])
        scope = after[0].name.rpartition("/")[0] if after else ""
        if len(after) == 1 and after[0].op_type in ("Relu", "HardSwish", "HardSigmoid"):
            end = after[0].output[0]
        elif scope.endswith("/act"):  # a GELU of several nodes
            end = [n for n in self.nodes if n.name.rpartition("/")[0] == scope][-1].output[0]
        return {"node": node, "norm": norm, "output": end, "first": node.input[0] == self.input}

    def run(self, batch, rounded=(), ranges=None, seen=None):
        """The output; the layers of `rounded` in whole numbers; `seen(name, values)` of all."""
        by_node = {layer["node"].name: layer for layer in rounded}
        outputs = {layer["output"] for layer in rounded}
        skipped = {layer["norm"].name: layer for layer in rounded if layer["norm"] is not None}
        values = {"": None, **self.stored, self.input: batch}
        for node in self.nodes:
            inputs = [values[name] for name in node.input]
            if node.name in by_node:
                layer = by_node[node.name]
                if layer["first"]:
                    inputs[0] = round_tensor(inputs[0], ranges[self.input])
                inputs[1], bias = self.rounded_weights(layer)
                inputs[2:] = [bias]
            if node.name in skipped:
                made = [inputs[0]]  # in the weights
            else:
                made = OPERATORS[node.op_type](inputs, attributes(node), node)
            for name, value in zip(node.output, made):
                if seen is not None:
                    seen(name, value)
                values[name] = round_tensor(value, ranges[name]) if name in outputs else value
        return values[self.output]

    def rounded_weights(self, layer):
        node, norm = layer["node"], layer["norm"]
        weight = self.stored[node.input[1]]
        if node.op_type == "Gemm" and not attributes(node).get("transB", 0):
            raise SystemExit(f"{node.name}: a Gemm whose second matrix is not turned")
        bias = self.stored[node.input[2]] if len(node.input) > 2 else None
        if norm is not None:
            scale, shift, mean, variance = (self.stored[name] for name in norm.input[1:5])
            factor = scale / torch.sqrt(variance + attributes(norm).get("epsilon", 1e-5))
            weight = weight * factor.reshape(-1, *[1] * (weight.dim() - 1))
            bias = shift + ((0 if bias is None else bias) - mean) * factor
        step = weight.abs().flatten(1).amax(1) / 127
        step = step.clamp(min=1e-30).reshape(-1, *[1] * (weight.dim() - 1))
        return (weight / step).round().clamp(-127, 127) * step, bias


def round_tensor(x, limits):
    low, high = min(0.0, limits[0]), max(0.0, limits[1])
    step = (high - low) / 255
    zero = round(-low / step)
    return ((x / step).round() + zero).clamp(0, 255).sub(zero) * step


def conv(inputs, a, node):
    pads = a.get("pads", [0, 0, 0, 0])
    if pads[:2] != pads[2:] or any(k != 1 for k in a.get("dilations", [])):
        raise SystemExit(f"{node.name}: a convolution that this program does not know")
    bias = inputs[2] if len(inputs) > 2 else None
    return [functional.conv2d(inputs[0], inputs[1], bias, a.get("strides", 1), pads[:2],
                              groups=a.get("group", 1))]


def reduce_mean(inputs, a, node):
    return [inputs[0].mean(a["axes"], keepdim=bool(a.get("keepdims", 1)))]


def reshape(inputs, a, node):
    sizes = [inputs[0].shape[i] if k == 0 else k for i, k in enumerate(inputs[1].tolist())]
    return [inputs[0].reshape(sizes)]


def slices(inputs, a, node):
    data, starts, ends, axes, steps = (x if i == 0 else x.tolist() for i, x in enumerate(inputs))
    for start, end, axis, step in zip(starts, ends, axes, steps):
        size = data.shape[axis]
        data = torch.tensor(data.numpy()[tuple(
            slice(start, None if end < -size else end, step) if k == axis else slice(None)
            for k in range(data.dim()))].copy())
    return [data]


def pad(inputs, a, node):
    """The last axis first, as torch wants it."""
    rank = inputs[0].dim()
    sizes = inputs[1].tolist()
    pairs = [k for axis in reversed(range(rank)) for k in (sizes[axis], sizes[axis + rank])]
    return [functional.pad(inputs[0], pairs, value=float(inputs[2]))]


def norm(inputs, a, node):
    return [functional.batch_norm(inputs[0], inputs[3], inputs[4], inputs[1], inputs[2],
                                  eps=a.get("epsilon", 1e-5))]


def along(values, x, a):
    """Scales or zero points of channels, to be put beside x."""
    if values.dim() == 0 or values.numel() == 1:
        return values.reshape(()).double()
    axis = a.get("axis", 1) % x.dim()
    return values.double().reshape([-1 if k == axis else 1 for k in range(x.dim())])


def quantize(inputs, a, node):
    scale, zero = along(inputs[1], inputs[0], a), along(inputs[2], inputs[0], a)
    low, high = (0, 255) if inputs[2].dtype == torch.uint8 else (-128, 127)
    return [((inputs[0] / scale).round() + zero).clamp(low, high)]


def dequantize(inputs, a, node):
    zero = along(inputs[2], inputs[0], a) if len(inputs) > 2 else 0
    return [(inputs[0].double() - zero) * along(inputs[1], inputs[0], a)]


def constant(inputs, a, node):
    value = torch.from_numpy(onnx.numpy_helper.to_array(a["value"]).copy())
    return [value.double() if value.is_floating_point() else value]


OPERATORS = {
    "Conv": conv, "ReduceMean": reduce_mean, "Reshape": reshape, "Slice": slices, "Pad": pad,
    "BatchNormalization": norm, "Constant": constant, "QuantizeLinear": quantize,
    "DequantizeLinear": dequantize,
    "Gemm": lambda x, a, n: [functional.linear(*x)],
    "Relu": lambda x, a, n: [x[0].relu()],
    "HardSwish": lambda x, a, n: [x[0] * (x[0] / 6 + 0.5).clamp(0, 1)],
    "HardSigmoid": lambda x, a, n: [(x[0] * a.get("alpha", 0.2) + a.get("beta", 0.5)).clamp(0, 1)],
    "Tanh": lambda x, a, n: [x[0].tanh()],
    "Sum": lambda x, a, n: [sum(x)],
    "Add": lambda x, a, n: [x[0] + x[1]], "Sub": lambda x, a, n: [x[0] - x[1]],
    "Mul": lambda x, a, n: [x[0] * x[1]], "Div": lambda x, a, n: [x[0] / x[1]],
    "MatMul": lambda x, a, n: [x[0] @ x[1]],
    "Concat": lambda x, a, n: [torch.cat(x, a["axis"])],
    "Split": lambda x, a, n: x[0].split(x[1].tolist(), a.get("axis", 0)),
    "Transpose": lambda x, a, n: [x[0].permute(a["perm"])],
    "Shape": lambda x, a, n: [torch.tensor(x[0].shape)],
    "Gather": lambda x, a, n: [x[0][x[1]]],
    "Cast": lambda x, a, n: [x[0]],
    "ConstantOfShape": lambda x, a, n: [torch.full(x[0].tolist(), int(onnx.numpy_helper.to_array(
        a["value"])[0]))],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("samples", type=pathlib.Path)
    parser.add_argument("--calibrate", type=int, required=True)
    parser.add_argument("--judge", type=int, required=True)
    parser.add_argument("--leave-one-out", action="store_true")
    parser.add_argument("--written", type=pathlib.Path)
    parser.add_argument("--labels", type=pathlib.Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    network = Network(arguments.model)
    samples = torch.from_numpy(numpy.load(arguments.samples)[network.input]).double()
    known = samples[:arguments.calibrate]
    behind = slice(arguments.calibrate, arguments.calibrate + arguments.judge)
    with torch.no_grad():
        out = compare(network, samples, arguments) if arguments.written else \
            each_layer(network, known, samples[behind], arguments.leave_one_out)
    print(json.dumps(out, indent=1))


def figures(floats, others):
    drop = float(((others - floats) ** 2).sum() / (floats ** 2).sum())
    return {"drop": drop, "sqnr_db": -10 * math.log10(drop) if drop > 0 else None}


def each_layer(network, known, batch, leave_one_out):
    ranges = {network.input: (float(known.min()), float(known.max()))}

    def see(name, value):
        if value.numel() and value.is_floating_point():
            ranges[name] = (float(value.min()), float(value.max()))
    network.run(known, seen=see)
    floats = network.run(batch)
    layers = network.layers
    out = {"joint": figures(floats, network.run(batch, layers, ranges)), "layers": []}
    for layer in layers:
        found = {"node": layer["node"].name,
                 "alone": figures(floats, network.run(batch, [layer], ranges))}
        if leave_one_out:
            others = [other for other in layers if other is not layer]
            found["left_out"] = figures(floats, network.run(batch, others, ranges))
        out["layers"].append(found)
    total = sum(layer["alone"]["drop"] for layer in out["layers"])
    return {**out, "additivity": total / out["joint"]["drop"]}


def compare(network, samples, arguments):
    first, count = arguments.calibrate, arguments.judge
    batch = samples[first:first + count]
    floats, written = network.run(batch), Network(arguments.written).run(batch)
    out = figures(floats, written)
    if arguments.labels:
        labels = [int(line) for line in arguments.labels.read_text().split()][first:first + count]
        right = torch.tensor(labels)
        out["float_accuracy"] = float((floats.argmax(1) == right).double().mean())
        out["written_accuracy"] = float((written.argmax(1) == right).double().mean())
    return out


if __name__ == "__main__":
    main()
