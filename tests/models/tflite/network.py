"""Writes .tflite files with the schema module of a LiteRT or TFLite Micro package."""
import flatbuffers
import numpy as np

try:
    from ai_edge_litert import schema_py_generated as S
except ImportError:
    from tflite_micro.python.tflite_micro import schema_py_generated as S

T = S.TensorType
TYPES = {np.dtype("float32"): T.FLOAT32, np.dtype("float16"): T.FLOAT16, np.dtype("int32"): T.INT32,
         np.dtype("int8"): T.INT8, np.dtype("uint8"): T.UINT8, np.dtype("int16"): T.INT16,
         np.dtype("int64"): T.INT64, np.dtype("bool"): T.BOOL}


class Subgraph:
    def __init__(self, net, name):
        self.net, self.t = net, S.SubGraphT()
        self.t.name, self.t.tensors, self.t.operators = name, [], []
        self.t.inputs, self.t.outputs = [], []

    def tensor(self, name, shape, kind=T.FLOAT32, buffer=0, scales=None, axis=0, signature=None):
        t = S.TensorT()
        t.name, t.shape, t.type, t.buffer = name, list(shape), kind, buffer
        if signature is not None:
            t.shapeSignature = list(signature)
        if scales is not None:
            q = S.QuantizationParametersT()
            q.scale, q.zeroPoint = [float(s) for s in scales], [0] * len(scales)
            q.quantizedDimension = axis
            t.quantization = q
        self.t.tensors.append(t)
        return len(self.t.tensors) - 1

    def constant(self, name, array, kind=None, shape=None, **how):
        array = np.ascontiguousarray(array)
        buffer = self.net.buffer(array.tobytes())
        return self.tensor(name, array.shape if shape is None else shape,
                           TYPES[array.dtype] if kind is None else kind, buffer, **how)

    def op(self, name, inputs, outputs, options=None, kind=None, version=1):
        o = S.OperatorT()
        o.opcodeIndex = self.net.code(name, version)
        o.inputs, o.outputs = list(inputs), list(outputs)
        if options is not None:
            o.builtinOptions = options
            o.builtinOptionsType = getattr(S.BuiltinOptions, type(options).__name__[:-1])
        self.t.operators.append(o)
        return o


class Net:
    def __init__(self):
        self.m = S.ModelT()
        self.m.version, self.m.description = 3, "made by strata's tests"
        self.m.buffers, self.m.operatorCodes, self.m.subgraphs = [S.BufferT()], [], []
        self.codes = {}

    def subgraph(self, name="main"):
        s = Subgraph(self, name)
        self.m.subgraphs.append(s.t)
        return s

    def buffer(self, data):
        b = S.BufferT()
        b.data = list(data)
        self.m.buffers.append(b)
        return len(self.m.buffers) - 1

    def code(self, name, version):
        if (name, version) not in self.codes:
            c = S.OperatorCodeT()
            number = getattr(S.BuiltinOperator, name, S.BuiltinOperator.CUSTOM)
            c.builtinCode, c.deprecatedBuiltinCode = number, min(number, 127)
            c.version = version
            if number == S.BuiltinOperator.CUSTOM:
                c.customCode = name
            self.codes[(name, version)] = len(self.m.operatorCodes)
            self.m.operatorCodes.append(c)
        return self.codes[(name, version)]

    def bytes(self):
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.m.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def options(name, **fields):
    o = getattr(S, name + "OptionsT")()
    for key, value in fields.items():
        assert hasattr(o, key), (name, key)
        setattr(o, key, value)
    return o
