#!/usr/bin/env python3
"""Measures the overhead of calling an optimized module beyond the engine's own run, in microseconds of processor time.

    calls.py [--engines onnxruntime,openvino]

Of the module's layers only one computes, so that the engine has next to nothing to do; the weights of all are checked.
Each figure is the smallest of 7 means of 300 calls.
"""

import argparse
import tempfile
import time

import torch

from strata._optimize._export import export
from strata._optimize._flat import Call
from strata._optimize._forward import EngineForward
from strata._optimize._sessions import open_session


class Layers(torch.nn.Module):
    def __init__(self, count):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(count))

    def forward(self, x):
        return self.layers[0](x)


def microseconds(function, *given):
    means = []
    for _ in range(7):
        began = time.process_time()
        for _ in range(300):
            function(*given)
        means.append((time.process_time() - began) / 300)
    return 1e6 * min(means)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--engines", default="onnxruntime,openvino")
    args = parser.parse_args()
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}")
    with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
        for count in (1, 225):
            for engine in args.engines.split(","):
                model, x, other = Layers(count).eval(), torch.rand(1, 4), torch.rand(2, 4)
                exported = export(model, [Call((x,), {}, model(x))], f"{folder}/{count}.{engine}.onnx")
                forward = EngineForward(model, exported, open_session(engine, exported.path, "fp32", 1))
                arrays = [x.numpy()]
                run, plain = microseconds(forward.session.run, arrays), microseconds(model.forward, x)
                print(f"{2 * count} weights, {engine}: checks {microseconds(forward._has_changed):.1f}, "
                      f"hand-over {microseconds(forward, x) - run:.1f} beyond {run:.1f}", end="", flush=True)
                size = microseconds(forward, other) - microseconds(model.forward, other)
                assert not set(forward.fallbacks) - {"shape"} and forward.calls
                model.layers[-1].weight.add_(1)
                changed = microseconds(forward, x) - plain
                assert forward.fallbacks["weights"] >= 2100
                print(f"; torch answers because of a size: {size:.1f}, of the last weight: {changed:.1f}", flush=True)


if __name__ == "__main__":
    main()
