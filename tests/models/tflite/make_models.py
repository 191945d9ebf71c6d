#!/usr/bin/env python3
"""make_models.py FOLDER: writes the small .tflite files that tests read.

Needs numpy, flatbuffers and ai-edge-litert 2.3.0. Weights are zeros, or count up: only their shapes
and types matter. The files are kept beside this script, and they are ours.
"""
import io
import pathlib
import sys
import zipfile

import numpy as np

from network import Net, S, T, options

SAME, VALID = 0, 1
RELU, RELU6 = 1, 3


def image(net=None, kind=np.float32):
    """A convolution, a depthwise one, a mean and a linear layer, as MobileNet has them."""
    net = net or Net()
    g = net.subgraph()
    x = g.tensor("input", [1, 8, 8, 3])
    w1 = g.constant("w1", np.zeros([4, 3, 3, 3], kind))
    b1 = g.constant("b1", np.zeros([4], kind))
    a = g.tensor("model/re_lu/Relu6;model/bn/FusedBatchNormV3;model/conv/Conv2D", [1, 4, 4, 4])
    w2 = g.constant("w2", np.zeros([1, 3, 3, 8], kind))
    b2 = g.constant("b2", np.zeros([8], kind))
    b = g.tensor("model/bn_1/FusedBatchNormV3;model/depthwise/depthwise", [1, 4, 4, 8])
    axes = g.constant("axes", np.array([1, 2], np.int32))
    c = g.tensor("model/pool/Mean", [1, 8])
    w3 = g.constant("w3", np.zeros([5, 8], kind))
    d = g.tensor("model/dense/MatMul", [1, 5])
    unpacked = {}
    if kind == np.float16:
        for name, w, shape in [("w1", w1, [4, 3, 3, 3]), ("b1", b1, [4]), ("w2", w2, [1, 3, 3, 8]),
                               ("b2", b2, [8]), ("w3", w3, [5, 8])]:
            unpacked[w] = g.tensor(name + "_dequantize", shape)
            g.op("DEQUANTIZE", [w], [unpacked[w]])
    of = lambda w: unpacked.get(w, w)
    g.op("CONV_2D", [x, of(w1), of(b1)], [a],
         options("Conv2D", padding=SAME, strideW=2, strideH=2, fusedActivationFunction=RELU6))
    g.op("DEPTHWISE_CONV_2D", [a, of(w2), of(b2)], [b],
         options("DepthwiseConv2D", padding=SAME, strideW=1, strideH=1, depthMultiplier=2))
    g.op("MEAN", [b, axes], [c], options("Reducer", keepDims=False))
    g.op("FULLY_CONNECTED", [c, of(w3), -1], [d], options("FullyConnected"))
    g.t.inputs, g.t.outputs = [x], [d]
    return net


def integers(activations, weights, wide):
    """One layer with scales per channel: int8, int16x8, or weights of four bits."""
    net = Net()
    g = net.subgraph()
    x = g.tensor("input", [1, 16], activations, scales=[0.5])
    bits = np.zeros([4 * 16 * weights[1] // 8], np.int8)
    w = g.constant("w", bits, weights[0], [4, 16], scales=[0.1, 0.2, 0.3, 0.4])
    b = g.constant("b", np.zeros([4], np.int64 if wide else np.int32), scales=[0.05] * 4)
    y = g.tensor("dense/MatMul", [1, 4], activations, scales=[0.5])
    g.op("FULLY_CONNECTED", [x, w, b], [y], options("FullyConnected", fusedActivationFunction=RELU))
    g.t.inputs, g.t.outputs = [x], [y]
    return net


def open_sizes():
    """A batch and a height and width that the file leaves open; flattened by sizes it computes."""
    net = Net()
    g = net.subgraph()
    x = g.tensor("input", [1, 1, 1, 3], signature=[-1, -1, -1, 3])
    w = g.constant("w", np.zeros([4, 3, 3, 3], np.float32))
    a = g.tensor("conv/Conv2D", [1, 1, 1, 4], signature=[-1, -1, -1, 4])
    s = g.tensor("Shape", [4], T.INT32)
    ends = [g.constant(n, np.array([v], np.int32)) for n, v in [("from", 0), ("to", 1), ("by", 1)]]
    n = g.tensor("strided_slice", [], T.INT32)
    rest = g.constant("rest", np.array(-1, np.int32))
    p = g.tensor("pack", [2], T.INT32)
    y = g.tensor("Reshape", [1, 4], signature=[-1, -1])
    g.op("CONV_2D", [x, w, -1], [a], options("Conv2D", padding=SAME, strideW=2, strideH=2))
    g.op("SHAPE", [a], [s], options("Shape", outType=T.INT32))
    g.op("STRIDED_SLICE", [s, *ends], [n], options("StridedSlice", shrinkAxisMask=1))
    g.op("PACK", [n, rest], [p], options("Pack", valuesCount=2))
    g.op("RESHAPE", [a, p], [y], options("Reshape"))
    g.t.inputs, g.t.outputs = [x], [y]
    return net


def branches():
    """An If with a linear layer in one branch, and a While."""
    net = Net()
    g = net.subgraph()
    c = g.tensor("condition", [], T.BOOL)
    x = g.tensor("input", [1, 4])
    y = g.tensor("if", [1, 4])
    z = g.tensor("while", [1, 4])
    g.op("IF", [c, x], [y], options("If", thenSubgraphIndex=1, elseSubgraphIndex=2))
    g.op("WHILE", [y], [z], options("While", condSubgraphIndex=3, bodySubgraphIndex=2))
    g.t.inputs, g.t.outputs = [c, x], [z]
    then = net.subgraph("then")
    tx = then.tensor("tx", [1, 4])
    tw = then.constant("tw", np.zeros([4, 4], np.float32))
    ty = then.tensor("ty/MatMul", [1, 4])
    then.op("FULLY_CONNECTED", [tx, tw, -1], [ty], options("FullyConnected"))
    then.t.inputs, then.t.outputs = [tx], [ty]
    other = net.subgraph("else")
    ex = other.tensor("ex", [1, 4])
    ey = other.tensor("ey", [1, 4])
    other.op("RELU", [ex], [ey])
    other.t.inputs, other.t.outputs = [ex], [ey]
    cond = net.subgraph("cond")
    cx = cond.tensor("cx", [1, 4])
    cy = cond.tensor("cy", [], T.BOOL)
    axes = cond.constant("caxes", np.array([0, 1], np.int32))
    limit = cond.constant("climit", np.array(1, np.float32))
    cs = cond.tensor("cs", [])
    cond.op("SUM", [cx, axes], [cs], options("Reducer"))
    cond.op("LESS", [cs, limit], [cy])
    cond.t.inputs, cond.t.outputs = [cx], [cy]
    return net


def state():
    """A streaming layer: a variable that is initialized once, read, and assigned."""
    net = Net()
    g = net.subgraph()
    x = g.tensor("input", [1, 1, 4], T.INT8, scales=[0.5])
    h = g.tensor("stream/states", [], T.RESOURCE)
    r = g.tensor("stream/ReadVariableOp", [1, 2, 4], T.INT8, scales=[0.5])
    y = g.tensor("stream/concat", [1, 3, 4], T.INT8, scales=[0.5])
    begin, end, step = (g.constant(n, np.array(v, np.int32)) for n, v in
                        [("begin", [0, 1, 0]), ("end", [1, 3, 4]), ("step", [1, 1, 1])])
    s = g.tensor("stream/strided_slice", [1, 2, 4], T.INT8, scales=[0.5])
    g.op("CALL_ONCE", [], [], options("CallOnce", initSubgraphIndex=1))
    g.op("VAR_HANDLE", [], [h], options("VarHandle", sharedName="state"))
    g.op("READ_VARIABLE", [h], [r], options("ReadVariable"))
    g.op("CONCATENATION", [r, x], [y], options("Concatenation", axis=1))
    g.op("STRIDED_SLICE", [y, begin, end, step], [s], options("StridedSlice"))
    g.op("ASSIGN_VARIABLE", [h, s], [], options("AssignVariable"))
    g.t.inputs, g.t.outputs = [x], [y]
    i = net.subgraph("init")
    ih = i.tensor("init/states", [], T.RESOURCE)
    iv = i.constant("zeros", np.zeros([1, 2, 4], np.int8), scales=[0.5])
    i.op("VAR_HANDLE", [], [ih], options("VarHandle", sharedName="state"))
    i.op("ASSIGN_VARIABLE", [ih, iv], [], options("AssignVariable"))
    return net


def sparse():
    """A dense layer of 4×4 weights, of which 4 are stored."""
    net = Net()
    g = net.subgraph()
    x = g.tensor("input", [1, 4])
    w = g.constant("w", np.ones([4], np.float32), shape=[4, 4])
    sparsity = S.SparsityParametersT()
    sparsity.traversalOrder = [0, 1]
    rows, columns = S.DimensionMetadataT(), S.DimensionMetadataT()
    rows.format, rows.denseSize = S.DimensionType.DENSE, 4
    columns.format = S.DimensionType.SPARSE_CSR
    segments, indices = S.Int32VectorT(), S.Int32VectorT()
    segments.values, indices.values = [0, 1, 2, 3, 4], [0, 1, 2, 3]
    columns.arraySegmentsType = columns.arrayIndicesType = S.SparseIndexVector.Int32Vector
    columns.arraySegments, columns.arrayIndices = segments, indices
    sparsity.dimMetadata = [rows, columns]
    g.t.tensors[w].sparsity = sparsity
    d = g.tensor("w_dense", [4, 4])
    y = g.tensor("dense/MatMul", [1, 4])
    g.op("DENSIFY", [w], [d], options("Densify"))
    g.op("FULLY_CONNECTED", [x, d, -1], [y], options("FullyConnected"))
    g.t.inputs, g.t.outputs = [x], [y]
    return net


def signatures():
    """Two signatures with a subgraph each, and a custom operator in one of them."""
    net = image()
    g = net.subgraph("second")
    x = g.tensor("x", [2, 3])
    y = g.tensor("y", [2, 3])
    g.op("MyOwn", [x], [y])
    g.t.inputs, g.t.outputs = [x], [y]
    net.m.signatureDefs = []
    for number, key in enumerate(["encode", "decode"]):
        s = S.SignatureDefT()
        s.signatureKey, s.subgraphIndex = key, number
        s.inputs, s.outputs = [], []
        for maps, ids in [(s.inputs, net.m.subgraphs[number].inputs),
                          (s.outputs, net.m.subgraphs[number].outputs)]:
            m = S.TensorMapT()
            m.name, m.tensorIndex = "x", ids[0]
            maps.append(m)
        net.m.signatureDefs.append(s)
    return net


def behind():
    """The weights stand behind the tables, as in files of more than 2 GB."""
    net = integers(T.INT8, (T.INT8, 8), False)
    weights = net.m.buffers[1]
    size, weights.data = len(weights.data), None
    weights.offset, weights.size = 1 << 20, size
    at = (len(net.bytes()) + 15) // 16 * 16
    weights.offset = at
    data = net.bytes()
    return data + bytes(at - len(data)) + bytes(size)


def with_zip():
    """A metadata zip stands behind the model."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as z:
        z.writestr(zipfile.ZipInfo("labels.txt"), "cat\ndog\n")
    return image().bytes() + packed.getvalue()


MODELS = {
    "image": image,
    "image_float16": lambda: image(kind=np.float16),
    "int8": lambda: integers(T.INT8, (T.INT8, 8), False),
    "int16x8": lambda: integers(T.INT16, (T.INT8, 8), True),
    "int4": lambda: integers(T.INT8, (T.INT4, 4), False),
    "open_sizes": open_sizes,
    "branches": branches,
    "state": state,
    "sparse": sparse,
    "signatures": signatures,
    "behind": behind,
    "with_zip": with_zip,
}

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    for name, make in MODELS.items():
        made = make()
        (folder / f"{name}.tflite").write_bytes(made if isinstance(made, bytes) else made.bytes())
