"""Counts of an IR file that share no code with strata: from the text of the file, and from the graph
that OpenVINO makes of it."""
from xml.etree import ElementTree

import numpy as np

# Inputs that are settings, by operator.
SETTINGS = {"Swish": [1], "HardSigmoid": [1, 2], "Pad": [3], "Interpolate": [1, 2], "MVN": [1],
            "FakeQuantize": [1, 2, 3, 4], "Selu": [1, 2], "ScaledDotProductAttention": [4],
            "NonMaxSuppression": [2, 3, 4, 5]}
FLOATS = {"f32": np.float32, "f16": np.float16}


def parameters_of(path):
    """Elements of the float constants that operators compute with, in all bodies of a file whose weights
    are not packed. Equal constants have one place in the .bin file, and are one weight; those of one
    number are equal by chance."""
    data, total, seen = path.with_suffix(".bin").read_bytes(), 0, set()
    for net in ElementTree.parse(path).iter():
        if net.find("layers") is None:
            continue
        types = {layer.get("id"): layer.get("type") for layer in net.find("layers")}
        readers = {}
        for edge in net.find("edges"):
            readers.setdefault(edge.get("from-layer"), []).append(
                (types[edge.get("to-layer")], int(edge.get("to-port"))))
        for layer in net.find("layers"):
            constant = layer.find("data")
            if layer.get("type") != "Const" or constant.get("element_type") not in FLOATS:
                continue
            if all(port in SETTINGS.get(kind, []) for kind, port in readers[layer.get("id")]):
                continue
            start, size = int(constant.get("offset")), int(constant.get("size"))
            values = np.frombuffer(data[start:start + size], FLOATS[constant.get("element_type")])
            if values.size > 1 and np.ptp(values) > 0:
                key = (start, constant.get("shape"))
                if key in seen:
                    continue
                seen.add(key)
            total += values.size
    return total


def sizes(shape):
    return [size.get_length() for size in shape]


def product(shape):
    return int(np.prod(shape, dtype=np.int64))


def macs_of(op):
    """Multiplications that are added up; None if bodies or data decide them."""
    kind = op.get_type_name()
    if kind in ("If", "Loop", "TensorIterator", "Einsum", "ScaledDotProductAttention"):
        return None
    into = lambda i: sizes(op.input_value(i).get_partial_shape())  # noqa: E731
    out = lambda: product(sizes(op.get_output_partial_shape(0)))  # noqa: E731
    if kind in ("Convolution", "GroupConvolution"):
        return out() * product(into(1)[1 if kind == "Convolution" else 2:])
    if kind in ("ConvolutionBackpropData", "GroupConvolutionBackpropData"):
        return product(into(0)) * product(into(1)[1 if kind.startswith("Conv") else 2:])
    if kind == "MatMul":
        first = into(0)
        is_transposed = op.get_attributes()["transpose_a"] and len(first) > 1
        return out() * first[-2 if is_transposed else -1]
    if kind in ("LSTMSequence", "GRUSequence", "RNNSequence"):
        at = 4 if kind == "LSTMSequence" else 3
        directions, rows, inner = into(at)
        return product(into(0)[:2]) * directions * rows * (inner + into(at + 1)[2])
    return 0


def count_macs(network):
    """The MACs of a network whose sizes are all known; None if they cannot be told by shapes."""
    total = 0
    for op in network.get_ordered_ops():
        if op.get_type_name() in ("Parameter", "Constant", "Result"):
            continue
        try:
            own = macs_of(op)
        except RuntimeError:  # a size depends on data
            own = None
        if own is None:
            return None
        total += own
    return total


def shapes_of(network):
    """The shapes of each layer's outputs, by its name. A size that data decides is None, and so is a
    shape whose number of axes OpenVINO does not know."""
    shapes = {}
    for op in network.get_ordered_ops():
        for i in range(op.get_output_size()):
            shape = op.get_output_partial_shape(i)
            shapes.setdefault(op.get_friendly_name(), []).append(
                [size.get_length() if size.is_static else None for size in shape]
                if shape.rank.is_static else None)
    return shapes


def agree(own, theirs):
    """True if no size differs; strata names a size that OpenVINO does not know."""
    return theirs is None or (len(own) == len(theirs) and all(
        size in (None, mine) for mine, size in zip(own, theirs)))
