"""What `strata.stat` gives back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._cells import Row
from ._document import Document, Table
from ._errors import StrataError

if TYPE_CHECKING:
    from ._native import Result
    from ._training import PhasePeak


class Profile(Document):
    """What every layer of a network costs.

    >>> import strata
    >>> profile = strata.stat("zoo:mobilenet_v2")
    >>> profile.total.macs
    300774272
    >>> [row.layer for row in profile if row.type == "Linear"]
    ['classifier.1']
    >>> profile["classifier.1"].params
    1281000
    """

    def __init__(
        self,
        result: Result,
        model_words: Sequence[str] = (),
        files: Mapping[str, bytes] | None = None,
        count: str | None = None,
    ) -> None:
        super().__init__(result)
        self._model_words, self._files, self._count = list(model_words), dict(files or {}), count

    @property
    def total(self) -> Row:
        """Sums over all layers: `profile.total.macs`."""
        layers = self._head["tables"].get("layers")
        return Table(layers).total if layers is not None else self.table.total

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, layer: str | int) -> Row:
        """A row by its number, or the first row of a layer by its path."""
        if isinstance(layer, int):
            return self.rows[layer]
        for row in self.rows:
            if row.get("layer") == layer:
                return row
        raise KeyError(layer)

    def _step(self) -> dict[str, Any]:
        memory: dict[str, Any] = self.facts.get("memory", {})
        if "phases" not in memory:
            raise StrataError("only a module that was recorded with backward=True has a step of training", 2)
        return memory

    @property
    def memory_by_phase(self) -> list[PhasePeak]:
        """The peak of each phase of a training step, and what it consists of, in bytes."""
        from ._training import phase_peaks

        return phase_peaks(self._step())

    @property
    def saved_activations(self) -> dict[str, int]:
        """Bytes that autograd keeps for the backward pass, by the path of the module that keeps them first."""
        return {each["module"]: each["bytes"] for each in self._step()["saved"]}

    def explain(self, layer: str) -> str:
        """The formula behind one layer's numbers; a path, the end of one, or a pattern with * and ?."""
        from ._commands import explain_words

        return explain_words(self._model_words, self._files, layer, self._count)

    def diff(self, other: object, **options: object) -> Document:
        """What differs in `other`, a profile or a model, from this."""
        from ._commands import diff

        return diff(self, other, **options)
