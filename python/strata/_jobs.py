"""Commands that run models: they work in a child process, so that no engine can end this one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ._document import Document
from ._errors import StrataError
from ._models import input_shapes, is_file_or_name, path_word
from ._options import Request, options_of


def _export(model: Any, inputs: Any, folder: str, keep_norms: bool) -> str:
    """Exports a module to an ONNX file, which engines open. Without `keep_norms`, norms are folded into convolutions."""
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
            how: dict[str, Any] = {"dynamo": False} if _takes(torch.onnx.export, "dynamo") else {}
            if keep_norms:  # the module is in evaluation mode, and so is what is exported
                how["training"] = torch.onnx.TrainingMode.PRESERVE
            torch.onnx.export(model, arguments, path, opset_version=17, **how)
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
def _files(models: Sequence[Any], inputs: Any, keep_norms: bool) -> Iterator[tuple[list[str], Mapping[str, str]]]:
    """The models' files and shapes of inputs; modules are exported to a folder that is there meanwhile."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="strata-") as folder:
        words, shapes = [], {}
        for number, model in enumerate(models):
            if is_file_or_name(model):
                words.append(path_word(model))
            else:
                place = os.path.join(folder, str(number))
                os.mkdir(place)
                words.append(_export(model, inputs, place, keep_norms))
        if inputs is not None and all(is_file_or_name(model) for model in models):
            shapes = input_shapes(words[0], inputs)
        yield words, shapes


_TORCH = ("torch_eager", "torch_compile")


def _engine_names(engines: Any) -> list[str]:
    """Engines as a list; torch's have names with a dash, too.

    >>> _engine_names("torch-eager,onnxruntime:opt=off"), _engine_names(["torch_compile"])
    (['torch_eager', 'onnxruntime:opt=off'], ['torch_compile'])
    """
    names = engines.split(",") if isinstance(engines, str) else list(engines or ())
    return [name.replace("-", "_") if name.replace("-", "_") in _TORCH else name for name in names]


def _job(
    command: str, models: Sequence[Any], inputs: Any, options: dict[str, Any], torch_engines: Sequence[str] = ()
) -> Document:
    from ._long import run_long

    progress = options.pop("progress", None)
    # strata folds norms itself, after it has seen which layers have one.
    with _files(models, inputs, keep_norms=command != "bench") as (words, shapes):
        variables = _torch_workers(models[0], words[0], torch_engines) if torch_engines else {}
        given: dict[str, Any] = {"models": words} if command == "bench" else {"model": words[0]}
        if shapes:
            given["--input"] = shapes
        return Document(run_long(Request(command, {**given, **options_of(options)}), progress, variables))


def _torch_workers(module: Any, path: str, engines: Sequence[str]) -> dict[str, str]:
    """Writes the module and, for each engine, a program beside its ONNX file that bench starts as a worker."""
    import sys

    from . import _torch_engine
    from ._models import _input_names

    folder = os.path.dirname(path)
    file = os.path.join(folder, "module.pt")
    _torch_engine.save(module, _input_names(path), file)
    programs = []
    for engine in engines:
        program = os.path.join(folder, engine)
        with open(program, "w") as script:
            script.write(
                f"#!{sys.executable}\nimport sys\nsys.path[:0] = {[os.path.abspath(place) for place in sys.path]!r}\n"
                f"from strata._torch_engine import serve\nsys.exit(serve({engine!r}, {file!r}))\n"
            )
        os.chmod(program, 0o700)
        programs.append(f"{engine}={program}")
    return {"STRATA_ENGINE_PROGRAMS": ":".join(programs)}


def bench(
    models: Any, inputs: Any = None, *, engines: Any = None, layout: str | None = None, **options: Any
) -> Document:
    """Measures which engine, precision, threads and batch are fastest.

    `models` is one or a list of modules, files and names of the zoo; modules are exported to what
    the engines open. Among `engines`, "torch_eager" and "torch_compile" run a module itself, by torch, in
    processes of Python that take turns with those of the others. Ctrl-C stops it and gives back what was
    measured until then. `layout="torchblade"` gives the columns of TorchBlade's published table.

    >>> report = bench("zoo:resnet18", engines=["onnxruntime"], max_time="5s")  # doctest: +SKIP
    >>> print(report)  # doctest: +SKIP
    """
    from ._published import check_layout, in_layout

    check_layout(layout)
    several = list(models) if isinstance(models, (list, tuple)) else [models]
    chosen = _engine_names(engines)
    torch_engines = [name for name in chosen if name.split(":")[0] in _TORCH]
    if torch_engines and (len(several) != 1 or is_file_or_name(several[0])):
        raise StrataError(f"{torch_engines[0]} runs one module of torch, and no file: give the module itself", 2)
    given = {"engine": chosen or None, **options}
    if "torch_compile" in torch_engines:
        given.setdefault("max_wait", 900)  # seconds for an answer: the first run compiles
    report = _job("bench", several, inputs, given, torch_engines)
    if report._result.code == 1:  # no variant could be measured
        tried = [each for model in report.facts["models"] for each in model["variants"]]
        raise StrataError("; ".join(f"{each['label']}: {each['reason']}" for each in tried))
    return report if layout is None else in_layout(report)


def sensitivity(model: Any, inputs: Any = None, **options: Any) -> Document:
    """Measures how much quantizing each layer changes the outputs: `data="photos"`, or `random=True` for a dry run.

    >>> worst = sensitivity("model.onnx", data="photos").rows[0]  # doctest: +SKIP
    """
    return _job("sensitivity", [model], inputs, options)


def calibrate(model: Any, inputs: Any = None, **options: Any) -> Document:
    """Measures ranges of activations from data, in bounded memory; `output="ranges.json"` keeps the sketches.

    >>> ranges = calibrate("model.onnx", data="photos", output="ranges.json")  # doctest: +SKIP
    """
    return _job("calibrate", [model], inputs, options)


def quantize(model: Any, output: str | os.PathLike[str], inputs: Any = None, **options: Any) -> Document:
    """Writes an int8 model to `output`; layers that break in int8 can stay in float.

    >>> report = quantize("model.onnx", "model_int8.onnx", data="photos")  # doctest: +SKIP
    """
    return _job("quantize", [model], inputs, {"output": os.fspath(output), **options})
