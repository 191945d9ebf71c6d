"""`libstrata_c.so` by ctypes, as include/strata/c.h declares it: commands in this process."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

from . import _native
from ._errors import StrataError
from ._options import Request, options_of, to_json

_ABI = 3
_FINE, _BUDGET = 0, 3
_FIELDS = ("file", "model", "name", "given", "found", "wanted", "detail")

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
        ("files_stay", ctypes.c_int),
        ("caller", _Text),
        ("request", _Text),
    ]


_FUNCTIONS = {
    "strata_abi": (ctypes.c_int, []),
    "strata_version": (_Text, []),
    "strata_run": (ctypes.c_int, [ctypes.POINTER(_Call), ctypes.POINTER(_Handle)]),
    "strata_read": (ctypes.c_int, [_Text, _Size, ctypes.POINTER(_Handle)]),
    "strata_document_free": (None, [_Handle]),
    "strata_document_error": (_Text, [_Handle]),
    "strata_document_error_code": (_Text, [_Handle]),
    "strata_document_error_field": (_Text, [_Handle, _Text]),
    "strata_document_text": (ctypes.c_void_p, [_Handle, ctypes.POINTER(_Size)]),
    "strata_document_json": (ctypes.c_void_p, [_Handle, ctypes.POINTER(_Size)]),
    "strata_render": (
        ctypes.c_int,
        [_Handle, _Text, ctypes.POINTER(_Text), _Size, ctypes.POINTER(ctypes.c_void_p),
         ctypes.POINTER(_Size)],
    ),
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


class _Document:
    """A document of the library, which it frees; what is asked of it is made then."""

    def __init__(self, library: ctypes.CDLL, handle: ctypes.c_void_p, code: int) -> None:
        self._library, self._handle, self.code = library, handle, code
        self.files: Sequence[bytes] = ()
        self._lock = threading.Lock()  # a document is for one thread at a time

    def __del__(self) -> None:
        if self._handle:
            self._library.strata_document_free(self._handle)

    def failure(self, code: int) -> StrataError:
        if not self._handle:
            return StrataError("there is no memory", code)
        sentence = self._library.strata_document_error(self._handle) or b"there is no memory"
        name = self._library.strata_document_error_code(self._handle) or b"general"
        fields = {field: self._library.strata_document_error_field(self._handle, field.encode()) for field in _FIELDS}
        known = {field: value.decode("utf-8", "replace") for field, value in fields.items() if value}
        return StrataError(sentence.decode("utf-8", "replace"), code, name.decode(), known)

    def made(self, function: str) -> bytes:
        size = _Size()
        with self._lock:
            text = getattr(self._library, function)(self._handle, ctypes.byref(size))
            if not text:
                raise self.failure(1)
            return ctypes.string_at(text, size.value)

    def rendered(self, format: str, **options: Any) -> bytes:
        text, size = ctypes.c_void_p(), _Size()
        given = (_Text * 1)(to_json(options_of(options)))
        with self._lock:
            code = self._library.strata_render(
                self._handle, format.encode(), given, len(given),
                ctypes.byref(text), ctypes.byref(size),
            )  # fmt: skip
            if code != _FINE or not text:
                raise self.failure(code or 1)
            return ctypes.string_at(text.value or 0, size.value)

    def arrow_into(self, table: int, stream: int) -> None:
        """Fills an ArrowArrayStream at an address."""
        with self._lock:
            code = self._library.strata_document_arrow(self._handle, table, stream)
            if code != _FINE:
                raise self.failure(code)


def _run(library: ctypes.CDLL, request: Request) -> _Document:
    given = [_File(name.encode(), content, len(content)) for name, content in request.files.items()]
    call = _Call(
        ctypes.sizeof(_Call), files=(_File * len(given))(*given), file_count=len(given),
        files_stay=1, caller=b"python", request=request.json(),
    )  # fmt: skip
    handle = _Handle()
    code = library.strata_run(ctypes.byref(call), ctypes.byref(handle))
    document = _Document(library, handle, code)
    document.files = list(request.files.values())  # the library looks into them as long as the document lives
    if code not in (_FINE, _BUDGET):
        raise document.failure(code)
    return document


class LibraryResult(_native.Result):
    """A command that has run in this process. Like the program, it runs again for another format."""

    def __init__(self, path: str, request: Request) -> None:
        self._library, self._request = load(path), request
        self._document = _run(self._library, request.having(format="json"))
        self.code = self._document.code

    def json(self) -> bytes:
        return self._document.made("strata_document_json")

    def head(self) -> bytes:
        return self._document.rendered("json", no_rows=True)

    def render(self, format: str, **options: Any) -> bytes:
        if format == "json" and not options:
            return self.json()
        return _run(self._library, self._request.having(**options, format=format)).made("strata_document_text")

    def arrow_into(self, table: int, stream: int) -> None:
        self._document.arrow_into(table, stream)


class ReadResult(_native.Result):
    """A document that the program printed as JSON."""

    def __init__(self, path: str, json: bytes) -> None:
        library = load(path)
        handle = _Handle()
        code = library.strata_read(json, len(json), ctypes.byref(handle))
        self._json, self._document = json, _Document(library, handle, code)
        if code != _FINE:
            raise self._document.failure(code)

    def json(self) -> bytes:
        return self._json

    def render(self, format: str, **options: Any) -> bytes:
        return self._json if format == "json" else self._document.rendered(format, **options)

    def arrow_into(self, table: int, stream: int) -> None:
        self._document.arrow_into(table, stream)


def text(path: str, request: Request) -> str:
    """The output of a command that prints a text and no document."""
    return _run(load(path), request).made("strata_document_text").decode("utf-8")
