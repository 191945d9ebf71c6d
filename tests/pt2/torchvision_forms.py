#!/usr/bin/env python3
"""Networks of torchvision, exported by torch's default exporter, against the same networks as .pt2 files.

    torchvision_forms.py --strata PROGRAM [NAME ...]

torchvision has no build for the CPU's torch, but the Python code of Debian's torchvision runs with any torch. For each
network: MACs and the rows of modules are the same in both forms, parameters differ by what the notes say, and the peak
of activations is that of torch's storages and of numpy's arrays (storages.py, onnx_storages.py).
"""
import argparse
import collections
import contextlib
import io
import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import warnings

DEBIAN = pathlib.Path("/usr/lib/python3/dist-packages")
FEW = ("convnext_tiny", "mnasnet0_5", "swin_t")
ALL = """alexnet convnext_tiny densenet121 efficientnet_b0 efficientnet_v2_s googlenet inception_v3 mnasnet0_5 mnasnet1_3
mobilenet_v2 mobilenet_v3_large mobilenet_v3_small regnet_x_400mf regnet_y_400mf resnet18 resnet50 resnext50_32x4d
shufflenet_v2_x0_5 shufflenet_v2_x1_0 squeezenet1_0 squeezenet1_1 swin_t swin_v2_t vgg11 vgg11_bn vit_b_16 vit_b_32
wide_resnet50_2""".split()
# Modules that an ONNX file has no node for: norms are folded, which the notes say, and the others do nothing.
WITHOUT_NODE = ("BatchNorm2d", "Dropout", "StochasticDepth", "Identity")


def torchvision_without_libraries(folder):
    """Its Python code alone: its libraries are made for another torch."""
    package = folder / "torchvision"
    (package / "ops").mkdir(parents=True)
    for inner in ("", "ops"):
        for file in (DEBIAN / "torchvision" / inner).iterdir():
            if file.suffix != ".so" and file.name not in ("__pycache__", "ops", "_register_onnx_ops.py"):
                (package / inner / file.name).symlink_to(file)
    sys.path.insert(0, str(folder))
    sys.path.append(str(DEBIAN))  # what torchvision imports
    # For the exporter of 2020, with names that it no longer has.
    register = types.ModuleType("torchvision.ops._register_onnx_ops")
    register._register_custom_op = lambda: None
    sys.modules[register.__name__] = register
    import torchvision

    return torchvision


def document(strata, path):
    done = subprocess.run([strata, "stat", str(path), "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def module_rows(table, modules):
    """Calls of modules, by path and class; not what a module does between those in it."""
    rows = table["tables"]["layers"]["rows"]
    return collections.Counter((row["layer"], row["type"]) for row in rows
                               if modules.get(row["layer"]) == row["type"] and row["type"] not in WITHOUT_NODE)


def total(table, column):
    return sum(row[column] or 0 for row in table["tables"]["layers"]["rows"])


def check(strata, torchvision, name, folder):
    import torch

    from export import act_trained, norms_after_convolutions
    from onnx_storages import peak_of_arrays
    from storages import peak_of_storages

    torch.set_num_threads(1)  # threads that wait for each other spin
    options = {"aux_logits": False, "init_weights": False} if name in ("googlenet", "inception_v3") else {}
    model = torchvision.models.get_model(name, weights=None, **options).eval().requires_grad_(False)
    side = 299 if name == "inception_v3" else 224
    inputs = torch.rand(1, 3, side, side)
    exported = torch.export.export(model, (inputs,))
    act_trained(exported)
    pt2, onnx = folder / f"{name}.pt2", folder / f"{name}.onnx"
    torch.export.save(exported, str(pt2))
    with contextlib.redirect_stdout(io.StringIO()):
        torch.onnx.export(exported, dynamo=True, verbose=False).save(str(onnx))
    modules = {path: type(module).__name__ for path, module in model.named_modules()}
    theirs, ours = document(strata, pt2), document(strata, onnx)
    # A folded norm leaves its bias with the convolution: of four numbers for each channel two are parameters.
    folded = norms_after_convolutions(exported)
    shapes = dict(exported.named_parameters())
    biases = {weight.replace("weight", "bias") for weight, _ in folded}
    less = sum(shapes[scale].numel() for _, scale in folded) + sum(
        shapes[bias].numel() for bias in biases if bias in shapes)
    computed = any(note.startswith("the exporter computed") for note in ours["notes"])
    said = [note for note in ours["notes"] if note.startswith(f"the exporter folded {len(folded)} norms")]
    wanted, found = module_rows(theirs, modules), module_rows(ours, modules)
    peaks = [table["facts"]["memory"]["peak_bytes"] for table in (theirs, ours)]
    results = {
        "MACs": total(theirs, "macs") == total(ours, "macs") > 0,
        "module rows": wanted == found and len(found) > 3,
        "parameters": total(theirs, "params") - less == total(ours, "params") or computed,
        "note of folded norms": bool(said) == bool(folded),
        ".pt2 peak": peaks[0] == peak_of_storages(exported, inputs),
        ".onnx peak": peaks[1] == peak_of_arrays(str(onnx), inputs),
    }
    wrong = [what for what, fine in results.items() if not fine]
    print(f"{name}: {sum(found.values())} module rows, peaks {peaks[0]:,} and {peaks[1]:,} bytes;",
          f"differs in {', '.join(wrong)}" if wrong else "equal", flush=True)
    if wrong:
        print("  ", list((wanted - found).items())[:5], list((found - wanted).items())[:5], ours["notes"])
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--strata", required=True)
    parser.add_argument("names", nargs="*", default=FEW, help=f"all: {len(ALL)} networks")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    strata = os.path.abspath(args.strata)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        torchvision = torchvision_without_libraries(folder / "python")
        names = ALL if list(args.names) == ["all"] else args.names
        fine = [check(strata, torchvision, each, folder) for each in names]
    sys.exit(0 if all(fine) else f"{fine.count(False)} of {len(fine)} networks differ")


if __name__ == "__main__":
    main()
