"""Prefill and decode on one core, by turns: what docs/language-models.md compares predictions with.

python3 measure.py MODEL.gguf                    llama.cpp (pip install xllamacpp)
python3 measure.py PREFILL.onnx DECODE.onnx      ONNX Runtime (pip install onnxruntime)
python3 measure.py PREFILL.onnx DECODE.onnx openvino    OpenVINO (pip install openvino)

Prints the median of processor times, because the machine may be shared.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

PROMPT, NEW, TURNS = 128, 32, 5


def seconds(run: Callable[[], object]) -> float:
    begin = time.process_time()
    run()
    return time.process_time() - begin


def by_turns(*runs: Callable[[], object]) -> list[float]:
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(TURNS):
        for one, run in zip(times, runs, strict=True):
            one.append(seconds(run))
    return [statistics.median(one) for one in times]


def llama(path: str) -> tuple[float, float]:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx, params.n_parallel, params.verbosity = 512, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)

    def run(new: int) -> object:
        prompt = [300 + 7 * i % 500 for i in range(PROMPT)]
        return server.handle_completions(
            {"prompt": prompt, "n_predict": new, "ignore_eos": True, "cache_prompt": False}
        )

    run(1)
    prefill, both = by_turns(lambda: run(1), lambda: run(1 + NEW))
    return prefill, (both - prefill) / NEW


def onnx(prefill: str, decode: str) -> tuple[float, float]:
    import numpy as np
    import onnxruntime as ort

    def session(path: str) -> Callable[[], object]:
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        opened = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        inputs = {
            one.name: np.zeros(one.shape, np.int64 if "int64" in one.type else np.float32)
            for one in opened.get_inputs()
        }
        opened.run(None, inputs)
        return lambda: opened.run(None, inputs)

    first, later = by_turns(session(prefill), session(decode))
    return first, later


def openvino(prefill: str, decode: str) -> tuple[float, float]:
    import numpy as np
    import openvino as ov

    def request(path: str) -> Callable[[], object]:
        options = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
        compiled = ov.Core().compile_model(path, "CPU", options)
        opened = compiled.create_infer_request()
        inputs = {
            one.any_name: np.zeros(tuple(one.shape), np.int64 if one.element_type == ov.Type.i64 else np.float32)
            for one in compiled.inputs
        }
        opened.infer(inputs)
        return lambda: opened.infer(inputs)

    first, later = by_turns(request(prefill), request(decode))
    return first, later


def main() -> None:
    if len(sys.argv) == 2:
        prefill, decode = llama(sys.argv[1])
    elif sys.argv[3:] == ["openvino"]:
        prefill, decode = openvino(*sys.argv[1:3])
    else:
        prefill, decode = onnx(*sys.argv[1:])
    print(f"prefill of {PROMPT}: {prefill * 1e3:.3f} ms; decode: {decode * 1e3:.3f} ms a token")


if __name__ == "__main__":
    main()
