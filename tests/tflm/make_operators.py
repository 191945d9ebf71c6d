"""make_operators.py FOLDER: writes networks of one operator each, in float and in int8, for the operators that have a
kernel in TFLite Micro. tests/tflite/check_models.py compares their arenas with what TFLite Micro prints."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "models/tflite"))
from make_kernels import IMAGE, One  # noqa: E402
from network import T, options  # noqa: E402

F, I8, I16, I32 = T.FLOAT32, T.INT8, T.INT16, T.INT32

# Operators of one image, and of two; the name of their options, if they have any.
UNARY = {"RELU": None, "RELU6": None, "TANH": None, "LEAKY_RELU": "LeakyRelu", "HARD_SWISH": None, "ELU": None,
         "ABS": "Abs", "RSQRT": None, "L2_NORMALIZATION": "L2Norm", "SQRT": None, "NEG": "Neg", "LOG": None, "SIN": None,
         "FLOOR": None, "SQUARE": "Square", "ZEROS_LIKE": "ZerosLike", "COS": None}
BINARY = {"ADD": "Add", "MUL": "Mul", "SUB": "Sub", "DIV": "Div", "MAXIMUM": "MaximumMinimum", "MINIMUM": "MaximumMinimum",
          "SQUARED_DIFFERENCE": "SquaredDifference", "FLOOR_DIV": "FloorDiv", "FLOOR_MOD": "FloorMod", "ADD_N": None}
COMPARISONS = {"EQUAL": "Equal", "NOT_EQUAL": "NotEqual", "GREATER": "Greater", "GREATER_EQUAL": "GreaterEqual",
               "LESS": "Less", "LESS_EQUAL": "LessEqual"}
POOLS = {F: ["AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"], I8: ["AVERAGE_POOL_2D", "MAX_POOL_2D"]}
REDUCTIONS = ["MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"]
BORDER = [[0, 0], [1, 1], [1, 1], [0, 0]]
# Operators of one image and a list of integers: options, the list, and the sizes of the output.
LISTS = {"PAD": (options("Pad"), BORDER, [1, 8, 8, 4]), "MIRROR_PAD": (options("MirrorPad"), BORDER, [1, 8, 8, 4]),
         "RESHAPE": (options("Reshape", newShape=[1, 144]), [1, 144], [1, 144]), "TRANSPOSE": (None, [0, 2, 1, 3], IMAGE),
         "EXPAND_DIMS": (None, 0, [1, *IMAGE]), "CUMSUM": (options("Cumsum"), 1, IMAGE), "REVERSE_V2": (None, [1], IMAGE),
         "RESIZE_BILINEAR": (options("ResizeBilinear"), [12, 12], [1, 12, 12, 4]),
         "RESIZE_NEAREST_NEIGHBOR": (options("ResizeNearestNeighbor"), [12, 12], [1, 12, 12, 4]),
         "GATHER": (options("Gather", axis=1), [0, 1], [1, 2, 6, 4]), "GATHER_ND": (None, [[0]], IMAGE)}


def with_scale(net, scale, zero):
    """Some kernels take only one scale of their output."""
    made = net.m.subgraphs[0].tensors[-1].quantization
    made.scale, made.zeroPoint = [scale], [zero]
    return net


def parts(op, kind, count, *settings, axis_first=False):
    """A network that takes an image apart along its last axis."""
    n = One(op, options({"SPLIT": "Split", "SPLIT_V": "SplitV"}[op], numSplits=count))
    if axis_first:
        n.holds(3, I32)
    n.takes(IMAGE, kind)
    for values in settings:
        n.holds(values, I32)
    made = [n.new([1, 6, 6, 4 // count], kind) for _ in range(count)]
    n.g.op(op, n.inputs, made, n.opt)
    n.g.t.inputs, n.g.t.outputs = n.given, made
    return n.net


def of_either(kind):
    image = lambda op, opt=None: One(op, opt and options(opt)).takes(IMAGE, kind)  # noqa: E731
    bias = F if kind == F else I32
    for op, opt in UNARY.items():
        yield op, image(op, opt).makes(IMAGE, kind)
    for op, opt in BINARY.items():
        yield op, image(op, opt).takes(IMAGE, kind).makes(IMAGE, kind)
    for op, opt in COMPARISONS.items():
        yield op, image(op, opt).takes(IMAGE, kind).makes(IMAGE, T.BOOL)
    for op in POOLS[kind]:
        window = options("Pool2D", padding=1, strideW=2, strideH=2, filterWidth=2, filterHeight=2)
        yield op, One(op, window).takes(IMAGE, kind).makes([1, 3, 3, 4], kind)
    for op in REDUCTIONS:
        yield op, image(op, "Reducer").holds([1, 2], I32).makes([1, 4], kind)
    for op, (opt, values, shape) in LISTS.items():
        yield op, One(op, opt).takes(IMAGE, kind).holds(values, I32).makes(shape, kind)
    scales = {F: {}, I8: {"LOGISTIC": (1 / 256, -128), "SOFTMAX": (1 / 256, -128), "LOG_SOFTMAX": (16 / 256, 127)}}[kind]
    for op, opt in (("LOGISTIC", None), ("SOFTMAX", "Softmax"), ("LOG_SOFTMAX", "LogSoftmax")):
        net = One(op, opt and options(opt, **({"beta": 1.0} if opt == "Softmax" else {}))).takes(IMAGE, kind).makes(IMAGE, kind)
        yield op, with_scale(net, *scales[op]) if scales else net
    yield "PRELU", image("PRELU").holds(np.zeros([1, 1, 4]), kind).makes(IMAGE, kind)
    yield "PADV2", image("PADV2", "PadV2").holds(BORDER, I32).holds([0], kind).makes([1, 8, 8, 4], kind)
    yield "SQUEEZE", One("SQUEEZE", options("Squeeze", squeezeDims=[0])).takes(IMAGE, kind).makes(IMAGE[1:], kind)
    yield "STRIDED_SLICE", image("STRIDED_SLICE", "StridedSlice").holds([0] * 4, I32).holds([1, 4, 4, 4], I32).holds(
        [1] * 4, I32).makes([1, 4, 4, 4], kind)
    yield "SLICE", image("SLICE", "Slice").holds([0] * 4, I32).holds([1, 4, 4, 4], I32).makes([1, 4, 4, 4], kind)
    yield "CONCATENATION", One("CONCATENATION", options("Concatenation", axis=3)).takes(IMAGE, kind).takes(
        IMAGE, kind).makes([1, 6, 6, 8], kind)
    yield "PACK", One("PACK", options("Pack", axis=0, valuesCount=2)).takes(IMAGE, kind).takes(IMAGE, kind).makes(
        [2, *IMAGE], kind)
    yield "SPLIT", parts("SPLIT", kind, 2, axis_first=True)
    yield "SPLIT_V", parts("SPLIT_V", kind, 2, [2, 2], 3)
    yield "DEPTH_TO_SPACE", One("DEPTH_TO_SPACE", options("DepthToSpace", blockSize=2)).takes(IMAGE, kind).makes(
        [1, 12, 12, 1], kind)
    yield "SPACE_TO_DEPTH", One("SPACE_TO_DEPTH", options("SpaceToDepth", blockSize=2)).takes(IMAGE, kind).makes(
        [1, 3, 3, 16], kind)
    yield "SPACE_TO_BATCH_ND", image("SPACE_TO_BATCH_ND").holds([2, 2], I32).holds([[0, 0], [0, 0]], I32).makes(
        [4, 3, 3, 4], kind)
    yield "BATCH_TO_SPACE_ND", One("BATCH_TO_SPACE_ND").takes([4, 3, 3, 4], kind).holds([2, 2], I32).holds(
        [[0, 0], [0, 0]], I32).makes(IMAGE, kind)
    yield "CONV_2D", One("CONV_2D", options("Conv2D", padding=0, strideW=1, strideH=1)).takes(IMAGE, kind).holds(
        np.zeros([5, 3, 3, 4]), kind).holds(np.zeros(5), bias).makes([1, 6, 6, 5], kind)
    yield "DEPTHWISE_CONV_2D", One("DEPTHWISE_CONV_2D", options(
        "DepthwiseConv2D", padding=0, strideW=1, strideH=1, depthMultiplier=1)).takes(IMAGE, kind).holds(
            np.zeros([1, 3, 3, 4]), kind).holds(np.zeros(4), bias).makes(IMAGE, kind)
    yield "TRANSPOSE_CONV", One("TRANSPOSE_CONV", options("TransposeConv", padding=0, strideW=2, strideH=2)).holds(
        [1, 12, 12, 5], I32).holds(np.zeros([5, 3, 3, 4]), kind).takes(IMAGE, kind).makes([1, 12, 12, 5], kind)
    yield "FULLY_CONNECTED", One("FULLY_CONNECTED", options("FullyConnected")).takes([1, 8], kind).holds(
        np.zeros([5, 8]), kind).holds(np.zeros(5), bias).makes([1, 5], kind)
    for first in (False, True):
        for second in (False, True):
            yield f"BATCH_MATMUL_{first:d}{second:d}", One("BATCH_MATMUL", options(
                "BatchMatMul", adjX=first, adjY=second)).takes([2, 4, 3] if first else [2, 3, 4], kind).takes(
                    [2, 5, 4] if second else [2, 4, 5], kind).makes([2, 3, 5], kind)
    for op in ("ARG_MAX", "ARG_MIN"):
        yield op, One(op, options("ArgMax" if op == "ARG_MAX" else "ArgMin")).takes(IMAGE, kind).holds(3, I32).makes(
            [1, 6, 6], I32)
    yield "SELECT_V2", One("SELECT_V2").takes(IMAGE, T.BOOL).takes(IMAGE, kind).takes(IMAGE, kind).makes(IMAGE, kind)
    yield "SHAPE", image("SHAPE", "Shape").makes([4], I32)
    yield "EMBEDDING_LOOKUP", One("EMBEDDING_LOOKUP").takes([2], I32).holds(np.zeros([6, 4]), kind).makes([2, 4], F)
    yield "CAST", image("CAST", "Cast").makes(IMAGE, I32)


def svdf():
    n = One("SVDF", options("SVDF", rank=2)).takes([2, 16], I8).holds(np.zeros([8, 16]), I8).holds(
        np.zeros([8, 10]), I16).holds(np.zeros(4), I32).keeps([2, 80], I16)
    made = n.makes([2, 4], I8)
    sums = n.g.t.tensors[n.inputs[3]]
    sums.quantization = type(n.g.t.tensors[n.inputs[0]].quantization)()
    sums.quantization.scale, sums.quantization.zeroPoint = [1e-4], [0]
    return made


def narrow(op):
    """Weights of four bits, which are unpacked when the kernel runs."""
    window = dict(padding=0, strideW=1, strideH=1)
    opt, shape, axis, given, made = {
        "CONV_2D": (options("Conv2D", **window), [5, 3, 3, 4], 0, IMAGE, [1, 6, 6, 5]),
        "DEPTHWISE_CONV_2D": (options("DepthwiseConv2D", depthMultiplier=1, **window), [1, 3, 3, 4], 3, IMAGE, IMAGE),
        "FULLY_CONNECTED": (options("FullyConnected"), [5, 8], 0, [1, 8], [1, 5])}[op]
    n = One(op, opt).takes(given, I8)
    scales = [0.01] * (1 if op == "FULLY_CONNECTED" else shape[axis])
    n.inputs.append(n.g.constant("weights", np.zeros(int(np.prod(shape)) // 2, np.uint8), kind=T.INT4, shape=shape,
                                 scales=scales, axis=axis))
    return n.holds(np.zeros(shape[axis]), I32).makes(made, I8)


def networks():
    for kind, name in ((F, "float"), (I8, "int8")):
        for op, net in of_either(kind):
            yield f"{op.lower()}_{name}", net
    image = lambda op, kind: One(op).takes(IMAGE, kind)  # noqa: E731
    yield "quantize", image("QUANTIZE", F).makes(IMAGE, I8)
    yield "requantize", image("QUANTIZE", I16).makes(IMAGE, I8)
    yield "dequantize", image("DEQUANTIZE", I8).makes(IMAGE, F)
    yield "logical_not", image("LOGICAL_NOT", T.BOOL).makes(IMAGE, T.BOOL)
    yield "logical_or", image("LOGICAL_OR", T.BOOL).takes(IMAGE, T.BOOL).makes(IMAGE, T.BOOL)
    yield "svdf_int8", svdf()
    for op in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"):
        yield f"{op.lower()}_int4", narrow(op)
    yield "softmax_int16", with_scale(One("SOFTMAX", options("Softmax", beta=1.0)).takes(IMAGE, I16).makes(IMAGE, I16),
                                      1 / 32768, 0)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, net in networks():
        (folder / f"{name}.tflite").write_bytes(net.bytes())
