"""Commands that run models: they work in a child process, so that no engine can end this one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ._document import Document
from ._errors import StrataError
from ._models import input_words, is_file_or_name, path_word
from ._options import option_words


def _export(model: Any, inputs: Any, folder: str) -> str:
    """A module as an ONNX file, which engines open."""
    import warnings

    import torch

    from ._tensors import call_arguments

    path = os.path.join(folder, type(model).__name__ + ".onnx")
    arguments = call_arguments(model, inputs)
    was_training = getattr(model, "training", False)
    if was_training:
        model.eval()
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            modern = {"dynamo": False} if _takes(torch.onnx.export, "dynamo") else {}
            torch.onnx.export(model, arguments, path, opset_version=17, **modern)
    except Exception as error:
        sentence = str(error).strip().splitlines() or [type(error).__name__]
        raise StrataError(
            f"{type(model).__name__} cannot be exported to ONNX: {sentence[0]}"
        ) from error
    finally:
        if was_training:
            model.train()
    return path


def _takes(function: Any, name: str) -> bool:
    import inspect

    return name in inspect.signature(function).parameters


@contextmanager
def _files(models: Sequence[Any], inputs: Any) -> Iterator[list[str]]:
    """Words for the models; modules are exported to a folder that is there meanwhile."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="strata-") as folder:
        words = []
        for number, model in enumerate(models):
            if is_file_or_name(model):
                words.append(path_word(model))
            else:
                place = os.path.join(folder, str(number))
                os.mkdir(place)
                words.append(_export(model, inputs, place))
        if inputs is not None and all(is_file_or_name(model) for model in models):
            words += input_words(words[0], inputs)
        yield words


def _job(command: str, models: Sequence[Any], inputs: Any, options: dict[str, Any]) -> Document:
    from ._long import run_long

    progress = options.pop("progress", None)
    with _files(models, inputs) as words:
        return Document(run_long([command, *words, *option_words(options)], progress))


def bench(models: Any, inputs: Any = None, *, engines: Any = None, **options: Any) -> Document:
    """Measures which engine, precision, threads and batch are fastest.

    `models` is one or a list of modules, files and names of the zoo; modules are exported to what
    the engines open. Ctrl-C stops it and gives back what was measured until then.
    """
    several = list(models) if isinstance(models, (list, tuple)) else [models]
    report = _job("bench", several, inputs, {"engine": engines, **options})
    if report._result.code == 1:  # no variant could be measured
        tried = [each for model in report.facts["models"] for each in model["variants"]]
        raise StrataError("; ".join(f"{each['label']}: {each['reason']}" for each in tried))
    return report


def sensitivity(model: Any, inputs: Any = None, **options: Any) -> Document:
    """What quantizing each layer does to the outputs: `data="photos"`, or `random=True` for a dry run."""
    return _job("sensitivity", [model], inputs, options)


def calibrate(model: Any, inputs: Any = None, **options: Any) -> Document:
    """Ranges of activations from data, in bounded memory; `output="ranges.json"` keeps the sketches."""
    return _job("calibrate", [model], inputs, options)


def quantize(model: Any, output: str | os.PathLike[str], inputs: Any = None, **options: Any) -> Document:
    """Writes an int8 model to `output` that keeps the layers that break in floats."""
    return _job("quantize", [model], inputs, {"output": os.fspath(output), **options})
