#!/usr/bin/env python3
"""check_models.py --strata PROGRAM --models FOLDER

Compares what strata reads of .param files with ncnn, and with counts that this script makes of the
text. Ends with 1 if anything differs.

- shapes: of every blob that the graph keeps, after ncnn has computed it from a real input
- parameters: the elements of the .bin file, by its size and the tags in it
- MACs: from the shapes that ncnn computed, and the numbers of weights in the text
"""
import argparse
import hashlib
import json
import pathlib
import struct
import subprocess
import sys

import ncnn
import numpy as np

SIDE = 64


def layers_of(path):
    """Type, name, inputs, outputs and settings of each layer."""
    lines = path.read_text().splitlines()[2:]
    for line in lines:
        words = line.split()
        if not words:
            continue
        inputs, outputs = int(words[2]), int(words[3])
        blobs = words[4:4 + inputs + outputs]
        settings = dict(word.split("=", 1) for word in words[4 + inputs + outputs:])
        yield words[0], words[1], blobs[:inputs], blobs[inputs:], settings


def stored_elements(path):
    """Elements of the .bin file, walked with the counts of the text; None if they do not fill it."""
    data, at, elements = path.with_suffix(".bin").read_bytes(), 0, 0
    for kind, _, _, _, settings in layers_of(path):
        number = {int(key): value for key, value in settings.items() if int(key) >= 0}
        count = lambda key: int(number.get(key, 0))  # noqa: E731
        parts = []
        if kind in ("Convolution", "ConvolutionDepthWise", "Deconvolution"):
            parts = [(count(6), True)] + ([(count(0), False)] if count(5) else [])
        elif kind == "InnerProduct":
            parts = [(count(2), True)] + ([(count(0), False)] if count(1) else [])
        elif kind == "PReLU":
            parts = [(count(0), False)]
        elif kind == "Scale" and count(0) != -233:
            parts = [(count(0), False)] * (1 + count(1))
        elif kind == "MemoryData":
            parts = [(max(1, count(0)) * max(1, count(1)) * max(1, count(2)), False)]
        for size, tagged in parts:
            elements += size
            width = 4
            if tagged:
                tag = struct.unpack_from("<I", data, at)[0]
                at += 4
                width = {0x01306B47: 2, 0x000D4B38: 1}.get(tag, 4)
            at += (size * width + 3) // 4 * 4
    return elements if at == len(data) else None


def sides_of(path):
    """Width, height and channels of the input; the usual square where the text states none."""
    for kind, _, _, _, settings in layers_of(path):
        if kind == "Input" and "0" in settings:
            return int(settings["0"]), int(settings["1"]), int(settings["2"])
    return SIDE, SIDE, 3


def computed_shapes(path):
    """Shapes of all blobs, each with a first axis of 1."""
    net = ncnn.Net()
    net.opt.num_threads = 1
    net.opt.lightmode = False
    net.load_param(str(path))
    net.load_model(str(path.with_suffix(".bin")))
    width, height, channels = sides_of(path)
    extractor = net.create_extractor()
    source = np.random.default_rng(0).random((channels, height, width), dtype=np.float32)
    extractor.input(net.input_names()[0], ncnn.Mat(source).clone())
    shapes = {}
    for blob in net.blobs():
        failed, value = extractor.extract(blob.name)
        if failed:
            raise RuntimeError(f"ncnn cannot compute {blob.name}")
        shapes[blob.name] = [1] + [[value.w], [value.h, value.w], [value.c, value.h, value.w],
                                   [value.c, value.d, value.h, value.w]][value.dims - 1]
    return shapes


def products(path, shapes):
    total = 0
    for kind, _, inputs, outputs, settings in layers_of(path):
        if kind == "Convolution":
            out = shapes[outputs[0]]
            total += int(settings["6"]) * out[2] * out[3]
        elif kind == "Deconvolution":
            into = shapes[inputs[0]]
            total += int(settings["6"]) * into[2] * into[3]
        elif kind == "InnerProduct":
            total += int(settings["2"])
    return total


class Check:
    def __init__(self, program):
        self.program, self.wrong, self.done = program, 0, {}

    def same(self, what, own, theirs):
        self.done[what] = self.done.get(what, 0) + 1
        if own != theirs:
            print(f"  DIFFERS: {what}: {own} where it should be {theirs}")
            self.wrong += 1

    def strata(self, command, path):
        width, height, _ = sides_of(path)
        stated = any(kind == "Input" and "0" in settings for kind, _, _, _, settings in layers_of(path))
        sizes = [] if stated else ["--dim", f"height={height}", "--dim", f"width={width}"]
        run = subprocess.run([self.program, command, str(path), "--format", "json", *sizes],
                             capture_output=True, text=True)
        if run.returncode:
            print(f"  DIFFERS: strata {command}: {run.stderr.strip()}")
            self.wrong += 1
            return None
        return json.loads(run.stdout)

    def file(self, path):
        print(path.name)
        profile, cuts = self.strata("stat", path), self.strata("payload", path)
        if profile is None or cuts is None:
            return
        shapes = computed_shapes(path)
        totals = profile["tables"]["layers"]["totals"]
        self.same("unknown operators", profile["facts"].get("unknown_ops", []), [])
        self.same("parameters", totals["params"], stored_elements(path))
        self.same("MACs", totals["macs"], products(path, shapes))
        for row in cuts["tables"]["boundaries"]["rows"]:
            if row["tensor"] is not None:
                self.same("shapes at boundaries", (row["tensor"], row["shape"]),
                          (row["tensor"], shapes[row["tensor"]]))
        made = {name: outputs[0] for _, name, _, outputs, _ in layers_of(path)}
        for row in profile["tables"]["layers"]["rows"]:
            if row["layer"] in made:
                self.same("shapes of layers", (row["layer"], row["output"]),
                          (row["layer"], [shapes[made[row["layer"]]]]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strata", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    given = parser.parse_args()
    check, seen = Check(given.strata), set()
    for path in sorted(given.models.rglob("*.param")):
        digest = hashlib.sha256(path.read_bytes()).digest()
        if digest not in seen:
            seen.add(digest)
            check.file(path)
    print(f"{len(seen)} networks; compared:", ", ".join(f"{n} {what}" for what, n in check.done.items()))
    print("nothing differs" if not check.wrong else f"{check.wrong} differ")
    return 1 if check.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
