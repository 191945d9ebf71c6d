"""make_offline.py FOLDER: writes 12 networks that state offsets in TFLite Micro's arena, from a fixed seed."""
import pathlib
import sys

import numpy as np

import make_kernels
from make_networks import S, T, network


def add_plan(net, offsets):
    entry = S.MetadataT()
    entry.name = "OfflineMemoryAllocation"
    entry.buffer = net.buffer(np.array([1, len(net.m.subgraphs), len(offsets), *offsets], np.int32).tobytes())
    net.m.metadata = [entry]
    return net


def sizes(net):
    """The bytes of each tensor, rounded up as in the arena; 0 for constants."""
    widths = {T.INT8: 1, T.INT16: 2, T.FLOAT32: 4}
    return [0 if t.buffer else -(-int(np.prod(t.shape)) * widths.get(t.type, 4) // 16) * 16
            for graph in net.m.subgraphs for t in graph.tensors]


def in_line(net):
    """Every activation behind the one before it."""
    at, offsets = 0, []
    for size in sizes(net):
        offsets.append(at if size else -1)
        at += size
    return add_plan(net, offsets)


def partly(net, seed):
    """Some activations at places with gaps between them; the planner finds places for the others."""
    random = np.random.default_rng(seed)
    at, offsets = 0, []
    for size in sizes(net):
        is_stated = size > 0 and random.random() < 0.5
        offsets.append(at + 16 * int(random.integers(40)) if is_stated else -1)
        at = offsets[-1] + size if is_stated else at
    return add_plan(net, offsets)


def with_state(is_stated):
    """State that lasts from run to run: in the head if its offset is stated, otherwise in the tail."""
    net = dict(make_kernels.networks())["svdf"]
    tensors = net.m.subgraphs[0].tensors
    offsets = [-1] * len(tensors)
    for i, tensor in enumerate(tensors):
        if tensor.isVariable and is_stated:
            offsets[i] = 64
    return add_plan(net, offsets)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    made = {"line": in_line(network(2)), "state": with_state(True), "state_later": with_state(False)}
    for i in range(9):
        made[f"part_{i}"] = partly(network(10 + i), i)
    for name, net in made.items():
        (folder / f"offline_{name}.tflite").write_bytes(net.bytes())
