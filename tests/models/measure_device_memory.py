#!/usr/bin/python3
"""Measures which tensors of a torchvision network are alive around each module.

PyTorch itself runs the network, on the CPU; a dispatch mode sees every tensor that
an operator makes, and a finalizer says when it dies. Their sizes go through the
rules of the CUDA caching allocator, written here a second time and plainly, so that
the tables tests/golden/device_memory_*.csv do not come from strata.

    measure_device_memory.py resnet18 squeezenet1_0 densenet121 > device_memory_rows.csv
    measure_device_memory.py --peaks alexnet … wide_resnet50_2 > device_memory_peaks.csv
"""

import argparse
import csv
import sys
import warnings
import weakref

import torch
import torchvision
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

MIB = 1 << 20

warnings.filterwarnings("ignore")


class Pool:
    """Segments are lists of [address, size, is free], in order of address."""

    def __init__(self):
        self.segments = {True: [], False: []}
        self.allocated = self.peak = self.reserved = 0

    def take(self, size):
        size = (size + 511) // 512 * 512
        small = size <= MIB
        fitting = [
            (block[1], block[0], block, segment)
            for segment in self.segments[small]
            for block in segment
            if block[2] and block[1] >= size
        ]
        if fitting:
            _, _, block, segment = min(fitting, key=lambda found: found[:2])
        else:
            own = (size + 2 * MIB - 1) // (2 * MIB) * 2 * MIB
            whole = 2 * MIB if small else 20 * MIB if size < 10 * MIB else own
            block = [self.reserved, whole, True]
            segment = [block]
            self.segments[small].append(segment)
            self.reserved += whole
        rest = block[1] - size
        if rest >= 512 if small else rest > MIB:
            segment.insert(segment.index(block) + 1, [block[0] + size, rest, True])
            block[1] = size
        block[2] = False
        self.allocated += block[1]
        self.peak = max(self.peak, self.allocated)
        return block, segment

    def give_back(self, taken):
        block, segment = taken
        self.allocated -= block[1]
        block[2] = True
        merged = []
        for each in segment:
            if merged and merged[-1][2] and each[2]:
                merged[-1][1] += each[1]
            else:
                merged.append(each)
        segment[:] = merged


class Watch(TorchDispatchMode):
    """Gives every storage that an operator makes a block for as long as a tensor uses it."""

    def __init__(self, pool, stored):
        super().__init__()
        self.pool, self.stored, self.users = pool, stored, {}

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        given = {id(x) for x in tree_flatten((args, kwargs or {}))[0] if torch.is_tensor(x)}
        for tensor in tree_flatten(result)[0]:
            if torch.is_tensor(tensor) and id(tensor) not in given:
                self.follow(tensor)
        return result

    def follow(self, tensor):
        key, size = tensor.storage().data_ptr(), tensor.storage().nbytes()
        if size == 0 or key in self.stored:
            return
        if key not in self.users:
            self.users[key] = [0, self.pool.take(size)]
        self.users[key][0] += 1
        weakref.finalize(tensor, self.drop, key)

    def drop(self, key):
        self.users[key][0] -= 1
        if self.users[key][0] == 0:
            self.pool.give_back(self.users.pop(key)[1])


def load(module, pool, stored):
    """In the order of Module.to(): children, own parameters, own buffers."""
    for child in module.children():
        load(child, pool, stored)
    for tensor in [*module._parameters.values(), *module._buffers.values()]:
        if tensor is not None and tensor.data_ptr() not in stored:
            stored.add(tensor.data_ptr())
            pool.take(tensor.numel() * tensor.element_size())


def measure(name):
    options = {"aux_logits": False, "init_weights": False} if name == "googlenet" else {}
    network = torchvision.models.get_model(name, weights=None, **options).eval()
    pool, stored, rows, entries = Pool(), set(), [], []
    load(network, pool, stored)
    weights = pool.allocated
    example = torch.randn(1, 3, 224, 224)
    stored.add(example.data_ptr())
    pool.take(example.numel() * example.element_size())
    base = pool.allocated

    def enter(module, inputs):
        entries.append(pool.allocated - base)

    def leave(path):
        def hook(module, inputs, output):
            net, now = entries.pop(), pool.allocated - base
            rows.append([name, path, net, now - net, now])

        return hook

    for path, module in network.named_modules():
        if not list(module.children()):
            module.register_forward_pre_hook(enter)
            module.register_forward_hook(leave(path))
    with torch.no_grad(), Watch(pool, stored):
        output = network(example)
    del output
    assert pool.allocated == base
    return rows, [name, weights, base - weights, pool.peak, pool.reserved]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peaks", action="store_true", help="one row a network")
    parser.add_argument("names", nargs="+", metavar="NAME", help="torchvision's name")
    args = parser.parse_args()
    out = csv.writer(sys.stdout, lineterminator="\n")
    if args.peaks:
        out.writerow(["network", "weights", "inputs", "peak_allocated", "peak_reserved"])
    else:
        out.writerow(["network", "layer", "net_dev_mem", "dev_mem_alloc", "dev_max_mem_alloc"])
    for name in args.names:
        rows, peak = measure(name)
        out.writerows([peak] if args.peaks else rows)


if __name__ == "__main__":
    main()
