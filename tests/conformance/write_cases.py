"""Writes the conformance cases of the `onnx` package as folders: model.onnx, and the inputs and
outputs of one run."""

import argparse
import pathlib

import numpy as np
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases


def message(value, info):
    """A value as the protobuf message of the kind that the model declares."""
    if hasattr(value, "SerializeToString"):
        return value
    kind = info.type.WhichOneof("value")
    if kind == "optional_type":
        return numpy_helper.from_optional(value, info.name)
    if kind == "sequence_type":
        return numpy_helper.from_list(value, info.name)
    if kind == "map_type":
        return numpy_helper.from_dict(value, info.name)
    return numpy_helper.from_array(np.asarray(value), info.name)


def write(case, folder):
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    inputs, outputs = case.data_sets[0]
    graph = case.model.graph
    for kind, values, infos in (("input", inputs, graph.input), ("output", outputs, graph.output)):
        for number, (value, info) in enumerate(zip(values, infos)):
            bytes_of = message(value, info).SerializeToString()
            (data / f"{kind}_{number}.pb").write_bytes(bytes_of)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--have", type=pathlib.Path, metavar="DIR", help="cases to leave out")
    args = parser.parse_args()
    known = {path.name for path in args.have.iterdir()} if args.have else set()
    args.out.mkdir(parents=True)
    for case in collect_testcases(None):
        if case.name not in known:
            write(case, args.out / case.name)


if __name__ == "__main__":
    main()
