"""make_networks.py FOLDER: writes 40 small quantized networks for TFLite Micro, from a fixed seed."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "models/tflite"))
from network import Net, S, T, options  # noqa: E402


class Chain:
    """A network that grows by one layer at a time, with activations of one integer type."""

    def __init__(self, random, kind):
        self.random, self.kind, self.net = random, kind, Net()
        self.g = self.net.subgraph()
        self.shapes, self.count = {}, 0

    def new(self, shape):
        self.count += 1
        t = self.g.tensor(f"t{self.count}", shape, self.kind, scales=[0.5])
        self.shapes[t] = list(shape)
        return t

    def weights(self, shape, axis):
        return self.g.constant(f"w{self.count}", np.zeros(shape, np.int8), scales=[0.01] * shape[axis],
                               axis=axis)

    def bias(self, n):
        wide = self.kind == T.INT16
        return self.g.constant(f"b{self.count}", np.zeros([n], np.int64 if wide else np.int32),
                               scales=[0.005] * n)

    def conv(self, x, n, size=3, stride=1):
        b, h, w, c = self.shapes[x]
        y = self.new([b, -(-h // stride), -(-w // stride), n])
        self.g.op("CONV_2D", [x, self.weights([n, size, size, c], 0), self.bias(n)], [y],
                  options("Conv2D", padding=0, strideW=stride, strideH=stride,
                          fusedActivationFunction=1))
        return y

    def depthwise(self, x, stride=1):
        b, h, w, c = self.shapes[x]
        y = self.new([b, -(-h // stride), -(-w // stride), c])
        self.g.op("DEPTHWISE_CONV_2D", [x, self.weights([1, 3, 3, c], 3), self.bias(c)], [y],
                  options("DepthwiseConv2D", padding=0, strideW=stride, strideH=stride,
                          depthMultiplier=1))
        return y

    def add(self, a, b):
        y = self.new(self.shapes[a])
        self.g.op("ADD", [a, b], [y], options("Add"))
        return y

    def concat(self, tensors):
        shape = list(self.shapes[tensors[0]])
        shape[3] = sum(self.shapes[t][3] for t in tensors)
        y = self.new(shape)
        self.g.op("CONCATENATION", tensors, [y], options("Concatenation", axis=3))
        return y

    def pool(self, x, kind):
        b, h, w, c = self.shapes[x]
        y = self.new([b, h // 2, w // 2, c])
        self.g.op(kind, [x], [y], options("Pool2D", padding=1, strideW=2, strideH=2, filterWidth=2,
                                          filterHeight=2))
        return y

    def mean(self, x):
        b, h, w, c = self.shapes[x]
        y = self.new([b, c])
        axes = self.g.constant(f"axes{self.count}", np.array([1, 2], np.int32))
        self.g.op("MEAN", [x, axes], [y], options("Reducer", keepDims=False))
        return y

    def linear(self, x, n):
        rows = self.shapes[x][0]
        inner = int(np.prod(self.shapes[x])) // rows
        y = self.new([rows, n])
        w = self.g.constant(f"w{self.count}", np.zeros([n, inner], np.int8), scales=[0.01])
        b = self.g.constant(f"b{self.count}",
                            np.zeros([n], np.int64 if self.kind == T.INT16 else np.int32), scales=[0.005])
        self.g.op("FULLY_CONNECTED", [x, w, b], [y], options("FullyConnected"))
        return y

    def softmax(self, x):
        y = self.new(self.shapes[x])
        if self.kind == T.INT8:
            q = self.g.t.tensors[y].quantization
            q.scale, q.zeroPoint = [1 / 256], [-128]
        else:
            self.g.t.tensors[y].quantization.scale = [1 / 32768]
        self.g.op("SOFTMAX", [x], [y], options("Softmax", beta=1.0))
        return y


def network(number):
    random = np.random.default_rng(number)
    n = Chain(random, T.INT16 if number % 5 == 4 else T.INT8)
    side = int(random.choice([8, 12, 16, 24, 31]))
    x = n.new([1, side, int(random.choice([side, 10])), int(random.choice([1, 3, 4]))])
    first = x
    earlier = []
    for _ in range(int(random.integers(2, 12))):
        what = random.choice(["conv", "wide", "down", "depthwise", "add", "concat", "pool"])
        shape = n.shapes[x]
        if what == "conv":
            x = n.conv(x, int(random.choice([4, 8, 12])), int(random.choice([1, 3])))
        elif what == "wide":
            x = n.conv(x, int(random.choice([16, 24, 32])), 1)
        elif what == "down" and shape[1] > 3:
            x = n.conv(x, shape[3] + 4, 3, 2)
        elif what == "depthwise":
            x = n.depthwise(x, int(random.choice([1, 2])))
        elif what == "pool" and shape[1] > 3 and shape[2] > 3:
            x = n.pool(x, str(random.choice(["MAX_POOL_2D", "AVERAGE_POOL_2D"])))
        elif what == "add":
            same = [e for e in earlier if n.shapes[e] == shape]
            if same:
                x = n.add(x, same[int(random.integers(len(same)))])
        elif what == "concat":
            same = [e for e in earlier if n.shapes[e][:3] == shape[:3] and e != x]
            if same:
                x = n.concat([x, same[int(random.integers(len(same)))]])
        earlier.append(x)
    if number % 3 == 0:
        x = n.mean(x)
    x = n.softmax(n.linear(x, 10))
    n.g.t.inputs, n.g.t.outputs = [first], [x]
    return n.net


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(40):
        (folder / f"made_{i:02}.tflite").write_bytes(network(i).bytes())
