"""torch as an engine of `strata.bench`: a module in this process, behind the contract of strata's plugins.

A worker of bench is then a process of Python. It asks the module to run by a call of a C function, and all that is
measured and said about it is the native core's, as for every other engine (include/strata/engine/plugin.h).
"""

from __future__ import annotations

import ctypes
import time
from typing import Any, Callable

import torch

from . import _library, _native
from ._errors import StrataError

_Text, _Handle, _Int, _Long, _Count = (
    ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint64,
)  # fmt: skip
VERSION = 2
OK, FAILED, OUT_OF_MEMORY, UNSUPPORTED = 0, 1, 4, 2

#: ONNX's numbers of element types
_TYPES = {
    torch.float32: 1, torch.uint8: 2, torch.int8: 3, torch.int16: 5, torch.int32: 6, torch.int64: 7, torch.bool: 9,
    torch.float16: 10, torch.float64: 11, torch.bfloat16: 16,
}  # fmt: skip
_DTYPES = {number: dtype for dtype, number in _TYPES.items()}


class _Error(ctypes.Structure):
    _fields_ = [("message", ctypes.c_char * 1024)]


class _Tensor(ctypes.Structure):
    _fields_ = [("name", _Text), ("dtype", _Int), ("rank", _Int), ("dims", ctypes.POINTER(_Long)), ("data", _Handle),
                ("bytes", _Count)]  # fmt: skip


class _Port(ctypes.Structure):
    _fields_ = [("name", _Text), ("dtype", _Int), ("rank", _Int), ("dims", ctypes.POINTER(_Long)), ("symbols", _Handle)]


class _Open(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32), ("path", _Text), ("model", _Handle), ("model_bytes", _Count), ("stored", _Handle),
        ("stored_count", _Count), ("device", _Text), ("provider", _Text), ("precision", _Text), ("threads", _Int),
        ("optimization", _Int), ("trace", ctypes.c_uint32),
    ]  # fmt: skip


_Failing = ctypes.POINTER(_Error)
_OnTensor = ctypes.CFUNCTYPE(ctypes.c_int, _Handle, ctypes.POINTER(_Tensor))
_OnName = ctypes.CFUNCTYPE(ctypes.c_int, _Handle, _Text, _Text)


class _Trace(ctypes.Structure):
    _fields_ = [("user", _Handle), ("on_output", _OnTensor), ("on_block", _Handle), ("run", _Count),
                ("start_ns", _Long), ("end_ns", _Long)]  # fmt: skip


_FUNCTIONS = [
    ("devices", ctypes.CFUNCTYPE(ctypes.c_int, _Handle, _OnName)),
    ("probe", ctypes.CFUNCTYPE(ctypes.c_int, _Text, _Text, _Failing)),
    ("open", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Open), ctypes.POINTER(_Handle), _Failing)),
    ("close", ctypes.CFUNCTYPE(None, _Handle)),
    ("input_count", ctypes.CFUNCTYPE(_Count, _Handle)),
    ("output_count", ctypes.CFUNCTYPE(_Count, _Handle)),
    ("input", ctypes.CFUNCTYPE(_Handle, _Handle, _Count)),
    ("output", ctypes.CFUNCTYPE(_Handle, _Handle, _Count)),
    ("bind", ctypes.CFUNCTYPE(ctypes.c_int, _Handle, ctypes.POINTER(_Tensor), _Count, _Failing)),
    ("run", ctypes.CFUNCTYPE(ctypes.c_int, _Handle, _Failing)),
    ("run_traced", ctypes.CFUNCTYPE(ctypes.c_int, _Handle, ctypes.POINTER(_Trace), _Failing)),
    ("kernels", ctypes.CFUNCTYPE(ctypes.c_int, _Handle, _Handle, _Handle, _Failing)),
    ("plan", _Handle),
    ("modules", _Handle),
    ("absent", ctypes.CFUNCTYPE(ctypes.c_int, _Handle, _Handle, _OnName)),
    ("weight_bytes", ctypes.CFUNCTYPE(_Long, _Handle)),
    ("cancel", ctypes.CFUNCTYPE(None, _Handle)),
]


class _Engine(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32), ("name", _Text), ("release", _Text), ("library", _Text), ("formats", _Text),
        ("kernel_resolution_ns", _Long), *_FUNCTIONS,
    ]  # fmt: skip


class TorchEngine:
    """One module, which runs as it is or compiled."""

    def __init__(self, name: str, module: Any, names: list[str], wrap: Callable[[Any], Any]) -> None:
        self.module, self.names, self.wrap = module, names, wrap
        self.call: Callable[..., Any] = module
        self.inputs: list[torch.Tensor] = []
        self.ports = [_Port(text.encode(), 0, -1, None, None) for text in names]
        self.runs = 0
        functions = {}
        for function, kind in _FUNCTIONS:
            own = getattr(self, "_" + function, None)
            functions[function] = kind(own) if own is not None else None
        self.table = _Engine(VERSION, name.encode(), torch.__version__.encode(), b"", b"onnx", 0, **functions)

    def _devices(self, user: int, each: Any) -> int:
        return int(each(user, b"cpu", b""))

    def _probe(self, device: bytes, precision: bytes, error: Any) -> int:
        return self._failed(error, UNSUPPORTED, "it runs in the precision that its weights have")

    def _open(self, how: Any, session: Any, error: Any) -> int:
        def open_it() -> None:
            if how[0].threads > 0:
                torch.set_num_threads(how[0].threads)
            self.call = self.wrap(self.module)
            session[0] = 1  # there is one

        return self._tried(error, open_it)

    def _close(self, session: int) -> None:
        self.inputs = []

    def _input_count(self, session: int) -> int:
        return len(self.ports)

    def _output_count(self, session: int) -> int:
        return 0

    def _input(self, session: int, number: int) -> Any:
        return ctypes.addressof(self.ports[number]) if number < len(self.ports) else None

    def _output(self, session: int, number: int) -> Any:
        return None

    def _bind(self, session: int, tensors: Any, count: int, error: Any) -> int:
        def bind_them() -> None:
            given = {}
            for number in range(count):
                one = tensors[number]
                dtype = _DTYPES[one.dtype]
                shape = [one.dims[axis] for axis in range(one.rank)]
                content = bytearray(ctypes.string_at(one.data, one.bytes))
                tensor = torch.frombuffer(content, dtype=dtype) if one.bytes else torch.empty(0, dtype=dtype)
                given[one.name.decode()] = tensor.reshape(shape).clone()
            self.inputs = [given[name] for name in self.names]

        return self._tried(error, bind_them)

    def _run(self, session: int, error: Any) -> int:
        try:
            self.call(*self.inputs)
        except Exception as problem:
            return self._failed(error, *_kind(problem))
        return OK

    def _run_traced(self, session: int, trace: Any, error: Any) -> int:
        def run_it() -> None:
            from ._record.inputs import tensors_in

            trace[0].run = self.runs
            self.runs += 1
            trace[0].start_ns = time.monotonic_ns()
            result = self.call(*self.inputs)
            trace[0].end_ns = time.monotonic_ns()
            if not trace[0].on_output:
                return
            for number, (tensor, _) in enumerate(tensors_in(result)):
                kept = tensor.detach().cpu().contiguous()
                dims = (_Long * max(kept.dim(), 1))(*kept.shape)
                size = kept.numel() * kept.element_size()
                trace[0].on_output(trace[0].user, _Tensor(f"output_{number}".encode(), _TYPES[kept.dtype], kept.dim(),
                                                          dims, kept.data_ptr(), size))

        return self._tried(error, run_it)

    def _kernels(self, session: int, user: int, each: Any, error: Any) -> int:
        return OK  # kernels are torch's own affair

    def _absent(self, session: int, user: int, each: Any) -> int:
        return OK

    def _weight_bytes(self, session: int) -> int:
        return -1

    def _cancel(self, session: int) -> None:
        """A run of a module cannot be ended; the process can."""

    def _tried(self, error: Any, work: Callable[[], None]) -> int:
        try:
            work()
        except Exception as problem:
            return self._failed(error, *_kind(problem))
        return OK

    def _failed(self, error: Any, code: int, sentence: str) -> int:
        error[0].message = sentence.encode()[:1000]
        return code


def _kind(problem: Exception) -> tuple[int, str]:
    memory = isinstance(problem, MemoryError) or "out of memory" in str(problem)
    lines = str(problem).strip().splitlines()
    return (OUT_OF_MEMORY if memory else FAILED), f"{type(problem).__name__}: {lines[0] if lines else ''}"


def serve(engine: str, file: str) -> int:
    """Works for bench until it ends: the worker's side. `file` is what `save` wrote."""
    path = _native.library()
    if path is None:
        return 1
    library = _library.load(path)
    module, names = torch.load(file, weights_only=False) if _new() else torch.load(file)
    module.eval()
    made = TorchEngine(engine, module, names, torch.compile if engine == "torch_compile" else lambda own: own)
    library.strata_worker.restype = ctypes.c_int
    library.strata_worker.argtypes = [ctypes.c_int, ctypes.POINTER(_Engine)]
    with torch.no_grad():
        return int(library.strata_worker(3, ctypes.byref(made.table)))


def save(module: Any, names: list[str], file: str) -> None:
    """A module for workers, which are other processes of the same Python."""
    for one in module.modules():
        if type(one).__module__ == "__main__":
            raise StrataError(
                f"the class {type(one).__name__} is the script's own, and other processes cannot import it: put it into a"
                " file of its own and import it from there"
            )
    torch.save((module, names), file)


def _new() -> bool:
    return int(torch.__version__.split(".")[0]) >= 2
