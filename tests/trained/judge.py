#!/usr/bin/python3
"""judge.py CASE [MODEL] --out FOLDER: runs a file on the samples held out and prints the measure of
the network's own task, and how near its outputs are to those of the floats.

judge.py --agreement CASE FLOATS.npz OTHERS.npz --out FOLDER: how far the outputs of one sample agree,
in the terms of the task; a command for `strata sensitivity --metric-cmd`.

It shares nothing with strata: ONNX Runtime's Python package runs the files, numpy compares.
"""

import argparse
import json
import math
import os
import pathlib
import sys

import numpy

import cases
import places

os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def prepare(name, at):
    """Writes the samples where they are not yet; the paths of the network and of its samples."""
    case = cases.load(name)
    folder = at.of(name)
    if not (folder / "truth.npz").exists():
        inputs, truth = case.samples(at)
        numpy.savez_compressed(folder / "samples.npz", **inputs)
        numpy.savez_compressed(folder / "truth.npz", **truth)
    return case.model(at), folder / "samples.npz"


def answers(case, path, arrays, first, last):
    """Output dicts of the samples from `first` to `last`."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    count = case.CALIBRATE + case.HELD_OUT
    out = []
    for i in range(first, last):
        feed = {}
        for name, values in arrays.items():
            rows = len(values) // count  # of one sample
            feed[name] = values[i * rows:(i + 1) * rows]
        out.append(dict(zip(names, session.run(None, feed))))
    return out


def likeness(floats, others):
    """SQNR in dB and cosine over all samples, of the first output."""
    name = next(iter(floats[0]))
    a = numpy.concatenate([x[name].ravel() for x in float]).astype(numpy.float64)
    b = numpy.concatenate([x[name].ravel() for x in others]).astype(numpy.float64)
    noise = float(((a - b) ** 2).sum())
    return (10 * math.log10(float((a ** 2).sum()) / noise) if noise > 0 else math.inf,
            float(a @ b / math.sqrt((a @ a) * (b @ b))))


def judge(name, path, at):
    case = cases.load(name)
    model, samples = prepare(name, at)
    arrays = dict(numpy.load(samples))
    truth = dict(numpy.load(at.of(name) / "truth.npz"))
    count = case.CALIBRATE + case.HELD_OUT
    first = 0 if getattr(case, "NEEDS_ALL", False) else case.CALIBRATE
    floats = answers(case, model, arrays, first, count)
    others = floats if path == model else answers(case, path, arrays, first, count)
    held_out = case.CALIBRATE - first
    sqnr, cosine = likeness(floats[held_out:], others[held_out:])
    known = {key: values[first:] if len(values) == count else values
             for key, values in truth.items()}
    return {"quality": case.quality(others, known, at),
            "sqnr_db": None if math.isinf(sqnr) else sqnr, "cosine": cosine}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=cases.NAMES)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--agreement", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    at = places.Places(arguments.out.resolve())
    case = cases.load(arguments.case)
    if arguments.agreement:
        print(case.agreement(*(dict(numpy.load(file)) for file in arguments.files), at))
        return
    sys.path.insert(0, str(at.packages))
    path = arguments.files[0] if arguments.files else case.model(at)
    print(json.dumps(judge(arguments.case, path, at)))


if __name__ == "__main__":
    main()
