"""The other commands, each a thin call: what there is to say is in docs/python.md and `strata help`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from . import _native
from ._document import Document
from ._errors import BudgetExceeded
from ._models import given_model
from ._options import option_words


def explain_words(
    model_words: Sequence[str], files: Mapping[str, bytes], layer: str, count: str | None
) -> str:
    """The text of `strata explain`."""
    words = ["explain", model_words[0], layer, *model_words[1:], *option_words({"count": count})]
    return _native.text(words, files).rstrip("\n")


def explain(
    model: Any,
    layer: str,
    inputs: Any = None,
    *,
    count: str | None = None,
    kwargs: Mapping[str, Any] | None = None,
) -> str:
    """The formula behind one layer's numbers.

    >>> print(explain("zoo:mobilenet_v2", "classifier.1").splitlines()[0])
    classifier.1  Linear
    """
    given = given_model(model, inputs, kwargs=kwargs)
    return explain_words(given.words, given.files, layer, count)


def payload(
    model: Any, inputs: Any = None, *, kwargs: Mapping[str, Any] | None = None, **options: Any
) -> Document:
    """What crosses each boundary, and where a split pays: `cuts=True`, `split=True, link="100Mbps"`, …"""
    given = given_model(model, inputs, kwargs=kwargs)
    return Document(_native.run(["payload", *given.words, *option_words(options)], given.files))


def diff(before: Any, *others: Any, **options: Any) -> Document:
    """What differs between models, profiles or other saved documents; all are compared with the first."""
    words: list[str] = ["diff"]
    files: dict[str, bytes] = {}
    for model in (before, *others):
        given = given_model(model)
        names = {name: _another_name(_shown_name(model, name), files) for name in given.files}
        files.update({names[name]: content for name, content in given.files.items()})
        words += [f"memory:{names[word[7:]]}" if word.startswith("memory:") else word for word in given.words]
    return Document(_native.run([*words, *option_words(options)], files))


def _shown_name(model: Any, name: str) -> str:
    """What a file is called in a comparison: a document by the network that it is about."""
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
    """Raises BudgetExceeded if a model does not keep its budgets; else gives back the verdicts.

    `budget` is a TOML file, a text as the program takes it, or a mapping. It may also come before
    the inputs, or without them.

    >>> check("zoo:mobilenet_v2", {"macs": "320M", "params": "4M"}).kind
    'check'
    >>> try:
    ...     check("zoo:mobilenet_v2", "macs=300M")
    ... except BudgetExceeded as error:
    ...     print(str(error).splitlines()[0])
    zoo:mobilenet_v2 does not keep its 1 budget: 1 over.
    """
    if _is_budget(inputs):
        inputs, budget = budget, inputs
    given = given_model(model, inputs, kwargs=kwargs)
    if isinstance(budget, Mapping):
        budget = ",".join(f"{name}={limit}" for name, limit in budget.items())
    words = ["check", *given.words, *option_words({"budget": budget, **options})]
    report = Document(_native.run(words, given.files))
    if report._result.code == 3:
        raise BudgetExceeded(str(report), report)
    return report


def _is_budget(given: Any) -> bool:
    """Whether it is a budget, and not what a model is called with: a text, a file, or limits by name.

    >>> [_is_budget(one) for one in ("macs=1G", {"macs": "1G"}, {"x": (1, 3)}, (1, 3), {}, None)]
    [True, True, False, False, False, False]
    """
    if isinstance(given, Mapping):
        return bool(given) and all(isinstance(limit, (str, int, float)) for limit in given.values())
    return isinstance(given, (str, PathLike))


def zoo(**options: Any) -> Document:
    """The built-in networks.

    >>> "resnet50" in {row.network for row in zoo().rows}
    True
    """
    return Document(_native.run(["zoo", *option_words(options)]))


def zoo_table(**options: Any) -> Document:
    """Parameters, FLOPs and energy of every built-in network."""
    return Document(_native.run(["zoo", "table", *option_words(options)]))


def lint(document: Any, **options: Any) -> Document:
    """What cannot be true of anybody's profile: a Profile, or a file of any of the tools that it knows."""
    given = given_model(document)
    return Document(_native.run(["lint", *given.words, *option_words(options)], given.files))


def engines(name: str | None = None, **options: Any) -> Document:
    """What can run models here, tried out."""
    from ._child import run_child

    return Document(run_child(["engines", *([name] if name else []), *option_words(options)], {}))
