#!/usr/bin/python3
"""Re-implements `strata sensitivity` in numpy, and compares.

Reads a network of tests/models/digits with python3-onnx, runs it by hand, rounds one layer at a
time, all of them, and all but one, and compares the SQNR of each with what strata prints. Nothing
here is strata's: neither code nor rounded numbers.

    sensitivity_digits.py --strata build/dev/strata --model digits.onnx --samples 32
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import numpy_helper

TOLERANCE_DB = 0.01


def convolve(x, weight, bias, attributes):
    """Convolution by hand: groups, strides and symmetric pads of two axes."""
    group = attributes.get("group", 1)
    stride = attributes.get("strides", [1, 1])
    pads = attributes.get("pads", [0, 0, 0, 0])
    x = numpy.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    outputs, inputs, height, width = weight.shape
    windows = numpy.lib.stride_tricks.sliding_window_view(x, (height, width), axis=(2, 3))
    windows = windows[:, :, :: stride[0], :: stride[1]]
    parts = []
    for g in range(group):
        own = windows[:, g * inputs : (g + 1) * inputs]
        kernel = weight[g * outputs // group : (g + 1) * outputs // group]
        parts.append(numpy.einsum("nchwij,ocij->nohw", own, kernel, optimize=True))
    y = numpy.concatenate(parts, axis=1)
    return y + bias.reshape(1, -1, 1, 1) if bias is not None else y


class Layer:
    """A convolution or a Gemm, with the norm folded into it and the activation behind it."""

    def __init__(self, node, weight, bias, axis):
        self.node, self.weight, self.bias, self.axis = node, weight, bias, axis
        self.output = node.output[0]  # of the norm or the activation, if there is one
        self.relu = False

    def name(self):
        # /features/features.1/spatial/spatial.0/Conv is features.1.spatial.0
        path, before = [], None
        for part in self.node.name.strip("/").split("/")[:-1]:
            nested = before is not None and part.startswith(before + ".")
            path.append(part[len(before) + 1 :] if nested else part)
            before = part
        return ".".join(path)


class Network:
    def __init__(self, path):
        graph = onnx.load(path).graph
        self.stored = {t.name: numpy_helper.to_array(t).astype(numpy.float64) for t in graph.initializer}
        self.nodes = list(graph.node)
        self.input, self.result = graph.input[0].name, graph.output[0].name
        self.layers, self.steps = [], []
        makers = {}  # tensor: the layer that makes it
        for node in self.nodes:
            before = makers.get(node.input[0])
            if node.op_type in ("Conv", "Gemm"):
                layer = self.linear(node)
                self.layers.append(layer)
                self.steps.append(layer)
            elif node.op_type == "BatchNormalization":
                self.fold(before, node)
                layer = before
            elif node.op_type == "Relu" and before is not None:
                layer = before
                layer.relu = True
            else:
                self.steps.append(node)
                continue
            layer.output = node.output[0]
            makers[node.output[0]] = layer

    @staticmethod
    def attributes(node):
        return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}

    def linear(self, node):
        weight = self.stored[node.input[1]]
        axis = 0 if node.op_type == "Conv" or self.attributes(node).get("transB", 0) else 1
        bias = self.stored[node.input[2]] if len(node.input) > 2 else numpy.zeros(weight.shape[axis])
        return Layer(node, weight, bias, axis)

    def fold(self, layer, norm):
        scale, shift, mean, variance = (self.stored[name] for name in norm.input[1:5])
        factor = scale / numpy.sqrt(variance + self.attributes(norm).get("epsilon", 1e-5))
        layer.weight = layer.weight * factor.reshape(-1, 1, 1, 1)
        layer.bias = (layer.bias - mean) * factor + shift

    def run(self, image, rounded=frozenset(), ranges=None, seen=None):
        """The outputs, with these layers rounded. `seen` gets every layer's output."""
        values = {self.input: image}

        def look(name):
            if seen is not None:
                seen[name] = values[name]

        look(self.input)
        for step in self.steps:
            if isinstance(step, Layer):
                x = values[step.node.input[0]]
                weight = step.weight
                if step in rounded:
                    weight = round_weight(weight, step.axis)
                    if step.node.input[0] == self.input:
                        x = round_activation(x, ranges[self.input])
                if step.node.op_type == "Conv":
                    y = convolve(x, weight, step.bias, self.attributes(step.node))
                else:
                    y = x @ (weight.T if step.axis == 0 else weight) + step.bias
                if step.relu:
                    y = numpy.maximum(y, 0)
                if step in rounded:
                    y = round_activation(y, ranges[step.output])
                values[step.output] = y
                look(step.output)
            elif step.op_type == "Add":
                values[step.output[0]] = values[step.input[0]] + values[step.input[1]]
            elif step.op_type == "ReduceMean":
                attributes = self.attributes(step)
                values[step.output[0]] = values[step.input[0]].mean(
                    axis=tuple(attributes["axes"]), keepdims=bool(attributes.get("keepdims", 1)))
            else:
                sys.exit(f"{step.op_type}: the oracle has no such operator")
        return values[self.result]


def round_weight(weight, axis):
    """int8, symmetric, a scale for each output channel. In float32, as scales are stored."""
    weight = weight.astype(numpy.float32)
    other = tuple(a for a in range(weight.ndim) if a != axis)
    most = numpy.abs(weight).max(axis=other, keepdims=True)
    scale = numpy.where(most > 0, most / numpy.float32(127), numpy.float32(1))
    return (numpy.clip(numpy.rint(weight / scale), -127, 127) * scale).astype(numpy.float64)


def round_activation(x, bounds):
    """uint8, one scale for all. As ONNX defines QuantizeLinear: divided in float32, ties to even.
    Pixels of the digits are sixteenths, so ties are many."""
    low, high = min(bounds[0], 0.0), max(bounds[1], 0.0)
    scale = numpy.float32((high - low) / 255)
    zero = numpy.clip(numpy.rint(-low / scale), 0, 255)
    whole = numpy.clip(numpy.rint(x.astype(numpy.float32) / scale) + zero, 0, 255)
    return (whole - zero) * numpy.float64(scale)


def sqnr(exact, other):
    noise = sum(((a - b) ** 2).sum() for a, b in zip(exact, other))
    return 10 * numpy.log10(sum((a**2).sum() for a in exact) / noise)


def measured_by_strata(arguments, folder):
    out = pathlib.Path(folder) / "sensitivity.json"
    command = [arguments.strata, "sensitivity", arguments.model, "--data", arguments.data,
               "--samples", str(arguments.samples), "--leave-one-out", "--format", "json", "-o", str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads(out.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    here = pathlib.Path(__file__).resolve().parent.parent / "models" / "digits"
    parser.add_argument("--strata", required=True)
    parser.add_argument("--model", default="digits.onnx", help="a file of tests/models/digits")
    parser.add_argument("--samples", type=int, default=32)
    arguments = parser.parse_args()
    arguments.data = str(here / "images.npz")
    arguments.model = str(here / arguments.model)

    network = Network(arguments.model)
    images = next(iter(numpy.load(arguments.data).values()))[: arguments.samples].astype(numpy.float64)
    images = images.reshape(len(images), 1, 1, 8, 8)
    ranges, exact = {}, []
    for image in images:
        seen = {}
        exact.append(network.run(image, seen=seen))
        for name, values in seen.items():
            low, high = ranges.get(name, (0.0, 0.0))
            ranges[name] = (min(low, values.min()), max(high, values.max()))

    def quality(rounded):
        return sqnr(exact, [network.run(image, frozenset(rounded), ranges) for image in images])

    true = {"joint": quality(network.layers)}
    for layer in network.layers:
        true[layer.name()] = quality([layer])
        true[layer.name() + ", left out"] = quality([l for l in network.layers if l is not layer])
    drops = [10 ** (-true[layer.name()] / 10) for layer in network.layers]
    ratio = sum(drops) / 10 ** (-true["joint"] / 10)

    with tempfile.TemporaryDirectory() as folder:
        told = measured_by_strata(arguments, folder)
    printed = {"joint": told["facts"]["joint"]["value"]}
    for layer in told["tables"]["layers"]["rows"]:
        printed[layer["layer"]] = layer["value"]
        printed[layer["layer"] + ", left out"] = layer["left_out"]
    layers = {layer.name(): layer for layer in network.layers}
    for pair in told["facts"]["pairs"]:
        name = " and ".join(pair["layers"]) + ", left out"
        kept = [layers[layer] for layer in pair["layers"]]
        true[name] = quality([layer for layer in network.layers if not any(layer is one for one in kept)])
        printed[name] = pair["left_out"]["value"]
    if len(told["facts"]["pairs"]) != 10:
        sys.exit("not ten pairs of layers were left out")
    if set(printed) != set(true):
        sys.exit(f"strata has other layers: {sorted(set(printed) ^ set(true))}")
    worst = 0.0
    for name, value in true.items():
        error = abs(printed[name] - value)
        worst = max(worst, error)
        print(f"{name:40} numpy {value:8.4f} dB, strata {printed[name]:8.4f} dB, differ by {error:.4f}")
    print(f"R: numpy {ratio:.4f}, strata {told['facts']['additivity']:.4f}")
    print(f"{len(true)} figures compared, worst difference {worst:.4f} dB")
    if worst > TOLERANCE_DB or abs(told["facts"]["additivity"] / ratio - 1) > 0.01:
        sys.exit(f"more than {TOLERANCE_DB} dB apart")


if __name__ == "__main__":
    main()
