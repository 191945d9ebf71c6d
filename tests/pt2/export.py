#!/usr/bin/env python3
"""Writes networks as .pt2 and ONNX files with torch, and what torch itself says of them.

    export.py --out FOLDER [--of convolutional|transformer] [--only NAME,...]

For each network: NAME.pt2 (as exported), NAME.core.pt2 (decomposed to core ATen), NAME.open.pt2
(open sizes), NAME.plain.onnx and NAME.onnx (the newer exporter), and NAME.json: parameters, module calls and FLOPs. A
form that torch cannot export has its reason in NAME.json instead.
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
    scripts = (here / name for name in ("convolutional.py", "export.py", "requirements.txt",
                                        "transformer.py"))
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


def export_open(model, inputs):
    """With a batch called so, or with every axis open that torch finds it can leave open. torch takes
    a size of 1 for fixed, so that the batch it sees must be larger."""
    if not isinstance(inputs, dict):
        return export(model, inputs.repeat(2, 1, 1, 1),
                      ({0: torch.export.Dim("batch", max=512)},))
    axes = lambda tensor: {i: torch.export.Dim.AUTO for i in range(tensor.dim())}
    return export(model, inputs, {name: axes(value) if isinstance(value, torch.Tensor) else None
                                  for name, value in inputs.items()})


def export(model, inputs, dynamic_shapes=None):
    args, kwargs = ((), inputs) if isinstance(inputs, dict) else ((inputs,), {})
    return torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)


def write_onnx(exported, path):
    """By the newer exporter, before and after it optimizes. Its optimizer folds norms into convolutions
    and makes constants of turned weights, so that it is the first file that has the parameters."""
    program = torch.onnx.export(exported, dynamo=True, verbose=False, optimize=False)
    program.save(f"{path}.plain.onnx")
    program.optimize()
    program.save(f"{path}.onnx")


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
        torch.export.save(exported, out / f"{name}.pt2")

    attempt("pt2", static)
    if exported is not None:
        attempt("core", lambda: torch.export.save(exported.run_decompositions(),
                                                  out / f"{name}.core.pt2"))
        attempt("onnx", lambda: write_onnx(exported, out / name))
    attempt("open", lambda: torch.export.save(export_open(model, inputs),
                                              out / f"{name}.open.pt2"))
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
