"""`strata.stat`: what every layer of a network costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Union

from . import _native
from ._errors import StrataError
from ._models import given_model, is_file_or_name, with_batch
from ._options import option_words
from ._profile import Profile

Columns = Union[str, Sequence[str], None]


def stat(
    model: Any,
    inputs: Any = None,
    *,
    report: str | None = None,
    depth: int | None = None,
    columns: Columns = None,
    sort: str | None = None,
    top: int | None = None,
    filter: str | None = None,
    all: bool = False,
    fuse: bool = False,
    layout: str | None = None,
    count: str | None = None,
    energy: str | None = None,
    load_work: bool = False,
    arena: bool = False,
    device_memory: str | None = None,
    batch: int | None = None,
    dim: Mapping[str, int] | None = None,
    timing: bool = False,
    backward: bool = False,
    kwargs: Mapping[str, Any] | None = None,
    mode: str = "auto",
    loss: Any = None,
    optimizer: Any = None,
    **options: Any,
) -> Profile:
    """Profiles a network and gives back what each of its layers costs.

    `model` is an nn.Module, a function, an ExportedProgram, a ScriptModule, a file (.onnx, .pt2,
    .safetensors, a recording), a folder, or a name of the zoo. `inputs` is what the module is
    called with: tensors, a shape, a list of shapes, or a mapping by name; of a file, the shapes.

    The other arguments are the options of `strata stat`, with _ for -, and, for modules: `kwargs`
    that the module is called with; `mode`, on what it is recorded: "auto", "meta", "fake" or "real";
    `backward` records a step of training, too, with a `loss` of the output and an `optimizer`.
    `timing` measures: a module on its own device, a file on an engine.

    >>> profile = stat("zoo:mobilenet_v2?resolution=96", report="root", batch=4)
    >>> profile.total.macs == 4 * stat("zoo:mobilenet_v2?resolution=96").total.macs
    True
    >>> stat("zoo:alexnet", (8, 3, 224, 224)).facts["model"]["inputs"][0]["shape"]
    [8, 3, 224, 224]
    """
    table = {
        "report": report,
        "depth": depth,
        "columns": columns,
        "sort": sort,
        "top": top,
        "filter": filter,
        "all": all,
        "fuse": fuse,
        "layout": layout,
        "count": count,
        "energy": energy,
        "load_work": load_work,
        "arena": arena,
        "device_memory": device_memory,
        "dim": dim,
    }
    from_file = is_file_or_name(model)
    if from_file:
        table["batch"] = batch
        table["time"] = timing
        given = given_model(model, inputs)
    else:
        if batch is not None:
            inputs = with_batch(inputs, batch)
        how: dict[str, Any] = {"kwargs": kwargs, "mode": mode}
        if backward and timing:
            raise StrataError("timing measures a forward pass, and backward counts a step of training; ask for one", 2)
        if backward:
            how.update(backward=True, loss=loss, optimizer=optimizer)
        given = given_model(model, inputs, **how)
    words = ["stat", *given.words, *option_words({**table, **options})]
    if _needs_engine(timing and from_file, options):
        from ._long import run_long

        return Profile(run_long(words), given.words, given.files, count)
    files = given.files
    if timing and not from_file:
        from ._timing import measure

        words.append("--measured=memory:measured.json")
        files = {**files, "measured.json": measure(model, inputs, kwargs=kwargs).encode()}
    return Profile(_native.run(words, files), given.words, given.files, count)


def _needs_engine(timing: bool, options: Mapping[str, Any]) -> bool:
    """Whether an engine runs or loads the model, which happens in a process of its own."""
    return timing or any(options.get(name) for name in ("time", "memory", "view", "engine"))
