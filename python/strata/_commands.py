"""The other commands. Each function calls its command; docs/python.md and `strata help` describe them."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from . import _native
from ._document import Document
from ._errors import BudgetExceeded
from ._models import Given, given_model
from ._options import Request, options_of


def explain_given(model: Given, layer: str, count: str | None) -> str:
    """Returns the text of `strata explain`."""
    request = model.request("explain", count=count)
    request.options["layer"] = layer
    return _native.text(request).rstrip("\n")


def explain(
    model: Any,
    layer: str,
    inputs: Any = None,
    *,
    count: str | None = None,
    kwargs: Mapping[str, Any] | None = None,
) -> str:
    """Returns the formula behind one layer's numbers.

    >>> print(explain("zoo:mobilenet_v2", "classifier.1").splitlines()[0])
    classifier.1  Linear
    """
    given = given_model(model, inputs, kwargs=kwargs)
    return explain_given(given, layer, count)


def payload(
    model: Any, inputs: Any = None, *, kwargs: Mapping[str, Any] | None = None, **options: Any
) -> Document:
    """Lists the bytes that cross each boundary, and says where a split pays.

    Options are those of `strata payload`: `cuts=True`, `split=True, link="100Mbps"`, …

    >>> payload("zoo:resnet18", cuts=True).rows[0].raw  # bytes of the input, 1×3×224×224 floats
    602112
    """
    given = given_model(model, inputs, kwargs=kwargs)
    return Document(_native.run(given.request("payload", **options)))


def diff(before: Any, *others: Any, **options: Any) -> Document:
    """Compares models, profiles or other saved documents with the first of them.

    >>> print(str(diff("zoo:resnet18", "zoo:resnet34")).splitlines()[0])
    zoo:resnet18 → zoo:resnet34: Params +86.5 %, MACs +102.0 %.
    """
    words: list[str] = []
    files: dict[str, bytes] = {}
    for model in (before, *others):
        given = given_model(model)
        names = {name: _another_name(_shown_name(model, name), files) for name in given.files}
        files.update({names[name]: content for name, content in given.files.items()})
        name = given.model.removeprefix("memory:")
        words.append(f"memory:{names[name]}" if name in names else given.model)
    return Document(_native.run(Request("diff", {"files": words, **options_of(options)}, files)))


def _shown_name(model: Any, name: str) -> str:
    """The name of a file in a comparison: for a document, the network that it is about."""
    path = model.facts.get("model", {}).get("path", name) if isinstance(model, Document) else name
    return str(path).removeprefix("memory:").removesuffix(".recording").rpartition("/")[2]


def _another_name(name: str, taken: Mapping[str, Any]) -> str:
    """The name, with a number if it is taken.

    >>> _another_name("VGG", {}), _another_name("VGG", {"VGG": b""})
    ('VGG', 'VGG (2)')
    """
    found, number = name, 2
    while found in taken:
        found, number = f"{name} ({number})", number + 1
    return found


def check(
    model: Any,
    inputs: Any = None,
    budget: Any = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    **options: Any,
) -> Document:
    """Raises BudgetExceeded if a model exceeds a budget; otherwise returns the verdicts.

    `budget` is a TOML file, a text as the program takes it, or a mapping. It may also come before
    the inputs, or without them.

    >>> check("zoo:mobilenet_v2", {"macs": "320M", "params": "4M"}).kind
    'check'
    >>> try:
    ...     check("zoo:mobilenet_v2", "macs=300M")
    ... except BudgetExceeded as error:
    ...     print(str(error).splitlines()[0])
    zoo:mobilenet_v2 exceeds 1 of 1 budgets.
    """
    if _is_budget(inputs):
        inputs, budget = budget, inputs
    given = given_model(model, inputs, kwargs=kwargs)
    report = Document(_native.run(given.request("check", budget=budget, **options)))
    if report._result.code == 3:
        raise BudgetExceeded(str(report), report)
    return report


def _is_budget(given: Any) -> bool:
    """True if it is a budget, and no input of a model: a text, a file, or limits by name.

    >>> [_is_budget(one) for one in ("macs=1G", {"macs": "1G"}, {"x": (1, 3)}, (1, 3), {}, None)]
    [True, True, False, False, False, False]
    """
    if isinstance(given, Mapping):
        return bool(given) and all(isinstance(limit, (str, int, float)) for limit in given.values())
    return isinstance(given, (str, PathLike))


def predict(
    model: Any,
    inputs: Any = None,
    *,
    on: Any,
    kwargs: Mapping[str, Any] | None = None,
    backward: bool = False,
    loss: Any = None,
    optimizer: Any = None,
    **options: Any,
) -> Document:
    """Predicts time, memory and energy on other devices: `on="a100"`, `on=["l4", "jetson-orin"]`.

    With `backward`, a `loss` of the output or an `optimizer`, it predicts a step of training, as `stat`
    counts one.

    >>> predict("zoo:resnet50", on="rtx-4090").rows[0].layer
    'conv1'
    """
    how: dict[str, Any] = {"kwargs": kwargs}
    if backward or loss is not None or optimizer is not None:
        how.update(backward=True, loss=loss, optimizer=optimizer)
    given = given_model(model, inputs, **how)
    return Document(_native.run(given.request("predict", on=on, **options)))


def devices(name: str | None = None, **options: Any) -> Document:
    """Lists the devices that `predict` knows; with a name, every number of that one and its source.

    >>> [row.title for row in devices().rows if row.device == "a100-80"]
    ['NVIDIA A100 SXM4 80 GB']
    >>> devices("a100-80").kind
    'device'
    """
    chosen = options_of(options)
    request = Request("devices show", {"device": name, **chosen}) if name else Request("devices", chosen)
    return Document(_native.run(request))


def zoo(**options: Any) -> Document:
    """Lists the built-in networks.

    >>> "resnet50" in {row.network for row in zoo().rows}
    True
    """
    return Document(_native.run(Request("zoo", options_of(options))))


def zoo_table(**options: Any) -> Document:
    """Tabulates parameters, FLOPs and energy of every built-in network.

    >>> [row.params for row in zoo_table().rows if row.model == "alexnet"]
    [61100840]
    """
    return Document(_native.run(Request("zoo table", options_of(options))))


def lint(document: Any, **options: Any) -> Document:
    """Finds physically impossible numbers in any profile: a Profile, or a file of a supported tool.

    >>> from strata import stat
    >>> "No findings" in str(lint(stat("zoo:alexnet")))
    True
    """
    given = given_model(document)
    return Document(_native.run(given.request("lint", "file", **options)))


def engines(name: str | None = None, **options: Any) -> Document:
    """Lists the engines that work on this machine, after trying each in its own process.

    >>> engines().kind
    'engines'
    """
    from ._child import run_child

    return Document(run_child(Request("engines", {"name": name, **options_of(options)})))
