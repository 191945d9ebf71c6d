"""Engines of this Python that run an exported module: pip's onnxruntime and openvino."""

from __future__ import annotations

import os
import threading
from typing import Any, Optional, Sequence

from .._errors import StrataError


class Unavailable(StrataError):
    """What is asked for is not here, whatever the module is."""


class Session:
    """A file opened by an engine. `run` takes and gives arrays of numpy, and any threads may call it at once."""

    engine: str
    release: str
    #: Whether it computes float64 and int64 with 32 bits.
    has_32_bits = False
    #: The whole numbers that it takes, so that what it computes of them has room; None: all of torch.int64.
    whole_numbers: Optional[tuple[int, int]] = None

    def run(self, arrays: Sequence[Any]) -> list[Any]:
        raise NotImplementedError


class _OnnxRuntime(Session):
    engine = "onnxruntime"

    def __init__(self, path: str, precision: str, threads: int) -> None:
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # some releases send usage data
        import onnxruntime

        if precision == "bf16":
            raise Unavailable("onnxruntime has no bf16 kernels for the CPU")
        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # where it refuses a call, torch answers, and says what is wrong
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Spinning threads would take the processor from torch's.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.release = onnxruntime.__version__
        self._session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self._names = [each.name for each in self._session.get_inputs()]

    def run(self, arrays: Sequence[Any]) -> list[Any]:
        return self._session.run(None, dict(zip(self._names, arrays)))  # type: ignore[no-any-return]


class _OpenVino(Session):
    engine = "openvino"
    has_32_bits = True
    whole_numbers = (-(2**20), 2**20)

    def __init__(self, path: str, precision: str, threads: int) -> None:
        import openvino

        core = openvino.Core()
        capabilities = core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
        if precision == "bf16" and "BF16" not in capabilities:
            raise Unavailable("openvino has no bf16 kernels for this processor")
        # Left to itself, OpenVINO computes in bf16 where the processor can.
        how = {
            "INFERENCE_PRECISION_HINT": "bf16" if precision == "bf16" else "f32",
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": threads,
        }
        self.release = openvino.__version__.split("-")[0]
        self._tensor = openvino.Tensor
        self._compiled = core.compile_model(core.read_model(path), "CPU", how)
        self._outputs = range(len(self._compiled.outputs))
        self._own = threading.local()

    def run(self, arrays: Sequence[Any]) -> list[Any]:
        # A request belongs to one thread: two that share one give each other's answers.
        own = self._own.__dict__
        request = own.get("request")
        if request is None:
            request = own["request"] = self._compiled.create_infer_request()
        # OpenVINO shares the memory of its inputs and keeps no reference, so this keeps one until
        # others are set.
        own["inputs"] = arrays
        for number, array in enumerate(arrays):
            request.set_input_tensor(number, self._tensor(array, True))
        request.infer()
        # The outputs belong to the request, which writes over them in its next run.
        return [request.get_output_tensor(number).data.copy() for number in self._outputs]


class Compiled(Session):
    """A module compiled by torch.compile. It takes and gives tensors, and has no file."""

    engine = "compile"

    def __init__(self, module: Any) -> None:
        import torch

        if not hasattr(torch, "compile"):
            raise Unavailable(f"torch {torch.__version__} has no torch.compile")
        self.release = torch.__version__
        self.call = torch.compile(type(module).forward.__get__(module), dynamic=None)


_SESSIONS: dict[str, type[Session]] = {"onnxruntime": _OnnxRuntime, "openvino": _OpenVino}
ENGINES = (*_SESSIONS, "compile")


def installed() -> list[str]:
    """The engines that this Python can import. torch.compile takes minutes, so it is only tried if it is named."""
    from importlib.util import find_spec

    return [name for name in _SESSIONS if find_spec(name) is not None]


def open_session(engine: str, path: str, precision: str, threads: int) -> Session:
    """Raises StrataError with a sentence if the engine cannot run the file in this precision."""
    if engine not in _SESSIONS:
        raise Unavailable(f'there is no engine "{engine}" to optimize with; there are {", ".join(ENGINES)}', 2)
    try:
        return _SESSIONS[engine](path, precision, threads)  # type: ignore[call-arg]
    except StrataError:
        raise
    except ImportError as error:
        raise Unavailable(f"{engine} is not installed in this Python: pip install {engine}") from error
    except Exception as error:
        raise StrataError(f"{engine} cannot open it: {first_line(error)}") from error


def first_line(error: BaseException) -> str:
    """The first line of a message that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:200] if lines else type(error).__name__
