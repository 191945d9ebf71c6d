#!/usr/bin/env python3
"""check_ir.py --strata PROGRAM --models FOLDER... --work FOLDER [--zoo MILLIONS] [--only WORD]

Converts .onnx, .tflite and SavedModel files with OpenVINO, and strata's own networks of up to so many
million parameters. Compares what strata reads of the IR with OpenVINO's own graph and with the file
that was converted. Ends with 1 if anything differs.

- parameters: those of the constants in the file, also where NNCF has packed them into int8 or int4
- MACs: as this script counts them by OpenVINO's shapes, and those of the source file
- shapes: of every layer, and of every tensor at a module's boundary
- unknown operators: none but those listed in UNKNOWN
- networks that OpenVINO cannot convert: those listed in REFUSED, and no other
"""
import argparse
import hashlib
import json
import pathlib
import subprocess
import sys

import openvino as ov
import openvino.frontend
from oracle import agree, count_macs, parameters_of, shapes_of

# Words of the reason why OpenVINO's frontends do not convert a file of this name.
REFUSED = {
    "BirdNET_GLOBAL_6K_V2.4_Model_FP32.tflite": "RFFT2D",
    "face_landmark_with_attention.tflite": "Landmarks2TransformMatrix",
    "selfie_segmentation.tflite": "Convolution2DTransposeBias",
    "selfie_segmentation_landscape.tflite": "Convolution2DTransposeBias",
    "alexa.tflite": "RESOURCE", "hey_mycroft.tflite": "RESOURCE", "okay_nabu.tflite": "RESOURCE",
    "hey_jarvis.tflite": ("RESOURCE", "IF node"),
    "silero_vad.onnx": "has to be known", "silero_vad_16k_op15.onnx": "has to be known",
    "silero_vad_half.onnx": "has to be known",
}
# Operators of which strata does not know the cost: none of these networks has one.
UNKNOWN = {}
# Sizes of networks that take no square: lines of text, 48 high.
SIZES = {"ch_PP-OCRv4_rec_infer.onnx": [1, 3, 48, 320], "ch_ppocr_mobile_v2.0_cls_infer.onnx": [1, 3, 48, 192]}
# How NNCF packs the weights of some networks, or quantizes them with their activations.
PACKED = {"mobilenet_v2": ("int8", "quantized"), "nmp": ("int8",), "llama_small": ("int8", "int4"),
          "hand_recrop": ("int8", "quantized"), "words": ("int8", "quantized")}


class Check:
    def __init__(self, program, work):
        self.program, self.work, self.wrong, self.done, self.files = program, work, 0, {}, 0

    def differs(self, sentence):
        print("  DIFFERS:", sentence, flush=True)
        self.wrong += 1

    def same(self, what, own, theirs):
        self.done[what] = self.done.get(what, 0) + 1
        if own != theirs:
            self.differs(f"{what}: {own} where it should be {theirs}")

    def strata(self, command, path, *options):
        run = subprocess.run([self.program, command, str(path), "--format", "json", *options],
                             capture_output=True, text=True)
        if run.returncode:
            self.differs(f"strata {command} {path}: {run.stderr.strip()[:300]}")
            return None
        return json.loads(run.stdout)

    def convert(self, path):
        source = path.parent if path.name == "saved_model.pb" else path
        known = REFUSED.get(path.name, ())
        known = (known,) if isinstance(known, str) else known
        try:
            return ov.convert_model(str(source))
        except (RuntimeError, ov.frontend.OpConversionFailure, ov.frontend.GeneralFailure) as error:
            reason = " ".join(str(error).split())
            self.done["not converted"] = self.done.get("not converted", 0) + 1
            found = [word for word in known if word in reason]
            print("  OpenVINO does not convert it:", *(found or [reason[:1000]]))
            if not found:
                self.differs("not converted, and not listed in REFUSED")
            return None

    def shapes(self, path, profile, network, sizes):
        theirs = shapes_of(network)
        for row in profile["tables"]["layers"]["rows"]:
            # A layer that NNCF quantizes has its quantizers behind its name and a slash.
            if row["type"] != "FakeQuantize" and row["layer"] in theirs:
                for shape in row["output"] or []:
                    self.shape("shapes of layers", row["layer"], shape, theirs[row["layer"]])
        cuts = self.strata("payload", path, *sizes)
        for row in cuts["tables"]["boundaries"]["rows"] if cuts else []:
            name, _, port = (row["tensor"] or "").rpartition(":")
            if row["tensor"] in theirs:
                name, port = row["tensor"], "0"
            if name in theirs and port.isdigit():
                self.shape("shapes at boundaries", row["tensor"], row["shape"], [theirs[name][int(port)]])

    def shape(self, what, name, own, theirs):
        self.done[what] = self.done.get(what, 0) + 1
        if not any(agree(own, shape) for shape in theirs):
            self.differs(f"{what}: {name}: {own} where it should be {theirs}")

    def one(self, place, network, sizes, parameters, source):
        """One IR file, against OpenVINO's graph of it and the totals of its source file."""
        self.files += 1
        profile = self.strata("stat", place, *sizes)
        if profile is None:
            return
        totals = profile["tables"]["layers"]["totals"]
        self.same("parameters", (place.stem, totals["params"]), (place.stem, parameters))
        self.same("unknown operators", (place.stem, profile["facts"]["unknown_ops"]),
                  (place.stem, UNKNOWN.get(place.stem, [])))
        macs = count_macs(network)
        if macs is not None:
            self.same("MACs by OpenVINO's shapes", (place.stem, totals["macs"]), (place.stem, macs))
        if source is not None:
            self.same("MACs of the source", (place.stem, totals["macs"]), (place.stem, source["macs"]))
        self.shapes(place, profile, network, sizes)

    def file(self, path):
        name = f"{path.parent.name if path.name == 'saved_model.pb' else path.stem}{path.suffix}"
        print(name, flush=True)
        network = self.convert(path)
        if network is None:
            return
        # Open sizes: one sample of 512 elements along every other axis.
        wanted = {port.get_any_name(): [size.get_length() if size.is_static else 512 if axis else 1
                                        for axis, size in enumerate(port.get_partial_shape())]
                  for port in network.inputs}
        wanted = {port: SIZES.get(path.name, shape) for port, shape in wanted.items()}
        sizes = [word for port, shape in wanted.items()
                 if network.input(port).get_partial_shape().is_dynamic
                 for word in ("--input", f"{port}={'x'.join(map(str, shape))}")]
        source = None
        if path.suffix != ".pb":
            read = self.strata("stat", path, *(sizes if path.suffix == ".onnx" else ("--batch", "1")))
            source = read and read["tables"]["layers"]["totals"]
            if path.name == "melspectrogram.tflite":
                source = None  # its input has two open sizes
        stem, core = name.replace(".", "_"), ov.Core()
        place = self.work / f"{stem}_f32.xml"
        ov.save_model(network, place, compress_to_fp16=False)
        parameters = parameters_of(place)
        for kind in ("f32", "f16", *PACKED.get(path.stem if path.suffix != ".pb" else "nmp", ())):
            place = self.work / f"{stem}_{kind}.xml"
            if kind != "f32":
                self.save(kind, path, place)
            graph = core.read_model(place)
            graph.reshape(wanted)
            self.one(place, graph, sizes, parameters, None if kind == "quantized" else source)
            del graph
            place.unlink()
            place.with_suffix(".bin").unlink()

    def save(self, kind, path, place):
        network = ov.convert_model(str(path.parent if path.suffix == ".pb" else path))
        if kind == "f16":
            ov.save_model(network, place, compress_to_fp16=True)
            return
        import nncf
        import numpy as np
        if kind == "quantized":
            port = network.inputs[0]
            shape = [size.get_length() if size.is_static else 1 for size in port.get_partial_shape()]
            data = np.random.default_rng(0).random(shape).astype(port.get_element_type().to_dtype())
            network = nncf.quantize(network, nncf.Dataset([data]), subset_size=1)
        elif kind == "int4":
            network = nncf.compress_weights(network, mode=nncf.CompressWeightsMode.INT4_SYM,
                                            group_size=16, all_layers=True)
        else:
            network = nncf.compress_weights(network, mode=nncf.CompressWeightsMode.INT8_ASYM)
        ov.save_model(network, place, compress_to_fp16=False)

    def zoo(self, millions, only):
        run = subprocess.run([self.program, "zoo", "--format", "json"], capture_output=True, text=True,
                             check=True)
        for name in [row["network"] for row in json.loads(run.stdout)["tables"]["networks"]["rows"]]:
            read = self.strata("stat", f"zoo:{name}", "--report", "root") if only in name else None
            if read is None or read["tables"]["layers"]["totals"]["params"] > millions * 1e6:
                continue
            path = self.work / f"{name}.onnx"
            subprocess.run([self.program, "zoo", "export", name, "-o", str(path)],
                           capture_output=True, check=True)
            self.file(path)
            path.unlink()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strata", required=True)
    parser.add_argument("--models", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--zoo", type=float, default=0, help="million parameters")
    parser.add_argument("--only", default="", help="a part of the networks' names")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    check, seen = Check(given.strata, given.work), set()
    for path in sorted(path for folder in given.models for path in folder.rglob("*")
                       if path.suffix in (".onnx", ".tflite") or path.name == "saved_model.pb"):
        digest = hashlib.sha256(path.read_bytes()).digest()
        if digest not in seen and given.only in path.name:
            seen.add(digest)
            check.file(path)
    if given.zoo:
        check.zoo(given.zoo, given.only)
    print(f"{check.files} IR files; compared:", ", ".join(f"{n} {what}" for what, n in check.done.items()))
    print("nothing differs" if not check.wrong else f"{check.wrong} differ")
    return 1 if check.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
