#!/usr/bin/python3
"""Makes the small models of this folder. Debian's python3-onnx is enough.

Weights have a name, a type and a shape but no payload, on which costs do not depend; those of
`branches` have one, since the model is quantized.
"""

import pathlib

from onnx import TensorProto, helper, save

HERE = pathlib.Path(__file__).parent


class Network:
    """Nodes, weights and names, written one after the other."""

    def __init__(self, opset):
        self.opset = opset
        self.nodes = []
        self.weights = []

    def node(self, op, inputs, scope, outputs=None, **attributes):
        """Adds a node named as torch's exporter would; gives its first output."""
        name = f"{scope}/{op}"
        taken = sum(node.name == name or node.name.startswith(name + "_") for node in self.nodes)
        name = f"{name}_{taken}" if taken else name
        outputs = outputs or [f"{name}_output_0"]
        self.nodes.append(helper.make_node(op, inputs, outputs, name=name, **attributes))
        return outputs[0]

    def weight(self, name, *shape):
        if all(tensor.name != name for tensor in self.weights):
            tensor = TensorProto(name=name, data_type=TensorProto.FLOAT)
            tensor.dims.extend(shape)
            self.weights.append(tensor)
        return name

    def integers(self, name, *values):
        """A stored list of i64; a scalar if there is one value."""
        if all(tensor.name != name for tensor in self.weights):
            dims = [] if len(values) == 1 else [len(values)]
            self.weights.append(helper.make_tensor(name, TensorProto.INT64, dims, values))
        return name

    def constant(self, scope, number):
        return self.node("Constant", [], scope, value_float=number)

    def save(self, file, inputs, outputs, domains=()):
        graph = helper.make_graph(self.nodes, file, inputs, outputs, self.weights)
        imports = [helper.make_opsetid("", self.opset)]
        imports += [helper.make_opsetid(domain, 1) for domain in domains]
        model = helper.make_model(graph, opset_imports=imports, producer_name="make_models.py")
        model.ir_version = 9
        save(model, str(HERE / f"{file}.onnx"))


def floats(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def linear(net, x, scope, parameter, features_in, features_out):
    weight = net.weight(f"{parameter}.weight", features_in, features_out)
    bias = net.weight(f"{parameter}.bias", features_out)
    return net.node("Add", [net.node("MatMul", [x, weight], scope), bias], scope)


def layer_norm(net, x, scope, parameter, width):
    scale = net.weight(f"{parameter}.weight", width)
    bias = net.weight(f"{parameter}.bias", width)
    return net.node("LayerNormalization", [x, scale, bias], scope, axis=-1)


def attention(net, x, mask, layer, width, heads):
    scope, parameter = f"/transformer/h.{layer}/attn", f"transformer.h.{layer}.attn"
    x = linear(net, x, f"{scope}/c_attn", f"{parameter}.c_attn", width, 3 * width)
    split = [f"{scope}/Split_output_{i}" for i in range(3)]
    net.node("Split", [x], scope, split, axis=2, num_outputs=3)
    by_head = net.integers("by_head", 0, 0, heads, width // heads)
    query, key, value = (
        net.node("Transpose", [net.node("Reshape", [part, by_head], scope)], scope, perm=[0, 2, 1, 3])
        for part in split
    )
    present = [f"present.{layer}.key", f"present.{layer}.value"]
    key = net.node("Concat", [f"past.{layer}.key", key], scope, present[:1], axis=2)
    value = net.node("Concat", [f"past.{layer}.value", value], scope, present[1:], axis=2)
    turned = net.node("Transpose", [key], scope, perm=[0, 1, 3, 2])
    scores = net.node("MatMul", [query, turned], scope)
    scores = net.node("Div", [scores, net.constant(scope, (width / heads) ** 0.5)], scope)
    scores = net.node("Where", [mask, scores, net.constant(scope, -3e38)], scope)
    out = net.node("MatMul", [net.node("Softmax", [scores], scope, axis=-1), value], scope)
    out = net.node("Transpose", [out], scope, perm=[0, 2, 1, 3])
    out = net.node("Reshape", [out, net.integers("together", 0, 0, width)], scope)
    return linear(net, out, f"{scope}/c_proj", f"{parameter}.c_proj", width, width)


def positions(net, past_key):
    """Numbers of the new tokens, and which old ones each may look at."""
    scope = "/transformer"
    past = net.node("Gather", [net.node("Shape", [past_key], scope), net.integers("axis_2", 2)], scope)
    new = net.node("Gather", [net.node("Shape", ["tokens"], scope), net.integers("axis_1", 1)], scope)
    all_tokens = net.node("Add", [past, new], scope)
    one = net.integers("one", 1)
    of_new = net.node("Range", [past, all_tokens, one], scope)
    of_all = net.node("Range", [net.integers("zero", 0), all_tokens, one], scope)
    column = net.node("Unsqueeze", [of_new, one], scope)
    return of_new, net.node("LessOrEqual", [of_all, column], scope)


def gpt2():
    """GPT-2 small with a cache of keys and values, as published: 124,439,808 parameters."""
    width, heads, layers, tokens, longest = 768, 12, 12, 50257, 1024
    net = Network(opset=20)
    numbers, mask = positions(net, "past.0.key")
    wte = net.weight("transformer.wte.weight", tokens, width)
    wpe = net.weight("transformer.wpe.weight", longest, width)
    x = net.node("Add", [net.node("Gather", [wte, "tokens"], "/transformer/wte"),
                         net.node("Gather", [wpe, numbers], "/transformer/wpe")], "/transformer")
    for layer in range(layers):
        scope, parameter = f"/transformer/h.{layer}", f"transformer.h.{layer}"
        normed = layer_norm(net, x, f"{scope}/ln_1", f"{parameter}.ln_1", width)
        x = net.node("Add", [attention(net, normed, mask, layer, width, heads), x], scope)
        normed = layer_norm(net, x, f"{scope}/ln_2", f"{parameter}.ln_2", width)
        hidden = linear(net, normed, f"{scope}/mlp/c_fc", f"{parameter}.mlp.c_fc", width, 4 * width)
        hidden = net.node("Gelu", [hidden], f"{scope}/mlp/act", approximate="tanh")
        hidden = linear(net, hidden, f"{scope}/mlp/c_proj", f"{parameter}.mlp.c_proj", 4 * width, width)
        x = net.node("Add", [x, hidden], scope)
    x = layer_norm(net, x, "/transformer/ln_f", "transformer.ln_f", width)
    turned = net.node("Transpose", [wte], "/lm_head", perm=[1, 0])  # tied to the embedding
    net.node("MatMul", [x, turned], "/lm_head", ["logits"])

    inputs = [helper.make_tensor_value_info("tokens", TensorProto.INT64, ["batch", "sequence"])]
    outputs = [floats("logits", "batch", "sequence", tokens)]
    for layer in range(layers):
        for part in ("key", "value"):
            inputs.append(floats(f"past.{layer}.{part}", "batch", heads, "past", width // heads))
            outputs.append(floats(f"present.{layer}.{part}", "batch", heads, None, width // heads))
    net.save("gpt2", inputs, outputs)


def custom_op():
    """A convolution, an operator that nobody knows, another convolution."""
    net = Network(opset=17)
    x = net.node("Conv", ["x", net.weight("conv1.weight", 8, 3, 3, 3)], "/conv1", pads=[1, 1, 1, 1])
    x = net.node("Frobnicate", [x], "/frob", domain="com.acme")
    net.node("Conv", [x, net.weight("conv2.weight", 4, 8, 1, 1)], "/conv2", ["y"])
    net.save("custom_op", [floats("x", 1, 3, 8, 8)], [floats("y", 1, 4, 8, 8)], ["com.acme"])


def nonzero():
    """A size that only the data tells."""
    net = Network(opset=17)
    where = net.node("NonZero", ["scores"], "/select")
    where = net.node("Squeeze", [where, net.integers("first", 0)], "/select")
    rows = net.node("Gather", ["x", where], "/select")
    net.node("MatMul", [rows, net.weight("head.weight", 16, 10)], "/head", ["y"])
    net.save("nonzero", [floats("x", 100, 16), floats("scores", 100)], [floats("y", None, 10)])


def branches():
    """Convolutions in the branches of an If, one of them with a weight of the graph around it."""
    shared = helper.make_tensor("shared.weight", TensorProto.FLOAT, [2, 2, 1, 1], [1, 2, 3, 4])

    def branch(name, count):
        weight = helper.make_tensor(f"{name}.weight", TensorProto.FLOAT, [2, 2, 1, 1], [4, 3, 2, 1])
        nodes = [helper.make_node("Conv", ["x", "shared.weight"], [f"{name}.0"])]
        for i in range(1, count):
            conv = [f"{name}.{i - 1}", f"{name}.weight"]
            nodes.append(helper.make_node("Conv", conv, [f"{name}.{i}"]))
        return helper.make_graph(nodes, name, [], [floats(f"{name}.{count - 1}", 1, 2, 4, 4)],
                                 [weight])

    net = Network(opset=17)
    net.weights.append(shared)
    mean = net.node("ReduceMean", ["x"], "/gate", keepdims=0)
    positive = net.node("Greater", [mean, net.constant("/gate", 0.0)], "/gate")
    net.node("If", [positive], "/gate", ["y"], then_branch=branch("wide", 3),
             else_branch=branch("narrow", 1))
    net.save("branches", [floats("x", 1, 2, 4, 4)], [floats("y", 1, 2, 4, 4)])


def scores():
    """Products of all rows with all rows, between layers of linear size."""
    net = Network(opset=17)
    turned = net.node("Transpose", ["x"], "/scores", perm=[1, 0])
    found = net.node("MatMul", ["x", turned], "/scores")
    found = net.node("MatMul", [net.node("Softmax", [found], "/softmax"), "x"], "/mix")
    found = net.node("MatMul", [found, net.weight("up.weight", 8, 64)], "/up")
    net.node("MatMul", [found, net.weight("down.weight", 64, 8)], "/down", ["y"])
    net.save("scores", [floats("x", "n", 8)], [floats("y", "n", 8)])


def int8():
    """A convolution in int8, written with QuantizeLinear and DequantizeLinear."""
    net = Network(opset=17)
    net.weights = [helper.make_tensor("scale", TensorProto.FLOAT, [], [0.05]),
                   helper.make_tensor("zero", TensorProto.UINT8, [], [0]),
                   TensorProto(name="conv.weight", data_type=TensorProto.INT8, dims=[8, 4, 1, 1])]
    weight = net.node("DequantizeLinear", ["conv.weight", "scale"], "/weight")
    x = net.node("QuantizeLinear", ["x", "scale", "zero"], "/in")
    x = net.node("DequantizeLinear", [x, "scale", "zero"], "/in")
    x = net.node("Relu", [net.node("Conv", [x, weight], "/conv")], "/relu")
    net.node("QuantizeLinear", [x, "scale", "zero"], "/out", ["y"])
    output = helper.make_tensor_value_info("y", TensorProto.UINT8, [1, 8, 8, 8])
    net.save("int8", [floats("x", 1, 4, 8, 8)], [output])


def norms(folded):
    """Two convolutions with norms, or as torch's exporter folds these into the convolutions."""
    net = Network(opset=17)
    x, channels = "x", 3
    for place, filters in (("net.0", 8), ("net.3", 16)):
        scope = f"/net/{place}"
        weights = [net.weight(f"{place}.weight", filters, channels, 3, 3)]
        weights += [net.weight(f"{place}.bias", filters)] if folded else []
        x = net.node("Conv", [x, *weights], scope, pads=[1, 1, 1, 1])
        number = int(place[4:])
        if not folded:
            norm = f"net.{number + 1}"
            parts = [net.weight(f"{norm}.{part}", filters)
                     for part in ("weight", "bias", "running_mean", "running_var")]
            x = net.node("BatchNormalization", [x, *parts], f"/net/{norm}")
        x = net.node("Relu", [x], f"/net/net.{number + 2}")
        channels = filters
    net.node("GlobalAveragePool", [x], "/net/net.6", ["y"])
    net.save("norms_folded" if folded else "norms", [floats("x", 1, 3, 8, 8)],
             [floats("y", 1, 16, 1, 1)])


if __name__ == "__main__":
    norms(False)
    norms(True)
    branches()
    gpt2()
    custom_op()
    nonzero()
    scores()
    int8()
