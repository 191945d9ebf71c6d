"""Turns what a user gives as a model into options of a request: a path, a zoo name, or files in memory."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from ._document import Document
from ._errors import StrataError
from ._options import Request, options_of, size_text
from ._recording import record

_ZOO = re.compile(r"[a-z][a-z0-9_]*(\?.*)?")


class Given:
    """A model as a command takes it, the shapes of its inputs, and the files in memory that it is in."""

    def __init__(
        self, model: str, files: Mapping[str, bytes] | None = None, inputs: Mapping[str, str] | None = None
    ) -> None:
        self.model, self.files, self.inputs = model, dict(files or {}), dict(inputs or {})

    def request(self, command: str, argument: str = "model", **options: Any) -> Request:
        """A command about the model, which is its positional `argument`."""
        chosen = options_of(options)
        if self.inputs:
            chosen["--input"] = {**self.inputs, **chosen.get("--input", {})}
        return Request(command, {argument: self.model, **chosen}, self.files)


def is_file_or_name(model: object) -> bool:
    """True if the native core reads it by itself."""
    return isinstance(model, (str, os.PathLike))


def _is_exported_program(model: object) -> bool:
    return any(
        kind.__name__ == "ExportedProgram" and kind.__module__.startswith("torch.")
        for kind in type(model).__mro__
    )


def path_word(model: str | os.PathLike[str]) -> str:
    """A path as it is; a plain word that is not a file is a network of the zoo.

    >>> path_word("resnet50"), path_word("zoo:resnet50"), path_word("net.onnx")
    ('zoo:resnet50', 'zoo:resnet50', 'net.onnx')
    """
    name = os.fspath(model)
    if _ZOO.fullmatch(name) and not os.path.exists(name):
        return "zoo:" + name
    # A file whose name begins with a dash is not an option.
    return os.path.join(os.curdir, name) if name.startswith("-") and name != "-" else name


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape that a value stands for: a tensor's, an array's, or the value itself."""
    shape = getattr(value, "shape", value)
    try:
        return tuple(int(size) for size in shape)
    except (TypeError, ValueError):
        return None


def _input_names(word: str) -> list[str]:
    from ._native import run

    profile = Document(run(Request("stat", {"model": word, "--report": "none"})))
    return [each["name"] for each in profile.facts["model"]["inputs"]]


def input_shapes(word: str, inputs: Any) -> dict[str, str]:
    """The shape of each of `inputs` by its name: they are a mapping, one shape, or a list of them."""
    if inputs is None:
        return {}
    if not isinstance(inputs, Mapping):
        one = _shape(inputs)
        shapes = [one] if one is not None else list(inputs)
        names = _input_names(word)
        if len(shapes) > len(names):
            raise StrataError(
                f"{word} has {len(names)} inputs ({', '.join(names)}), and {len(shapes)} are given", 2
            )
        inputs = dict(zip(names, shapes))
    texts = {}
    for name, value in inputs.items():
        shape = _shape(value)
        texts[name] = value if isinstance(value, str) or shape is None else size_text(shape)
    return texts


def with_batch(inputs: Any, batch: int) -> Any:
    """Shapes with another first axis.

    >>> with_batch((1, 3, 224, 224), 4), with_batch([(1, 16), (1, 8)], 2)
    ((4, 3, 224, 224), [(2, 16), (2, 8)])
    """
    if isinstance(inputs, (tuple, list)) and inputs:
        if all(isinstance(size, int) for size in inputs):
            return (batch, *inputs[1:])
        return [with_batch(shape, batch) for shape in inputs]
    if isinstance(inputs, Mapping):
        return {name: with_batch(shape, batch) for name, shape in inputs.items()}
    raise StrataError("batch needs the inputs as shapes; give tensors of that batch instead", 2)


def recording_name(model: object) -> str:
    """The file name of a recording: what `facts["model"]["path"]` says."""
    name = getattr(model, "__name__", None) or (model.name if isinstance(model, record) else None) or type(model).__name__
    return re.sub(r"[^\w.-]", "_", str(name)) + ".recording"


def given_model(model: Any, inputs: Any = None, **how: Any) -> Given:
    """A model as words and files. A module is recorded while it runs, with `how` it is to be run."""
    if isinstance(model, Document):
        return Given("memory:profile.json", {"profile.json": model.to_json().encode()})
    if is_file_or_name(model):
        word = path_word(model)
        _only_for_modules(how, f"{word} is not a module")
        return Given(word, inputs=input_shapes(word, inputs))
    if _is_exported_program(model):
        return _given_program(model)
    if isinstance(model, record):
        _only_for_modules(how, "a recording is made already")
        name = recording_name(model)
        return Given(f"memory:{name}", {name: model.to_bytes()})
    if not callable(model):
        raise StrataError(
            f"a {type(model).__name__} is not a model: give a torch.nn.Module, a function, an"
            " ExportedProgram, a file, a folder or a name of the zoo",
            2,
        )
    from . import _record

    name = recording_name(model)
    return Given(f"memory:{name}", {name: _record.record(model, inputs, **how)})


#: arguments of modules, and what they are if nobody gives them
_USUAL = {"mode": "auto", "backward": False}


def _only_for_modules(how: Mapping[str, Any], why: str) -> None:
    """Raises if arguments are given that say how a module is run."""
    for name, value in how.items():
        if value is not None and value != _USUAL.get(name):
            raise StrataError(f"{name} is for modules, and {why}", 2)


def _given_program(program: Any) -> Given:
    """An ExportedProgram goes through its own file format, which the core reads: symbols stay open."""
    import io

    import torch

    buffer = io.BytesIO()
    torch.export.save(program, buffer)
    return Given("memory:exported.pt2", {"exported.pt2": buffer.getvalue()})
