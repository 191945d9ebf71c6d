"""The most bytes of activations that are alive at once while torch runs an exported program.

torch itself runs the program, node by node, and its own storages say which tensors share memory. A storage
is alive from the node that makes it to the last node that reads a tensor of it; inputs are alive from the
start, and outputs to the end. Weights are not counted, nor is what is computed from weights alone.
"""
import operator

import torch
from torch.export.graph_signature import InputKind
from torch.utils._pytree import tree_leaves


def tensors_of(value):
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]


class Storages(torch.fx.Interpreter):
    def __init__(self, exported):
        # Every value is kept, so that no address is used twice.
        super().__init__(exported.graph_module, garbage_collect_values=False)
        self.kinds = {spec.arg.name: spec.kind for spec in exported.graph_signature.input_specs}
        self.stored = set()  # addresses of weights, and of what follows from them alone
        self.sizes, self.first, self.last = {}, {}, {}
        self.step = -1

    def values_read(self, node):
        return [tensor for arg in node.all_input_nodes for tensor in tensors_of(self.env[arg])]

    def run_node(self, node):
        runs = node.op == "call_function" and node.target is not operator.getitem
        if runs or node.op == "output":
            self.step += runs
            read = [tensor.untyped_storage().data_ptr() for tensor in self.values_read(node)]
            for address in read:
                self.last[address] = self.step
        result = super().run_node(node)
        if node.op == "output":
            return result
        given = node.op == "placeholder"
        for tensor in tensors_of(result):
            storage = tensor.untyped_storage()
            address = storage.data_ptr()
            if address in self.first or address in self.stored or storage.nbytes() == 0:
                continue
            of_weights = (self.kinds[node.name] != InputKind.USER_INPUT if given else
                          runs and read and all(one in self.stored for one in read))
            if of_weights:
                self.stored.add(address)
                continue
            self.sizes[address] = storage.nbytes()
            self.first[address] = self.last[address] = max(self.step, 0)
        return result

    def peak(self):
        change = [0] * (self.step + 2)
        for address, size in self.sizes.items():
            change[self.first[address]] += size
            change[self.last[address] + 1] -= size
        alive = most = 0
        for one in change:
            alive += one
            most = max(most, alive)
        return most


def peak_of_storages(exported, inputs):
    """`inputs` are a dictionary of arguments, or one tensor."""
    given = iter(tensors_of(inputs))
    values = []
    for spec in exported.graph_signature.input_specs:
        if spec.kind == InputKind.USER_INPUT:
            constant = getattr(spec.arg, "value", None)
            is_tensor = type(spec.arg).__name__ == "TensorArgument"
            values.append(next(given) if is_tensor else constant)
        elif spec.target in exported.state_dict:
            values.append(exported.state_dict[spec.target])
        else:
            values.append(exported.constants[spec.target])
    run = Storages(exported)
    with torch.no_grad():
        run.run(*values)
    return run.peak()
