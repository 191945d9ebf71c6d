"""make_kernels.py FOLDER: writes networks of one operator whose kernel requests scratch memory, and two with
control flow. tests/tflite/check_models.py compares their heads with those of TFLite Micro."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "models/tflite"))
from network import Net, T, options  # noqa: E402

ARRAYS = {T.FLOAT32: np.float32, T.INT8: np.int8, T.INT16: np.int16, T.INT32: np.int32, T.INT64: np.int64}
IMAGE = [1, 6, 6, 4]


class One:
    """A network of one operator. Integers have a scale of 0.01."""

    def __init__(self, op, opt=None):
        self.net, self.op, self.opt = Net(), op, opt
        self.g = self.net.subgraph()
        self.inputs, self.given = [], []

    def new(self, shape, kind):
        scales = [0.01] if kind in (T.INT8, T.INT16, T.INT64) else None
        return self.g.tensor(f"t{len(self.g.t.tensors)}", shape, kind, scales=scales)

    def takes(self, shape, kind):
        self.inputs.append(self.new(shape, kind))
        self.given.append(self.inputs[-1])
        return self

    def holds(self, values, kind):
        scales = [0.01] if kind in (T.INT8, T.INT16, T.INT64) else None
        self.inputs.append(self.g.constant(f"c{len(self.inputs)}", np.asarray(values, ARRAYS[kind]), scales=scales))
        return self

    def keeps(self, shape, kind):
        """A variable."""
        self.inputs.append(self.new(shape, kind))
        self.g.t.tensors[-1].isVariable = True
        return self

    def leaves_out(self, count):
        self.inputs += [-1] * count
        return self

    def makes(self, shape, kind):
        y = self.new(shape, kind)
        self.g.op(self.op, self.inputs, [y], self.opt)
        self.g.t.inputs, self.g.t.outputs = self.given, [y]
        return self.net


def lstm(kind):
    """5 steps of 6 inputs, 4 cells, a batch of 2."""
    weights = T.FLOAT32 if kind == T.FLOAT32 else T.INT8
    bias = {T.FLOAT32: T.FLOAT32, T.INT8: T.INT32, T.INT16: T.INT64}[kind]
    n = One("UNIDIRECTIONAL_SEQUENCE_LSTM", options("UnidirectionalSequenceLSTM", fusedActivationFunction=4))
    n.takes([2, 5, 6], kind)
    for columns in [6] * 4 + [4] * 4:
        n.holds(np.zeros([4, columns]), weights)
    n.leaves_out(3)
    for _ in range(4):
        n.holds(np.zeros(4), bias)
    n.leaves_out(2).keeps([2, 4], kind).keeps([2, 4], T.FLOAT32 if kind == T.FLOAT32 else T.INT16)
    if kind != T.FLOAT32:
        n.g.t.tensors[-1].quantization.scale = [2.0 ** -11]
    return n.leaves_out(4).makes([2, 5, 4], kind)


def product(kind):
    return One("BATCH_MATMUL", options("BatchMatMul", adjX=True)).takes([2, 4, 3], kind).takes([2, 4, 5], kind).makes(
        [2, 3, 5], kind)


def branches():
    """An If: a product in one branch, a sum in the other."""
    net = Net()
    g = net.subgraph()
    c, x, y = g.tensor("condition", [], T.BOOL), g.tensor("x", [1, 8]), g.tensor("y", [1, 8])
    g.op("IF", [c, x], [y], options("If", thenSubgraphIndex=1, elseSubgraphIndex=2))
    g.t.inputs, g.t.outputs = [c, x], [y]
    for name in ("then", "else"):
        s = net.subgraph(name)
        a, b, d = s.tensor(name + "_a", [1, 8]), s.tensor(name + "_b", [1, 8]), s.tensor(name + "_d", [1, 8])
        if name == "then":
            s.op("FULLY_CONNECTED", [a, s.constant("w", np.zeros([8, 8], np.float32)), -1], [b], options("FullyConnected"))
        else:
            s.op("RELU", [a], [b])
        s.op("LOGISTIC", [b], [d])
        s.t.inputs, s.t.outputs = [a], [d]
    return net


def loop(stated=True):
    """10 products with 8x8 weights. Without `stated`, an input says how many."""
    net = Net()
    g = net.subgraph()
    x = g.tensor("x", [1, 8])
    start = g.constant("start", np.array(0, np.int32))
    n = g.constant("n", np.array(10, np.int32)) if stated else g.tensor("n", [], T.INT32)
    outs = [g.tensor("i_end", [], T.INT32), g.tensor("n_end", [], T.INT32), g.tensor("y", [1, 8])]
    g.op("WHILE", [start, n, x], outs, options("While", condSubgraphIndex=1, bodySubgraphIndex=2))
    g.t.inputs, g.t.outputs = [x] if stated else [x, n], [outs[2]]
    cond = net.subgraph("cond")
    variables = [cond.tensor("ci", [], T.INT32), cond.tensor("cn", [], T.INT32), cond.tensor("cx", [1, 8])]
    less, first, both = (cond.tensor(name, [], T.BOOL) for name in ("less", "first", "both"))
    cond.op("LESS", variables[:2], [less])
    cond.op("GREATER_EQUAL", [cond.constant("most", np.array(99, np.int32)), variables[0]], [first])
    cond.op("LOGICAL_AND", [first, less], [both])
    cond.t.inputs, cond.t.outputs = variables, [both]
    body = net.subgraph("body")
    i, n, x = body.tensor("bi", [], T.INT32), body.tensor("bn", [], T.INT32), body.tensor("bx", [1, 8])
    more, y = body.tensor("more", [], T.INT32), body.tensor("by", [1, 8])
    body.op("ADD", [i, body.constant("one", np.array(1, np.int32))], [more], options("Add"))
    weights = body.constant("weights", np.ones([8, 8], np.float32))
    body.op("FULLY_CONNECTED", [x, weights, -1], [y], options("FullyConnected"))
    body.t.inputs, body.t.outputs = [i, n, x], [more, n, y]
    return net


def networks():
    image = lambda op, opt=None: One(op, opt).takes(IMAGE, T.FLOAT32)  # noqa: E731
    yield "mirror", image("MIRROR_PAD", options("MirrorPad")).holds([[0, 0], [1, 1], [1, 1], [0, 0]], T.INT32).makes(
        [1, 8, 8, 4], T.FLOAT32)
    yield "sum_of_five", image("ADD_N").takes(IMAGE, T.FLOAT32).takes(IMAGE, T.FLOAT32).takes(IMAGE, T.FLOAT32).takes(
        IMAGE, T.FLOAT32).makes(IMAGE, T.FLOAT32)
    yield "all", One("REDUCE_ALL", options("Reducer")).takes(IMAGE, T.BOOL).holds([1, 2], T.INT32).makes([1, 4], T.BOOL)
    yield "svdf", One("SVDF", options("SVDF", rank=2)).takes([2, 16], T.FLOAT32).holds(np.zeros([8, 16]), T.FLOAT32).holds(
        np.zeros([8, 10]), T.FLOAT32).holds(np.zeros(4), T.FLOAT32).keeps([2, 80], T.FLOAT32).makes([2, 4], T.FLOAT32)
    for name, kind in (("float", T.FLOAT32), ("int8", T.INT8), ("int16", T.INT16)):
        yield f"lstm_{name}", lstm(kind)
    yield "product_int8", product(T.INT8)
    yield "branches", branches()
    yield "loop", loop()
    yield "loop_open", loop(False)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, net in networks():
        (folder / f"{name}.tflite").write_bytes(net.bytes())
