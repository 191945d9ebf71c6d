#!/usr/bin/python3
"""Compares ONNX files in pairs, with ONNX's own library.

Each line of the standard input is two paths: a model, and the same model as it was
written again. Prints what differs; says nothing where nothing does. A model that
ONNX's checker accepts must still be accepted.
"""

import sys

import numpy
import onnx
from onnx import numpy_helper

AttributeProto = onnx.AttributeProto


def checked(model):
    try:
        onnx.checker.check_model(model)
    except Exception as problem:  # the checker has several kinds
        return str(problem).splitlines()[0]
    return ""


def tensor(proto):
    if proto.data_location == onnx.TensorProto.EXTERNAL:
        return sorted((entry.key, entry.value) for entry in proto.external_data)
    try:
        array = numpy_helper.to_array(proto)
    except Exception:  # a stripped one, or a type that numpy has not
        return (proto.data_type, tuple(proto.dims))
    # A few elements come first, for people; all of them are compared.
    return (proto.data_type, array.shape, array.dtype.str, str(array.ravel()[:8]), array.tobytes())


def attribute(proto):
    kind = proto.type
    if kind == AttributeProto.TENSOR:
        return (proto.name, tensor(proto.t))
    if kind == AttributeProto.TENSORS:
        return (proto.name, [tensor(each) for each in proto.tensors])
    if kind == AttributeProto.GRAPH:
        return (proto.name, graph(proto.g))
    if kind == AttributeProto.GRAPHS:
        return (proto.name, [graph(each) for each in proto.graphs])
    copy = AttributeProto()
    copy.CopyFrom(proto)
    copy.doc_string = ""
    return (proto.name, copy.SerializeToString(deterministic=True))


def node(proto):
    domain = "" if proto.domain == "ai.onnx" else proto.domain
    return (
        proto.op_type,
        domain,
        proto.name,
        list(proto.input),
        list(proto.output),
        [attribute(each) for each in proto.attribute],
    )


def value(proto):
    return (proto.name, str(proto.type))


def graph(proto):
    inputs = {each.name for each in proto.input}
    stored = {each.name for each in proto.initializer}
    return {
        "name": proto.name,
        "nodes": [node(each) for each in proto.node],
        "initializers": {each.name: tensor(each) for each in proto.initializer},
        "inputs": [value(each) for each in proto.input if each.name not in stored],
        "outputs": [value(each) for each in proto.output],
        "replaceable": sorted(inputs & stored),
    }


def difference(before, after):
    problem = checked(after)
    if problem and not checked(before):
        return f"the checker does not accept it: {problem}"
    if before.functions:  # they have been inlined
        return ""
    opsets = [{(each.domain, each.version) for each in m.opset_import} for m in (before, after)]
    if opsets[0] != opsets[1]:
        return f"operator sets {opsets[0]} became {opsets[1]}"
    old, new = graph(before.graph), graph(after.graph)
    for part in old:
        if old[part] != new[part]:
            return f"{part} differ: {str(old[part])[:300]} became {str(new[part])[:300]}"
    return ""


def main():
    count = 0
    for line in sys.stdin:
        before, after = line.split()
        found = difference(*(onnx.load(path, load_external_data=False) for path in (before, after)))
        if found:
            print(f"{before}: {found}")
        count += 1
    print(f"{count} pairs")


if __name__ == "__main__":
    numpy.seterr(all="ignore")
    main()
