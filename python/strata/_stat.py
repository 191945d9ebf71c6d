"""`strata.stat`: what every layer of a network costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _native
from ._errors import StrataError
from ._models import Given, given_model, is_file_or_name, with_batch
from ._profile import Profile
from ._recording import record
from ._trainable import Trainable

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Request
    from ._stat_options import StatOptions


def stat(
    model: Any,
    inputs: Any = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    dtype: Any = None,
    batch: int | None = None,
    dim: Mapping[str, int] | None = None,
    mode: str = "auto",
    timing: bool = False,
    backward: bool = False,
    loss: Any = None,
    optimizer: Any = None,
    **options: Unpack[StatOptions],
) -> Profile:
    """Profiles a network and gives back what each of its layers costs.

    `model` is an nn.Module, a function, an ExportedProgram, a ScriptModule, a `strata.record`, a file (.onnx,
    .pt2, .safetensors, a recording, …), a folder, or a name of the zoo.

    How it is called:
        inputs: what a module is called with: tensors, a shape, a list of both, or a mapping by name, such
            as what a tokenizer gives. Of a file, the shapes of its inputs. Without them, a module's own
            `dummy_inputs` are used.
        kwargs: further arguments by name.
        dtype: of inputs that are shapes: one, a list, or a mapping by name. Otherwise embeddings are given
            whole numbers that they have, and other layers the type of the parameters.
        batch: another first axis of every input.
        dim: sizes of a file's open axes by name.
        mode: what a module is recorded on: "auto", "meta" (without values), "fake" or "real".

    What runs:
        timing: measures: a module on its own device, a file on an engine.
        backward: records a step of training, too, with a `loss` of the output and an `optimizer`: a name
            such as "adam", a class, or one of the module's own. Either of them asks for such a step.

    The other arguments are the options of `strata stat`, with _ for -:
        Table: report, depth, columns, sort, top, filter, all, fuse, layout, exact.
        Counting: count, energy, load_work, as_stored, arena, tflm, device_memory.
        Engine: engine, device, threads, precision, runs, max_time, memory, roofline, …

    >>> profile = stat("zoo:mobilenet_v2?resolution=96", report="root", batch=4)
    >>> profile.total.macs == 4 * stat("zoo:mobilenet_v2?resolution=96").total.macs
    True
    >>> stat("zoo:alexnet", (8, 3, 224, 224)).facts["model"]["inputs"][0]["shape"]
    [8, 3, 224, 224]
    >>> stat("zoo:resnet18")["layer1"].params  # of all that is in it
    147968
    """
    backward = backward or loss is not None or optimizer is not None
    table: dict[str, Any] = dict(options)
    count = table.get("count")
    given_dim: dict[str, Any] = {"dim": dim}
    from_file = is_file_or_name(model)
    how: dict[str, Any] = {"kwargs": kwargs, "dtype": dtype, "mode": mode}
    if backward:
        how.update(loss=loss, optimizer=optimizer, backward=True)
    if from_file:
        given_dim.update(batch=batch, time=timing)
    elif batch is not None:
        inputs = with_batch(inputs, batch)
    if backward and timing and not from_file:
        raise StrataError("timing measures a forward pass, and backward counts a step of training; ask for one", 2)
    if timing and isinstance(model, record):
        raise StrataError("a recording is not run again, so timing=True has nothing to measure", 2)
    given = given_model(model, inputs, **how)
    trainable = None if from_file else Trainable.of(model)
    if trainable is not None:
        table["columns"] = _native_columns(table.get("columns"))
    counting = {**given_dim, **{name: value for name, value in table.items() if name not in _ROWS}}
    request = given.request("stat", **{**table, **given_dim})
    if _needs_engine(timing and from_file, table):
        from ._long import run_long

        still = {name: value for name, value in counting.items() if name not in _RUNS}
        return Profile(run_long(request), given, count, _tree_of(given, still))
    tree = _tree_of(given, counting)
    if timing and not from_file:
        from ._timing import measure

        measured = {"measured.json": measure(model, inputs, kwargs=kwargs, dtype=dtype).encode()}
        for one in (request, tree):
            one.options["--measured"] = "memory:measured.json"
            one.files.update(measured)
    return Profile(_native.run(request), given, count, tree, trainable)


#: options that choose rows and columns
_ROWS = ("report", "depth", "columns", "sort", "top", "filter", "all", "layout", "exact")
#: options that only a run has
_RUNS = ("time", "memory", "roofline", "view", "engine", "engine_path", "device", "provider", "threads", "precision",
         "trust_model", "seed", "runs", "max_time", "warmup", "max_wait")  # fmt: skip


def _tree_of(given: Given, counting: Mapping[str, Any]) -> Request:
    """The command whose rows are those of containers, too."""
    return given.request("stat", report="tree", **counting)


def _native_columns(columns: Any) -> Any:
    """The columns without `trainable`, which this package adds.

    >>> _native_columns("layer,trainable,macs"), _native_columns(["layer", "trainable"]), _native_columns("+trainable")
    (['layer', 'macs', 'params'], ['layer', 'params'], None)
    """
    names = columns.split(",") if isinstance(columns, str) else columns
    if names is None or not any(str(name).lstrip("+") == "trainable" for name in names):
        return columns
    others = [name for name in names if str(name).lstrip("+") != "trainable"]
    changes = all(str(name)[:1] in "+-" for name in others)
    # Which parameters a row counts is seen by how many they are.
    needed = [] if changes else [name for name in ("layer", "params") if name not in others]
    return [*others, *needed] or None


def _needs_engine(timing: bool, options: Mapping[str, Any]) -> bool:
    """True if an engine runs or loads the model, which happens in a process of its own."""
    return timing or any(options.get(name) for name in ("time", "memory", "view", "engine"))
