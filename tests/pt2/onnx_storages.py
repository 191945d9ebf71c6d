"""The most bytes of activations that are alive at once while an ONNX file runs.

numpy runs the file, node by node (onnx's reference evaluator; torch computes the convolutions), and every array is
kept. An array that lies at the address of a node's input and has all of its bytes, in their order, shares the
input's memory: reshaped tensors, and what an operator passes on as it came. Everything else is new memory, also
where numpy makes a view that strides, since tensors of ONNX engines are contiguous. Memory is alive from the node
that makes it to the last node that reads it; inputs are alive from the start, and outputs to the end. Weights
are not counted, nor is what follows from weights and sizes alone.
"""
import numpy
import onnx
import torch
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun


class Conv(OpRun):
    """The reference evaluator's own is written in Python and takes minutes."""

    def _run(self, x, weights, bias=None, auto_pad=None, dilations=None, group=None, kernel_shape=None,
             pads=None, strides=None):
        axes = x.ndim - 2
        assert auto_pad in (None, "NOTSET")
        pads = pads or [0] * (2 * axes)
        around = [size for axis in reversed(range(axes)) for size in (pads[axis], pads[axis + axes])]
        padded = torch.nn.functional.pad(torch.from_numpy(numpy.ascontiguousarray(x)), around)
        convolve = getattr(torch.nn.functional, f"conv{axes}d")
        made = convolve(padded, torch.tensor(weights), None if bias is None else torch.tensor(bias),
                        tuple(strides or [1] * axes), 0, tuple(dilations or [1] * axes), group or 1)
        return (made.numpy(),)


class MaxPool(OpRun):
    """The reference evaluator's own rounds sizes up in another way than the specification."""

    def _run(self, x, auto_pad=None, ceil_mode=None, dilations=None, kernel_shape=None, pads=None, storage_order=None,
             strides=None):
        axes = x.ndim - 2
        pads = pads or [0] * (2 * axes)
        assert auto_pad in (None, "NOTSET") and pads[:axes] == pads[axes:]
        pool = getattr(torch.nn.functional, f"max_pool{axes}d")
        return (pool(torch.tensor(x), tuple(kernel_shape), tuple(strides or [1] * axes), tuple(pads[:axes]),
                     tuple(dilations or [1] * axes), bool(ceil_mode)).numpy(),)


class GatherElements(OpRun):
    """The reference evaluator's own fails if the data have one row."""

    def _run(self, data, places, axis=0):
        return (numpy.take_along_axis(data, places, axis),)


def address(array):
    return array.__array_interface__["data"][0]


def is_same_memory(made, given):
    return (address(made) == address(given) and made.nbytes == given.nbytes and
            made.flags.c_contiguous and given.flags.c_contiguous)


def makes_doubles(node, values):
    """Some of the evaluator's operators compute in doubles and forget to return to the type of their inputs."""
    return node.op_type in ("Cast", "Constant", "ConstantOfShape") or any(
        name and values[name].dtype == numpy.float64 for name in node.input)


class Watched(ReferenceEvaluator):
    """Sums up lives of memory; `peak` is the answer."""

    def peak(self, feeds):
        values = {"": None, **self.rt_inits_, **feeds}
        memory = {name: name for name in feeds}  # tensor → the tensor whose memory it has; weights have none
        first, last = {name: 0 for name in feeds}, {name: 0 for name in feeds}
        nodes = self.rt_nodes_
        outer = [sorted(inner_reads(node.onnx_node)) for node in nodes]
        for step, node in enumerate(nodes):
            reads = [name for name in [*node.input, *outer[step]] if name]
            for name in reads:
                if name in memory:
                    last[memory[name]] = step
            context = {"context": values} if node.need_context() else {}
            made = node.run(*(values[name] for name in node.input), **context)
            # Sizes and types are known before a run.
            valued = {"Shape": [], "Size": [], "CastLike": reads[:1]}.get(node.op_type, reads)
            constant = not any(name in memory for name in valued)
            for name, value in zip(node.output, made):
                if not name:
                    continue
                value = numpy.asarray(value)
                if value.dtype == numpy.float64 and not makes_doubles(node, values):
                    value = value.astype(numpy.float32)
                values[name] = numpy.ascontiguousarray(value).reshape(value.shape)
                if constant:
                    continue
                shared = [one for one in node.input if one in memory and is_same_memory(value, values[one])]
                memory[name] = memory[shared[0]] if shared else name
                if not shared:
                    first[name] = last[name] = step
        for name in self.output_names:
            if name in memory:
                last[memory[name]] = len(nodes) - 1
        change = numpy.zeros(len(nodes) + 1, numpy.int64)
        for name in first:
            change[first[name]] += values[name].nbytes
            change[last[name] + 1] -= values[name].nbytes
        return int(numpy.cumsum(change).max())


def inner_reads(node):
    """The tensors that the bodies of a node read from outside."""
    names = set()
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            for inner in attribute.g.node:
                names.update(inner.input)
                names.update(inner_reads(inner))
            names -= {name for inner in attribute.g.node for name in inner.output}
    return names


def peak_of_arrays(path, inputs):
    """`inputs` are a dictionary of arguments, or one tensor."""
    model = onnx.load(path)
    names = [one.name for one in model.graph.input]
    named = inputs if isinstance(inputs, dict) else {names[0]: inputs}
    feeds = {name: numpy.ascontiguousarray(named[name].numpy()) for name in names}
    return Watched(model, new_ops=[Conv, MaxPool, GatherElements]).peak(feeds)
