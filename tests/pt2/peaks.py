#!/usr/bin/env python3
"""The peak of activations of networks in every form, beside the memory of real runs: the tables of docs/peaks.md.

    peaks.py --strata PROGRAM --exported build/models/pt2 [--recorded] build/models/NAME.onnx ...

The oracles share no code with strata: torch's storages for .pt2 files (export.py left what storages.py found in NAME.json)
and for recordings (python/tests/test_recorded_peak.py), the addresses of numpy's arrays for ONNX files (onnx_storages.py).
A cell is strata's number of bytes, with the oracle's behind it where they differ. --recorded needs the strata package
(PYTHONPATH=python:PACKAGES STRATA_NATIVE=FOLDER).
"""
import argparse
import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parents[1] / "python" / "tests")]
from onnx_storages import peak_of_arrays  # noqa: E402

FORMS = {"pt2": ".pt2", "core": ".core.pt2", "onnx": ".onnx"}


def peak(strata, path, *words):
    """Strata's number, with `≥` if it is a lower bound."""
    done = subprocess.run([strata, "stat", str(path), *words, "--report", "none", "--format", "json"], capture_output=True,
                          text=True, check=True)
    found = json.loads(done.stdout)["facts"]["memory"]["peak_bytes"]
    return f"{found:,}" if isinstance(found, int) else f"≥{found['at_least']:,}"


def cell(ours, theirs):
    return ours if ours == f"{theirs:,}" else f"**{ours}** ({theirs:,})"


def recorded(model, inputs):
    from test_recorded_peak import Storages, tensors

    import strata

    model = model.eval().requires_grad_(False)
    found = strata.stat(model, inputs).facts["memory"]
    watched = Storages([*model.parameters(), *model.buffers()], tensors(inputs))
    with torch.no_grad(), watched:
        outputs = model(**inputs) if isinstance(inputs, dict) else model(inputs)
    watched.read(outputs)
    return cell(f"{found['peak_bytes']:,}", watched.peak())


def exported(strata, folder, with_recordings):
    """A row for each network of export.py."""
    from export import networks

    print("| network | `.pt2` | core ATen | newer exporter | older exporter, open batch | 3 × the batch |"
          + (" recorded |" if with_recordings else ""))
    print("|---|" + "---:|" * (5 + with_recordings))
    for name, make in networks("all"):
        facts = json.loads((folder / f"{name}.json").read_text())
        stored = {**facts["peak_bytes"], **facts["peak_bytes_onnx"]}
        cells = [cell(peak(strata, folder / f"{name}{ending}"), stored[form]) if form in stored else "–"
                 for form, ending in FORMS.items()]
        for batch, bytes_ in facts["peak_bytes_of_batch"].items():
            cells.append(cell(peak(strata, folder / f"{name}.old.onnx", "--dim", f"batch={batch}"), bytes_))
        cells += ["–"] * (5 - len(cells))
        if with_recordings:
            cells.append(recorded(*make()))
        print("|", " | ".join([name, *cells]), "|", flush=True)


def with_weights(path, folder):
    """A copy of an ONNX file whose weights were left out, with random ones, and an input."""
    import numpy
    import onnx

    model = onnx.load(path, load_external_data=False)
    for stored in model.graph.initializer:
        held = stored.raw_data or stored.float_data or stored.int64_data
        if not held and stored.data_type == onnx.TensorProto.FLOAT:
            values = numpy.random.rand(*stored.dims).astype(numpy.float32)
            stored.CopyFrom(onnx.numpy_helper.from_array(values, stored.name))
    copy = folder / path.name
    onnx.save(model, str(copy))
    return str(copy), torch.rand([size.dim_value for size in model.graph.input[0].type.tensor_type.shape.dim])


def files(strata, paths):
    """A row for each ONNX file with fixed sizes."""
    print("| network | bytes |")
    print("|---|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            theirs = peak_of_arrays(*with_weights(path, pathlib.Path(folder)))
            print(f"| {path.stem} | {cell(peak(strata, path), theirs)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strata", required=True)
    parser.add_argument("--exported", type=pathlib.Path, help="the folder that export.py wrote")
    parser.add_argument("--recorded", action="store_true", help="also record these networks")
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="ONNX files with one input")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    strata = os.path.abspath(args.strata)
    if args.exported:
        exported(strata, args.exported, args.recorded)
        print()
    if args.files:
        files(strata, args.files)


if __name__ == "__main__":
    main()
