"""`libstrata_c.so` by ctypes, as include/strata/c.h declares it: commands in this process."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping, Sequence
from functools import cache

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
        ("files_stay", ctypes.c_int),
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
        sentence = self._library.strata_document_error(self._handle) if self._handle else b""
        return StrataError((sentence or b"there is no memory").decode("utf-8", "replace"), code)

    def made(self, function: str) -> bytes:
        size = _Size()
        with self._lock:
            text = getattr(self._library, function)(self._handle, ctypes.byref(size))
            if not text:
                raise self.failure(1)
            return ctypes.string_at(text, size.value)

    def rendered(self, format: str, options: Sequence[str]) -> bytes:
        text, size = ctypes.c_void_p(), _Size()
        with self._lock:
            code = self._library.strata_render(
                self._handle, format.encode(), _words(options), len(options),
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


def _run(library: ctypes.CDLL, words: Sequence[str], files: Mapping[str, bytes]) -> _Document:
    given = [_File(name.encode(), content, len(content)) for name, content in files.items()]
    call = _Call(
        ctypes.sizeof(_Call), _words(words), len(words), (_File * len(given))(*given), len(given),
        files_stay=1,
    )
    handle = _Handle()
    code = library.strata_run(ctypes.byref(call), ctypes.byref(handle))
    document = _Document(library, handle, code)
    document.files = list(files.values())  # the library looks into them as long as the document lives
    if code not in (_FINE, _BUDGET):
        raise document.failure(code)
    return document


class LibraryResult(_native.Result):
    """A command that has run in this process. Like the program, it runs again for another format."""

    def __init__(self, path: str, words: Sequence[str], files: Mapping[str, bytes]) -> None:
        self._library, self._given, self._files = load(path), list(words), dict(files)
        self._document = _run(self._library, [*words, "--format=json"], files)
        self.code = self._document.code

    def json(self) -> bytes:
        return self._document.made("strata_document_json")

    def head(self) -> bytes:
        return self._document.rendered("json", ["--no-rows"])

    def render(self, format: str, options: Sequence[str] = ()) -> bytes:
        if format == "json" and not options:
            return self.json()
        words = [*self._given, *options, f"--format={format}"]
        return _run(self._library, words, self._files).made("strata_document_text")

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

    def render(self, format: str, options: Sequence[str] = ()) -> bytes:
        return self._json if format == "json" else self._document.rendered(format, options)

    def arrow_into(self, table: int, stream: int) -> None:
        self._document.arrow_into(table, stream)


def text(path: str, words: Sequence[str], files: Mapping[str, bytes]) -> str:
    """What a command prints that prints a text and no document."""
    return _run(load(path), words, files).made("strata_document_text").decode("utf-8")


def table_json(path: str, words: Sequence[str], files: Mapping[str, bytes]) -> bytes:
    """The document of the table that a command prints."""
    return _run(load(path), words, files).made("strata_document_json")
