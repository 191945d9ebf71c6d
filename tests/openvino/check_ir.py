#!/usr/bin/env python3
"""check_ir.py --strata PROGRAM --models FOLDER... --work FOLDER

Converts ONNX files with OpenVINO, and compares what strata reads of the IR with what it reads of the
ONNX file and with OpenVINO's own shapes. Ends with 1 if anything differs.

- parameters: those of the constants in the float32 file, also where weights are float16, int8 or
  int4
- MACs: equal to those of the ONNX file
- shapes: of every tensor at a module's boundary and of every layer, after OpenVINO has given the
  inputs these sizes
"""
import argparse
import json
import pathlib
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import openvino as ov

# Inputs that are settings, by operator.
SETTINGS = {"Swish": [1], "HardSigmoid": [1, 2], "Pad": [3], "Interpolate": [1, 2], "MVN": [1],
            "FakeQuantize": [1, 2, 3, 4], "Selu": [1, 2], "ScaledDotProductAttention": [4], "NonMaxSuppression": [2, 3, 4, 5]}


def constants(path):
    """Elements of the float constants that operators compute with, in all bodies. Equal constants
    have one place in the .bin file, and are one weight; those of one number are equal by chance."""
    data, total, seen = path.with_suffix(".bin").read_bytes(), 0, set()
    for net in ElementTree.parse(path).iter():
        if net.find("layers") is None:
            continue
        types = {layer.get("id"): layer.get("type") for layer in net.find("layers")}
        readers = {}
        for edge in net.find("edges"):
            readers.setdefault(edge.get("from-layer"), []).append(
                (types[edge.get("to-layer")], int(edge.get("to-port"))))
        for layer in net.find("layers"):
            constant = layer.find("data")
            if layer.get("type") != "Const" or constant.get("element_type") != "f32":
                continue
            if all(port in SETTINGS.get(kind, []) for kind, port in readers[layer.get("id")]):
                continue
            start = int(constant.get("offset"))
            values = np.frombuffer(data[start:start + int(constant.get("size"))], np.float32)
            if values.size > 1 and np.ptp(values) > 0:
                key = (start, constant.get("shape"))
                if key in seen:
                    continue
                seen.add(key)
            total += values.size
    return total


class Check:
    def __init__(self, program, work):
        self.program, self.work, self.wrong, self.done = program, work, 0, {}

    def differs(self, sentence):
        print("  DIFFERS:", sentence)
        self.wrong += 1

    def same(self, what, own, theirs):
        self.done[what] = self.done.get(what, 0) + 1
        if own != theirs:
            self.differs(f"{what}: {own} where it should be {theirs}")

    def strata(self, command, path, *options):
        run = subprocess.run([self.program, command, str(path), "--format", "json", *options],
                             capture_output=True, text=True)
        if run.returncode:
            self.differs(f"strata {command} {path.name}: {run.stderr.strip()[:300]}")
            return None
        return json.loads(run.stdout)

    def totals(self, path, sizes):
        document = self.strata("stat", path, *sizes)
        return None if document is None else document["tables"]["layers"]["totals"]

    def shapes(self, path, network, wanted, sizes):
        """Checks the shapes of the network when its inputs have these sizes."""
        network.reshape(wanted)
        theirs = {}
        for op in network.get_ordered_ops():
            for i in range(op.get_output_size()):
                shape = op.get_output_partial_shape(i)
                if shape.is_static:
                    name = op.get_friendly_name()
                    theirs[name if i == 0 else f"{name}:{i}"] = [size.get_length() for size in shape]
        cuts = self.strata("payload", path, *sizes)
        for row in cuts["tables"]["boundaries"]["rows"] if cuts else []:
            if row["tensor"] in theirs:
                self.same("shapes", (row["tensor"], row["shape"]),
                          (row["tensor"], theirs[row["tensor"]]))

    def file(self, path):
        print(path.name)
        try:
            network = ov.convert_model(str(path))
        except RuntimeError as error:
            print(f"  OpenVINO: {str(error).splitlines()[0][:100]}")
            return
        # Open sizes: one sample of 512 elements along every other axis.
        wanted = {port.get_any_name(): [size.get_length() if size.is_static else 512 if axis else 1
                                        for axis, size in enumerate(port.get_partial_shape())]
                  for port in network.inputs}
        sizes = [word for name, shape in wanted.items()
                 if network.input(name).get_partial_shape().is_dynamic
                 for word in ("--input", f"{name}={'x'.join(map(str, shape))}")]
        own = self.totals(path, sizes)
        for kind in ("f32", "f16", "int8", "int4"):
            place = self.work / f"{path.stem}_{kind}.xml"
            if kind.startswith("int"):
                if path.stem not in ("mobilenet_v2", "llama_small", "nmp"):
                    continue
                import nncf
                mode = nncf.CompressWeightsMode.INT8_ASYM
                if kind == "int4":
                    if path.stem != "llama_small":
                        continue
                    mode = nncf.CompressWeightsMode.INT4_SYM
                more = {"group_size": 16, "all_layers": True} if kind == "int4" else {}
                packed = nncf.compress_weights(ov.convert_model(str(path)), mode=mode, **more)
                ov.save_model(packed, place, compress_to_fp16=False)
            else:
                ov.save_model(network, place, compress_to_fp16=kind == "f16")
            read = self.totals(place, sizes)
            if read is None or own is None:
                continue
            self.same("parameters", (place.stem, read["params"]), (place.stem, constants(self.work / f"{path.stem}_f32.xml")))
            self.same("MACs", (place.stem, read["macs"]), (place.stem, own["macs"]))
            # OpenVINO folds norms into convolutions, and tables that ONNX computes into constants.
            self.done["parameters as in ONNX"] = self.done.get("parameters as in ONNX", 0) + (
                read["params"] == own["params"])
        self.shapes(self.work / f"{path.stem}_f32.xml", network, wanted, sizes)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strata", required=True)
    parser.add_argument("--models", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    check, files = Check(given.strata, given.work), sorted(path for folder in given.models for path in folder.rglob("*.onnx"))
    for path in files:
        check.file(path)
    print(f"{len(files)} networks; compared:", ", ".join(f"{n} {what}" for what, n in check.done.items()))
    print("nothing differs" if not check.wrong else f"{check.wrong} differ")
    return 1 if check.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
