#!/usr/bin/env python3
"""list_kernels.py FOLDER: prints the builtin operators that TFLite Micro's package has a kernel for.

Each is tried with a network of that operator alone, in a process of its own, because some kernels end
the process when their options are missing. src/core/ops/tflm.cc has the list.
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "models/tflite"))
from network import Net, S  # noqa: E402

LOAD = ("import sys; from tflite_micro.python.tflite_micro import runtime as r; "
        "r.Interpreter.from_file(sys.argv[1], arena_size=100000)")

if __name__ == "__main__":
    file = pathlib.Path(sys.argv[1]) / "one.tflite"
    file.parent.mkdir(parents=True, exist_ok=True)
    for name in sorted(n for n, v in vars(S.BuiltinOperator).items() if isinstance(v, int)):
        if name == "CUSTOM":
            continue
        net = Net()
        g = net.subgraph()
        x, y = g.tensor("x", [1, 4]), g.tensor("y", [1, 4])
        g.op(name, [x], [y])
        g.t.inputs, g.t.outputs = [x], [y]
        file.write_bytes(net.bytes())
        run = subprocess.run([sys.executable, "-c", LOAD, str(file)], capture_output=True, text=True)
        if "find op for" not in run.stderr and "Failed to get" not in run.stderr:
            print(name)
