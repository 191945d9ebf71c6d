"""`libstrata_c.so` by ctypes, as include/strata/c.h declares it: commands in this process."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from . import _native
from ._errors import StrataError

_ABI = 1
_FINE, _BUDGET = 0, 3

_Text = ctypes.c_char_p
_Size = ctypes.c_size_t
_Handle = ctypes.c_void_p


class _File(ctypes.Structure):
    _fields_ = [("name", _Text), ("bytes", _Text), ("size", _Size)]


class _Call(ctypes.Structure):
    _fields_ = [
        ("size", _Size),
        ("words", ctypes.POINTER(_Text)),
        ("word_count", _Size),
        ("files", ctypes.POINTER(_File)),
        ("file_count", _Size),
        ("progress", ctypes.c_void_p),
        ("note", ctypes.c_void_p),
        ("user", ctypes.c_void_p),
        ("stop", ctypes.c_void_p),
    ]


_FUNCTIONS = {
    "strata_abi": (ctypes.c_int, []),
    "strata_version": (_Text, []),
    "strata_run": (ctypes.c_int, [ctypes.POINTER(_Call), ctypes.POINTER(_Handle)]),
    "strata_read": (ctypes.c_int, [_Text, _Size, ctypes.POINTER(_Handle)]),
    "strata_document_free": (None, [_Handle]),
    "strata_document_error": (_Text, [_Handle]),
    "strata_document_text": (ctypes.c_void_p, [_Handle, ctypes.POINTER(_Size)]),
    "strata_document_json": (ctypes.c_void_p, [_Handle, ctypes.POINTER(_Size)]),
    "strata_render": (
        ctypes.c_int,
        [_Handle, _Text, ctypes.POINTER(_Text), _Size, ctypes.POINTER(ctypes.c_void_p),
         ctypes.POINTER(_Size)],
    ),
    "strata_document_table_count": (_Size, [_Handle]),
    "strata_document_table_name": (_Text, [_Handle, _Size]),
    "strata_document_arrow": (ctypes.c_int, [_Handle, _Size, ctypes.c_void_p]),
}  # fmt: skip


@cache
def load(path: str) -> ctypes.CDLL:
    """The library, with its functions declared."""
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise StrataError(f"{path} cannot be loaded: {error}") from None
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    abi = library.strata_abi()
    if abi < _ABI or abi >= 1000:
        raise StrataError(f"{path} has interface {abi}, and this package needs {_ABI}")
    return library


def _words(words: Sequence[str]) -> ctypes.Array[ctypes.c_char_p]:
    encoded = [word.encode("utf-8", "surrogateescape") for word in words]
    return (_Text * len(encoded))(*encoded)


class LibraryResult(_native.Result):
    """A document of the library; what is asked of it is made then."""

    def __init__(self, library: ctypes.CDLL, handle: ctypes.c_void_p, code: int) -> None:
        self._library, self._handle, self.code = library, handle, code
        self._lock = threading.Lock()  # a document is for one thread at a time

    def __del__(self) -> None:
        if self._handle:
            self._library.strata_document_free(self._handle)

    def _fail(self, code: int) -> StrataError:
        sentence = self._library.strata_document_error(self._handle) or b"there is no memory"
        return StrataError(sentence.decode("utf-8", "replace"), code)

    def _made(self, name: str) -> bytes:
        size = _Size()
        with self._lock:
            text = getattr(self._library, name)(self._handle, ctypes.byref(size))
            if not text:
                raise self._fail(1)
            return ctypes.string_at(text, size.value)

    def json(self) -> bytes:
        return self._made("strata_document_json")

    def text(self) -> bytes:
        """What the program prints for the words of the call."""
        return self._made("strata_document_text")

    def render(self, format: str, options: Sequence[str] = ()) -> bytes:
        text, size = ctypes.c_void_p(), _Size()
        with self._lock:
            code = self._library.strata_render(
                self._handle, format.encode(), _words(options), len(options),
                ctypes.byref(text), ctypes.byref(size),
            )  # fmt: skip
            if code != _FINE or not text:
                raise self._fail(code)
            return ctypes.string_at(text.value or 0, size.value)

    def table_names(self) -> list[str]:
        count = self._library.strata_document_table_count(self._handle)
        names = (self._library.strata_document_table_name(self._handle, i) for i in range(count))
        return [name.decode() for name in names]

    def arrow_into(self, table: int, stream: int) -> None:
        """Fills an ArrowArrayStream at an address."""
        with self._lock:
            code = self._library.strata_document_arrow(self._handle, table, stream)
            if code != _FINE:
                raise self._fail(code)


def run(path: str, words: Sequence[str], files: Mapping[str, bytes]) -> LibraryResult:
    """Runs a command in this process."""
    library = load(path)
    given = [_File(name.encode(), content, len(content)) for name, content in files.items()]
    call = _Call(
        ctypes.sizeof(_Call), _words(words), len(words), (_File * len(given))(*given), len(given)
    )
    handle = _Handle()
    code = library.strata_run(ctypes.byref(call), ctypes.byref(handle))
    result = LibraryResult(library, handle, code)
    if code not in (_FINE, _BUDGET):
        raise result._fail(code)
    return result


def read(path: str, json: bytes) -> LibraryResult:
    """A document from its JSON."""
    library = load(path)
    handle = _Handle()
    code = library.strata_read(json, len(json), ctypes.byref(handle))
    result = LibraryResult(library, handle, code)
    if code != _FINE:
        raise result._fail(code)
    return result
