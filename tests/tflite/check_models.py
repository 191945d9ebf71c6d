#!/usr/bin/env python3
"""check_models.py --strata PROGRAM --models FOLDER [--networks FOLDER]

Compares what strata reads of .tflite files with LiteRT, with TFLite Micro, and with counts that this
script makes of the file's tables. Ends with 1 if anything differs.

- parameters: elements of the distinct constants that operators compute with
- MACs: outputs times the weights that meet each of them
- shapes: of every tensor at a module's boundary, after LiteRT has run the network once
- the head and the tail of the tensor arena: as TFLite Micro prints them
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
from ai_edge_litert import schema_py_generated as S

NAMES = {v: k for k, v in vars(S.BuiltinOperator).items() if isinstance(v, int)}
# Operators that strata cannot count: their authors wrote them.
CUSTOM = {"Convolution2DTransposeBias", "TransformLandmarks", "Landmarks2TransformMatrix",
          "TransformTensorBilinear"}
# Inputs that are settings, by operator.
SETTINGS = {"RESHAPE": [1], "TRANSPOSE": [1], "PAD": [1], "PADV2": [1, 2], "STRIDED_SLICE": [1, 2, 3]}
MELSPECTROGRAM = {"batch": 1, "size_1": 1280}


def counts(path):
    """Parameters and MACs of the first subgraph, and the operators that decide by data or are custom."""
    model = S.ModelT.InitFromPackedBuf(path.read_bytes(), 0)
    graph, unpacked, seen = model.subgraphs[0], {}, set()
    parameters = macs = 0
    special = set()

    def shape(i):
        sizes = graph.tensors[i].shape
        return [] if sizes is None else [int(size) for size in sizes]

    def is_constant(i):
        data = model.buffers[graph.tensors[i].buffer].data
        return data is not None and len(data) > 0

    for op in graph.operators:
        code = model.operatorCodes[op.opcodeIndex]
        name = NAMES[max(code.builtinCode, code.deprecatedBuiltinCode)]
        inputs = [] if op.inputs is None else [int(i) for i in op.inputs]
        outputs = [] if op.outputs is None else [int(i) for i in op.outputs]
        stored = [unpacked.get(i, i) for i in inputs]
        if name in ("DEQUANTIZE", "DENSIFY") and is_constant(stored[0]):
            unpacked[outputs[0]] = stored[0]
            continue
        made = int(np.prod(shape(outputs[0]))) if outputs else 0
        own = 0
        if name == "CONV_2D":
            own = made * int(np.prod(shape(stored[1])[1:]))
        elif name == "DEPTHWISE_CONV_2D":
            own = made * int(np.prod(shape(stored[1])[1:3]))
        elif name == "FULLY_CONNECTED":
            own = made * shape(stored[1])[1]
        elif name == "BATCH_MATMUL":
            own = made * shape(stored[0])[-2 if op.builtinOptions.adjX else -1]
        elif name in ("CUSTOM", "IF", "RFFT2D"):
            special.add(code.customCode.decode() if name == "CUSTOM" else name)
        macs += own
        for slot, i in enumerate(stored):
            if i < 0 or slot in SETTINGS.get(name, []) or not is_constant(i):
                continue
            tensor = graph.tensors[i]
            key = (tensor.buffer, tuple(shape(i)), tensor.type)
            learns = tensor.type in (S.TensorType.FLOAT32, S.TensorType.FLOAT16, S.TensorType.INT8)
            if key not in seen and (learns or (tensor.type == S.TensorType.INT32 and own)):
                seen.add(key)
                parameters += int(np.prod(shape(i)))
    return parameters, macs, special


def litert_shapes(path):
    """Shapes of all tensors after a run; None if LiteRT does not take the file."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType
    try:
        network = Interpreter(
            model_path=str(path), experimental_preserve_all_tensors=True,
            experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
        if path.name == "melspectrogram.tflite":
            network.resize_tensor_input(0, list(MELSPECTROGRAM.values()))
        network.allocate_tensors()
        for given in network.get_input_details():
            network.set_tensor(given["index"], np.zeros(given["shape"], given["dtype"]))
        network.invoke()
    except (RuntimeError, ValueError) as error:
        print(f"  LiteRT: {str(error).splitlines()[0][:100]}")
        return None
    return {t["name"]: [int(size) for size in t["shape"]] for t in network.get_tensor_details()}


def tflm_arena(path):
    """The head and the tail that TFLite Micro prints; None if it does not take the file."""
    code = ("import sys; from tflite_micro.python.tflite_micro import runtime as r; "
            "r.Interpreter.from_file(sys.argv[1], arena_size=60000000).print_allocations()")
    run = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    found = [re.search(part + r" (\d+) bytes", run.stderr + run.stdout) for part in ("head", "tail")]
    return [int(part.group(1)) for part in found] if all(found) else None


class Check:
    def __init__(self, program):
        self.program, self.wrong, self.done = program, 0, {}

    def strata(self, command, path, *options):
        run = subprocess.run([self.program, command, str(path), *options], capture_output=True,
                             text=True)
        if run.returncode:
            self.differs(f"strata {command}: {run.stderr.strip()}")
            return None
        return run.stdout

    def differs(self, sentence):
        print("  DIFFERS:", sentence)
        self.wrong += 1

    def same(self, what, own, theirs):
        self.done[what] = self.done.get(what, 0) + 1
        if own != theirs:
            self.differs(f"{what}: {own} where it should be {theirs}")

    def sizes(self, path):
        if path.name == "melspectrogram.tflite":
            return [word for name, size in MELSPECTROGRAM.items() for word in ("--dim", f"{name}={size}")]
        return ["--batch", "1"]

    def file(self, path):
        print(path.name)
        text = self.strata("stat", path, "--format", "json", *self.sizes(path))
        if text is None:
            return
        read = json.loads(text)
        totals = read["tables"]["layers"]["totals"]
        unknown = {op.split(" ")[0].removeprefix("tflite.custom.") for op in read["facts"]["unknown_ops"]}
        parameters, macs, special = counts(path)
        self.same("unknown operators", sorted(unknown), sorted(special & CUSTOM))
        # The other branch of an If has a constant of its own, and its work; the stored sizes of the
        # two others are those of one sample.
        if not special - CUSTOM and path.name != "melspectrogram.tflite":
            self.same("parameters", totals["params"], parameters)
            own = totals["macs"]
            self.same("MACs", own["at_least"] if isinstance(own, dict) else own, macs)
        theirs = litert_shapes(path)
        text = self.strata("payload", path, "--format", "json", *self.sizes(path))
        if theirs and text:
            for row in json.loads(text)["tables"]["boundaries"]["rows"]:
                if row["tensor"] in theirs:
                    self.same("shapes", (row["tensor"], row["shape"]),
                              (row["tensor"], theirs[row["tensor"]]))
        if path.name != "melspectrogram.tflite":
            self.arena(path, "--batch", "1")

    def arena(self, path, *sizes):
        theirs = tflm_arena(path)
        text = self.strata("stat", path, "--tflm", "--report", "root", "--width", "0", *sizes)
        if theirs is None or text is None:
            return
        for part, sentence, wanted in zip(("heads", "tails"), (r"arena takes ([\d,]+) bytes, as",
                                                               r"\(([\d,]+) bytes in the Python"), theirs):
            own = re.search(sentence, text)
            self.same(f"arena {part}", int(own.group(1).replace(",", "")) if own else None, wanted)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strata", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--networks", type=pathlib.Path)
    given = parser.parse_args()
    check, seen = Check(given.strata), set()
    for path in sorted(given.models.rglob("*.tflite")):
        digest = hashlib.sha256(path.read_bytes()).digest()
        if digest not in seen:
            seen.add(digest)
            check.file(path)
    for path in sorted(given.networks.glob("*.tflite")) if given.networks else []:
        check.arena(path)
    print(f"{len(seen)} models; compared:", ", ".join(f"{n} {what}" for what, n in check.done.items()))
    print("nothing differs" if not check.wrong else f"{check.wrong} differ")
    return 1 if check.wrong else 0


if __name__ == "__main__":
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    sys.exit(main())
