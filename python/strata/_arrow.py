"""A table as an Arrow C stream in a PyCapsule, without copying: pyarrow, polars and DuckDB take it."""

from __future__ import annotations

import ctypes
from typing import Any

_NAME = b"arrow_array_stream"


class _Stream(ctypes.Structure):
    """struct ArrowArrayStream of the Arrow C stream interface."""


_Release = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))
_Stream._fields_ = [
    ("get_schema", ctypes.c_void_p),
    ("get_next", ctypes.c_void_p),
    ("get_last_error", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]

_streams: dict[int, _Stream] = {}  # those in capsules that are alive, by address


def _release_capsule(capsule: int) -> None:
    address = _pointer(capsule, _NAME)
    stream = _streams.pop(address)
    if stream.release:  # nobody has taken the stream out of the capsule
        _Release(stream.release)(ctypes.byref(stream))


# Takes the capsule's address: at that moment nothing may hold the object itself.
_destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_release_capsule)


def stream(result: Any, table: int = 0) -> Any:
    """A PyCapsule with the stream of a table of a result that has `arrow_into`."""
    content = _Stream()
    address = ctypes.addressof(content)
    result.arrow_into(table, address)
    _streams[address] = content
    return _new(address, _NAME, ctypes.cast(_destructor, ctypes.c_void_p))
