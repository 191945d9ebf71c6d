#!/usr/bin/env python3
"""make_models.py FOLDER: writes the small IR files that tests read.

Needs openvino 2026.4.1 and numpy. Weights count up: only their shapes and types matter. The files are
kept beside this script, and they are ours.
"""
import pathlib
import re
import sys

import numpy as np
import openvino as ov
from openvino import opset13 as op


def counting(*dims, dtype=np.float32):
    return (np.arange(np.prod(dims)) % 7).astype(dtype).reshape(dims)


def image(batch=1):
    """A convolution with a bias, one for each channel, a pool and a product with int8 weights."""
    x = op.parameter([batch, 3, 8, 8], np.float32, name="x")
    conv = op.convolution(x, op.constant(counting(8, 3, 3, 3)), [1, 1], [1, 1], [1, 1], [1, 1])
    stem = op.relu(op.add(conv, op.constant(counting(1, 8, 1, 1)), name="stem/bias"), name="stem/relu")
    conv.set_friendly_name("stem/conv")
    half = op.convert(op.constant(counting(8, 1, 1, 3, 3, dtype=np.float16)), "f32")
    depthwise = op.group_convolution(stem, half, [2, 2], [1, 1], [1, 1], [1, 1],
                                     name="depthwise/conv")
    pooled = op.reduce_mean(depthwise, op.constant(np.array([2, 3])), False, name="pool")
    packed = op.convert(op.constant(counting(5, 8, dtype=np.int8)), "f32")
    scaled = op.multiply(packed, op.constant(counting(5, 1) + 1))
    dense = op.matmul(pooled, scaled, False, True, name="dense/product")
    y = op.add(dense, op.constant(counting(1, 5)), name="dense/bias")
    return ov.Model([op.result(y, name="y")], [x], "image")


def branches():
    condition = op.parameter([], bool, name="condition")
    x = op.parameter([1, 4], np.float32, name="x")

    def body(outputs):
        inner = op.parameter([1, 4], np.float32, name="inner")
        product = op.matmul(inner, op.constant(counting(4, outputs)), False, False, name="product")
        total = op.reduce_sum(product, op.constant(np.array([1])), True)
        return ov.Model([op.result(total)], [inner], "body")

    branch = op.if_op(condition)
    then_body, else_body = body(5), body(3)
    branch.set_then_body(then_body)
    branch.set_else_body(else_body)
    branch.set_input(x.output(0), then_body.get_parameters()[0], else_body.get_parameters()[0])
    y = branch.set_output(then_body.get_results()[0], else_body.get_results()[0])
    return ov.Model([op.result(y, name="y")], [condition, x], "branches")


def loop():
    x = op.parameter([1, 7, 4], np.float32, name="x")
    step = op.parameter([1, 1, 4], np.float32, name="step")
    product = op.matmul(step, op.constant(counting(4, 5)), False, False, name="product")
    body = ov.Model([op.result(product)], [step], "body")
    iterator = op.tensor_iterator()
    iterator.set_body(body)
    iterator.set_sliced_input(step, x.output(0), 0, 1, 1, -1, 1)
    y = iterator.get_concatenated_slices(body.get_results()[0].output(0), 0, 1, 1, -1, 1)
    return ov.Model([op.result(y, name="y")], [x], "loop")


def parts():
    """Attention of the first rows to the rest, which a length of -1 stands for."""
    x = op.parameter([-1, 8, 6], np.float32, name="x")
    split = op.variadic_split(x, op.constant(np.array(1)), op.constant(np.array([3, -1])))
    y = op.scaled_dot_product_attention(split.output(0), split.output(1), split.output(1), name="attend")
    return ov.Model([op.result(y, name="y")], [x], "parts")


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, model in (("image", image()), ("open_sizes", image(-1)), ("branches", branches()),
                        ("loop", loop()), ("parts", parts())):
        place = folder / f"{name}.xml"
        ov.save_model(model, place, compress_to_fp16=False)
        text = place.read_text()
        # The runtime's notes about itself are not part of the network.
        text = re.sub(r"\t<rt_info>.*?</rt_info>\n(?=</net>)", "", text, flags=re.S)
        place.write_text(text)


if __name__ == "__main__":
    main()
