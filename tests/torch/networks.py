#!/usr/bin/python3
"""torchvision's networks, traced by Debian's torch, against their ONNX files: parameters, MACs and
module paths of every layer are the same."""

import argparse
import csv
import pathlib
import sys
import tempfile

import torch

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "models"))

from export_torchvision import example_for, make_network, no_initial_weights  # noqa: E402
from program import Judge, Strata  # noqa: E402


def trace(name, path):
    with no_initial_weights():
        module = make_network(name).eval()
    with torch.no_grad():
        for tensor in [*module.parameters(), *module.buffers()]:
            if tensor.is_floating_point():
                tensor.fill_(0.01)  # values do not matter; memory that nobody wrote may be slow
    example = example_for(name)
    # In evaluation, attention would take a fused path that has no modules inside.
    with torch.enable_grad():
        torch.jit.trace(module, example, check_trace=False).save(str(path))
    modules = {path: type(own).__name__ for path, own in module.named_modules()}
    return "x".join(map(str, example.shape)), modules


def works(rows):
    """The layers that have parameters or products, and how much of them."""
    return [
        (row["layer"], row.get("call") or 1, row["params"], row["macs"])
        for row in rows
        if row["params"] or row["macs"]
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strata", required=True)
    parser.add_argument("--engines", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    torch.set_num_threads(1)
    strata = Strata(args.strata, args.engines)
    judge = Judge()
    with (HERE.parent / "golden" / "rasp_torchvision_models.csv").open() as table:
        names = [row["model"] for row in csv.DictReader(table)]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            if args.only and name != args.only:
                continue
            file = pathlib.Path(folder) / f"{name}.pt"
            shape, modules = trace(name, file)
            columns = ("--columns", "layer,call,type,params,macs")
            found = strata.rows(str(file), "--input", f"x={shape}", *columns)
            wanted = strata.rows(str(args.models / f"{name}.onnx"), *columns)
            judge.equal(f"{name}, layers with work", works(found), works(wanted))
            # A call between modules is named after its operator, which has another name in ONNX.
            called = {row["layer"] for row in found} & set(modules)
            in_file = {row["layer"] for row in wanted} & set(modules)
            judge.equal(f"{name}, modules that only ONNX has", in_file - called, set())
            judge.true(f"{name}, modules that ONNX loses: {called - in_file}",
                       all(modules[path] == "Dropout" for path in called - in_file))
            if name == "mobilenet_v2":
                table = strata.run("stat", str(file), "--input", f"x={shape}", "--layout", "rasp",
                                   "--device-memory", "pytorch-cuda", "--format", "csv")
                golden = (HERE.parent / "golden" / "rasp_mobilenet_v2.csv").read_text()
                judge.equal("the published table of MobileNetV2", table.stdout, golden)
            file.unlink()
    judge.equal("networks", len(names), 34)
    return judge.finish()


if __name__ == "__main__":
    sys.exit(main())
