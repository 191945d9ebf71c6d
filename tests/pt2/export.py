#!/usr/bin/env python3
"""Writes networks as .pt2 and ONNX files with torch, and what torch itself says of them.

    export.py --out FOLDER [--of convolutional|transformer] [--only NAME,...]

For each network: NAME.pt2 (as exported), NAME.core.pt2 (decomposed to core ATen), NAME.open.pt2
(open sizes), NAME.plain.onnx and NAME.onnx (the newer exporter), NAME.old.onnx (the older one, open sizes), and NAME.json:
parameters, module calls, FLOPs and the peak of activations. A form that torch cannot export has its reason in NAME.json instead.
"""
import argparse
import contextlib
import hashlib
import json
import logging
import pathlib
import sys
import warnings

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode
import transformers.integrations.moe  # noqa: F401, registers the operator of experts

import convolutional
import transformer
from onnx_storages import peak_of_arrays
from storages import peak_of_storages


def networks(of):
    """Name, and what makes the model and its inputs: by keyword, or one tensor without a name."""
    torch.manual_seed(0)
    if of != "transformer":
        for name, make in convolutional.NETWORKS.items():
            yield name, lambda make=make: (make(), torch.rand(1, 3, 224, 224))
    if of != "convolutional":
        yield from transformer.NETWORKS.items()


def scripts_hash():
    here = pathlib.Path(__file__).parent
    scripts = (here / name for name in ("convolutional.py", "export.py", "onnx_storages.py",
                                        "requirements.txt", "storages.py", "transformer.py"))
    return hashlib.sha256(b"".join(script.read_bytes() for script in scripts)).hexdigest()


def call(model, inputs):
    return model(**inputs) if isinstance(inputs, dict) else model(inputs)


def module_calls(model, inputs):
    """The calls of modules in the order in which they start, as an eager run makes them."""
    paths = {module: path for path, module in model.named_modules()}
    calls = []

    def record(module, *_):
        calls.append([paths[module], type(module).__name__])

    hooks = [module.register_forward_pre_hook(record) for module in paths]
    with torch.no_grad():
        call(model, inputs)
    for hook in hooks:
        hook.remove()
    return calls


def flops(model, inputs):
    """Products and sums of matrix products and convolutions, in all and by operator.

    Two gaps of torch's counter are filled: the CPU's attention is counted as 0 by torch 2.13, but
    written out, its two products are counted; and it does not know the operators of experts, in which
    every row of the input is multiplied by the matrix of one expert.
    """
    experts = lambda rows, weights, *_, out_shape=None, **__: 2 * rows[0] * weights[1] * weights[2]
    counter = FlopCounterMode(
        display=False, custom_mapping={torch.ops.transformers.grouped_mm_fallback: experts,
                                       torch.ops.aten._grouped_mm: experts})
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), counter:
        call(model, inputs)
    by_operator = {str(op): count for op, count in counter.get_flop_counts()["Global"].items()}
    return counter.get_total_flops(), by_operator


# torch takes half a minute for the windows of images whose height and width are both open.
OPEN_AXES = {"SwinModel": {2}}


def export_open(model, inputs):
    """With a batch called so, or with every axis open that torch finds it can leave open. torch takes
    a size of 1 for fixed, so that the batch it sees must be larger."""
    wanted = OPEN_AXES.get(type(model).__name__)
    if not isinstance(inputs, dict):
        return export(model, inputs.repeat(2, 1, 1, 1),
                      ({0: torch.export.Dim("batch", max=512)},))
    axes = lambda tensor: {i: torch.export.Dim.AUTO for i in range(tensor.dim()) if not wanted or i in wanted}
    return export(model, inputs, {name: axes(value) if isinstance(value, torch.Tensor) else None
                                  for name, value in inputs.items()})


def export(model, inputs, dynamic_shapes=None):
    args, kwargs = ((), inputs) if isinstance(inputs, dict) else ((inputs,), {})
    return torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)


def act_trained(exported):
    """Makes all stored tensors differ: the exporter merges equal ones, and drops biases of zeros."""
    with torch.no_grad():
        for tensor in exported.state_dict.values():
            if tensor.is_floating_point():
                tensor.uniform_(0.05, 0.15)


def norms_after_convolutions(exported):
    """Batch norms whose input is the result of a convolution that nothing else reads: the weights of both."""
    pairs = []
    names = exported.graph_signature.inputs_to_parameters
    for node in exported.graph.nodes:
        if node.target != torch.ops.aten.batch_norm.default:
            continue
        convolution = node.args[0]
        if "conv" in str(convolution.target) and len(convolution.users) == 1:
            pairs.append((names[convolution.args[1].name], names[node.args[1].name]))
    return pairs


def parameters_in_file(exported, path):
    """How many parameters an ONNX file holds, and the modules of which it holds none. A stored tensor is
    a parameter if it has the same elements, in any order. The weights of a convolution after which a norm
    was folded have other values, and a bias for each channel."""
    import numpy
    import onnx

    key = lambda values: hashlib.sha256(numpy.sort(values, axis=None).tobytes()).digest()
    paths = {}
    for name, parameter in exported.named_parameters():
        paths.setdefault(key(parameter.detach().numpy()), []).append(name)
    count, found = 0, set()
    for tensor in onnx.load(path).graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        if names := paths.get(key(values)):
            count += values.size
            found.update(names)
    parameters = dict(exported.named_parameters())
    for weight, scale in norms_after_convolutions(exported):
        assert weight not in found
        count += parameters[weight].numel() + parameters[scale].numel()
        found.add(weight)
    modules = lambda names: {name.rpartition(".")[0] for name in names}
    return count, sorted(modules(parameters) - modules(found))


def write_onnx(exported, path):
    """Exports with the newer exporter, before and after it optimizes. Its optimizer folds norms into convolutions
    and makes constants of turned weights, so that it is the first file that has the parameters."""
    act_trained(exported)
    program = torch.onnx.export(exported, dynamo=True, verbose=False, optimize=False)
    program.save(f"{path}.plain.onnx")
    program.optimize()
    program.save(f"{path}.onnx")


REPEATS = (1, 3)


def repeated(inputs, batch):
    repeat = lambda value: (value.repeat(batch, *[1] * (value.dim() - 1)) if isinstance(value, torch.Tensor) else value)
    return {name: repeat(value) for name, value in inputs.items()} if isinstance(inputs, dict) else repeat(inputs)


class Positional(torch.nn.Module):
    """The older exporter calls modules without keywords."""

    def __init__(self, model, inputs, names):
        super().__init__()
        self.model, self.inputs, self.names = model, inputs, names

    def forward(self, *tensors):
        return self.model(**{**self.inputs, **dict(zip(self.names, tensors))})


def write_old_onnx(model, inputs, path):
    """Exports with the older exporter, with an open batch."""
    names = ["x"]
    if isinstance(inputs, dict):
        names = [name for name, value in inputs.items() if isinstance(value, torch.Tensor)]
        model = Positional(model, inputs, names).eval()
    torch.onnx.export(model, tuple(inputs[name] for name in names) if isinstance(inputs, dict) else (inputs,), path,
                      dynamo=False, input_names=names, opset_version=17,
                      dynamic_axes={name: {0: "batch"} for name in names})


def write(name, model, inputs, out):
    model = model.eval().requires_grad_(False)
    total, by_operator = flops(model, inputs)
    given = inputs if isinstance(inputs, dict) else {"x": inputs}
    facts = {
        "inputs": {name: list(value.shape) for name, value in given.items()
                   if isinstance(value, torch.Tensor)},
        "parameters": sum(p.numel() for p in model.parameters()),
        "buffers": sum(b.numel() for b in model.buffers()),
        "modules": [path for path, _ in model.named_modules()],
        "calls": module_calls(model, inputs),
        "parameters_of": {path: sum(p.numel() for p in module.parameters(recurse=False))
                          for path, module in model.named_modules()},
        "flops": total,
        "flops_of": by_operator,
        "peak_bytes": {},
        "peak_bytes_onnx": {},
        "peak_bytes_of_batch": {},
        "failed": {},
    }

    def attempt(form, action):
        try:
            action()
        except Exception as error:  # whatever torch's exporters raise
            facts["failed"][form] = f"{type(error).__name__}: {error}".splitlines()[0][:300]

    exported = None

    def static():
        nonlocal exported
        exported = export(model, inputs)
        save("pt2", exported, out / f"{name}.pt2")

    def save(form, program, path):
        torch.export.save(program, path)
        facts["peak_bytes"][form] = peak_of_storages(program, inputs)

    def peak_of_file(form, inputs, batch=None):
        found = peak_of_arrays(str(out / f"{name}.{form}"), inputs)
        if batch is None:
            facts["peak_bytes_onnx"][form] = found
        else:
            facts["peak_bytes_of_batch"][batch] = found

    attempt("old", lambda: write_old_onnx(model, inputs, str(out / f"{name}.old.onnx")))
    for times in REPEATS:
        batch = times * next(iter(facts["inputs"].values()))[0]
        if "old" not in facts["failed"]:
            attempt("peak of old.onnx", lambda: peak_of_file("old.onnx", repeated(inputs, times), batch))
    attempt("pt2", static)
    attempt("open", lambda: torch.export.save(export_open(model, inputs),
                                              out / f"{name}.open.pt2"))
    if exported is not None:
        attempt("core", lambda: save("core", exported.run_decompositions(),
                                     out / f"{name}.core.pt2"))
        facts["folded_norms"] = len(norms_after_convolutions(exported))
        attempt("onnx", lambda: write_onnx(exported, out / name))
        for form in ("plain.onnx", "onnx"):
            if "onnx" not in facts["failed"]:
                attempt(f"peak of {form}", lambda: peak_of_file(form, inputs))
        if "onnx" not in facts["failed"]:
            facts["onnx_parameters"], facts["not_in_onnx"] = parameters_in_file(
                exported, out / f"{name}.onnx")
    (out / f"{name}.json").write_text(json.dumps(facts, indent=1))
    return facts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--of", choices=["all", "convolutional", "transformer"], default="all")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    stamp = args.out / f"{args.of}_made_by"
    if not args.only and stamp.exists() and stamp.read_text() == scripts_hash():
        return
    torch.set_num_threads(1)  # threads that wait for each other spin
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    only = set(filter(None, args.only.split(",")))
    for name, make in networks(args.of):
        if only and name not in only:
            continue
        model, inputs = make()
        with contextlib.redirect_stdout(sys.stderr):
            facts = write(name, model, inputs, args.out)
        print(f"{name}: {facts['parameters']} parameters, {facts['flops']} FLOPs", *(
            f"; no {form}: {why}" for form, why in facts["failed"].items()), flush=True)
    if not args.only:
        stamp.write_text(scripts_hash())


if __name__ == "__main__":
    main()
