"""The result of `strata.stat`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ._cells import Row, missing
from ._document import Document, Table
from ._errors import StrataError

if TYPE_CHECKING:
    from ._models import Given
    from ._native import Result
    from ._options import Request
    from ._trainable import Trainable
    from ._training import PhasePeak


class Profile(Document):
    """The cost of every layer of a network.

    >>> import strata
    >>> profile = strata.stat("zoo:mobilenet_v2")
    >>> profile.total.macs
    300774272
    >>> [row.layer for row in profile if row.type == "Linear"]
    ['classifier.1']
    >>> profile["classifier.1"].params
    1281000
    >>> profile["classifier"].params, "features.18" in profile
    (1281000, True)
    >>> print(profile.explain("classifier.1").splitlines()[0])
    classifier.1  Linear
    >>> print(str(profile.diff("zoo:mobilenet_v2?width=0.75")).splitlines()[0])
    zoo:mobilenet_v2 → zoo:mobilenet_v2?width=0.75: Params -24.8 %, MACs -30.5 %.
    >>> import torch
    >>> step = strata.stat(torch.nn.Linear(8, 4), (2, 8), optimizer="adam")
    >>> step.memory_by_phase[0].weights, step.saved_activations
    (144, {'': 64})
    >>> profile["clasifier"]
    Traceback (most recent call last):
    KeyError: "there is no layer 'clasifier'; did you mean 'classifier'?"
    """

    def __init__(
        self,
        result: Result,
        given: Given | None = None,
        count: str | None = None,
        tree: Request | None = None,
        trainable: Trainable | None = None,
    ) -> None:
        super().__init__(result)
        self._given, self._count, self._tree, self._trainable = given, count, tree, trainable

    @cached_property
    def tables(self) -> dict[str, Table]:
        """Every table by its name. Of a module, the rows of `layers` have `trainable` parameters, too."""
        tables = super().tables
        if self._trainable is not None and "layers" in tables:
            tables["layers"] = _LayersOfModule(self._content["tables"]["layers"], self._trainable)
        return tables

    @property
    def total(self) -> Row:
        """Sums over all layers: `profile.total.macs`."""
        layers = self._head["tables"].get("layers")
        if layers is None:
            return self.table.total
        return (Table(layers) if self._trainable is None else _LayersOfModule(layers, self._trainable)).total

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, layer: str | int) -> Row:
        """A row by its number, or the first row of a layer by its path; a container's has the sums of its layers."""
        if isinstance(layer, int):
            return self.rows[layer]
        for rows in (self.rows, self._tree_rows):
            for row in rows:
                if row.get("layer") == layer:
                    return row
        raise KeyError(missing("layer", layer, [row.get("layer") for row in (*self.rows, *self._tree_rows)]))

    def __contains__(self, layer: object) -> bool:
        """True if there is a layer or a container of that path, or such a row."""
        if isinstance(layer, str):
            return any(row.get("layer") == layer for rows in (self.rows, self._tree_rows) for row in rows)
        return layer in self.rows

    @cached_property
    def _tree_rows(self) -> list[Row]:
        """The rows of layers and of what contains them, from another run of the command on the same model."""
        if self._tree is None:
            return []
        from . import _native

        tree = Profile(_native.run(self._tree), trainable=self._trainable)
        return tree.table.rows

    def __str__(self) -> str:
        text = super().__str__()
        trained, params = self.total.get("trainable"), self.total.get("params")
        if trained is None or not isinstance(params, int) or trained == params:
            return text
        return f"{text}\n{trained:,} of {params:,} parameters are trainable."

    __repr__ = __str__

    def _step(self) -> dict[str, Any]:
        memory: dict[str, Any] = self.facts.get("memory", {})
        if "phases" not in memory:
            raise StrataError("only a module that was recorded with backward=True has a step of training", 2)
        return memory

    @property
    def memory_by_phase(self) -> list[PhasePeak]:
        """Returns the peak of each phase of a training step and its parts, in bytes."""
        from ._training import phase_peaks

        return phase_peaks(self._step())

    @property
    def saved_activations(self) -> dict[str, int]:
        """Returns the bytes that autograd keeps for the backward pass, by the module that keeps them first."""
        return {each["module"]: each["bytes"] for each in self._step()["saved"]}

    def explain(self, layer: str) -> str:
        """Returns the formula behind one layer's numbers; a path, the end of one, or a pattern with * and ?."""
        from ._commands import explain_given

        if self._given is None:
            raise StrataError("a profile that was read from a file has no model to explain a layer of", 2)
        return explain_given(self._given, layer, self._count)

    def diff(self, other: object, **options: object) -> Document:
        """Compares `other`, a profile or a model, with this profile."""
        from ._commands import diff

        return diff(self, other, **options)


class _LayersOfModule(Table):
    """The layers of a module that was recorded, with how many of their parameters are trained."""

    def __init__(self, content: dict[str, Any], trainable: Trainable) -> None:
        super().__init__(content)
        self._trainable = trainable

    @cached_property
    def columns(self) -> list[str]:
        names = super().columns
        return list(_behind_params(dict.fromkeys(names), None))

    @cached_property
    def rows(self) -> list[Row]:
        return [Row(_behind_params(row, self._trainable.row(row))) for row in super().rows]

    @cached_property
    def total(self) -> Row:
        total = super().total
        return Row(_behind_params(total, self._trainable.total()))


def _behind_params(row: Mapping[str, Any], trainable: int | None) -> dict[str, Any]:
    """A row with one more cell; one that does not say how many parameters there are stays as it is."""
    cells: dict[str, Any] = {}
    for name, value in row.items():
        cells[name] = value
        if name == "params":
            cells["trainable"] = trainable
    return cells
