"""`strata.record`: what a block of code costs, whatever it does."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ._errors import StrataError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from ._profile import Profile
    from ._stat_options import StatOptions


class record:  # noqa: N801 (used as a function is, in a with statement)
    """Records what runs inside a `with` statement, on real tensors, and tells what it costs.

    Everything that torch computes in this thread counts: calls of modules and functions, the backward
    pass, an optimizer's step. Modules of `model` have their paths; others are named by their class, as `<Linear>`.
    The recording is a model for `strata.stat`, `check`, `diff`, `payload` and the other functions.

    >>> import torch
    >>> layer = torch.nn.Linear(8, 4)
    >>> with record(layer) as recorded:
    ...     y = layer(torch.ones(2, 8))
    ...     z = y @ torch.ones(4, 3)
    >>> recorded.profile.total.macs == 2 * 8 * 4 + 2 * 4 * 3
    True
    >>> len(recorded.stat(report="root")), recorded.to_bytes()[:1]
    (1, b'{')
    >>> recorded.save("block.recording")  # doctest: +SKIP
    """

    def __init__(self, model: Any = None, name: str = "code") -> None:
        from ._record import recording

        self._recording = recording(model, name)
        self._bytes: bytes | None = None
        self._profile: Profile | None = None
        #: the file name that `facts["model"]["path"]` says
        self.name = name

    def __enter__(self) -> Self:
        self._recording.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._recording.__exit__(kind, error, traceback)
        self._bytes = self._recording.json()

    def to_bytes(self) -> bytes:
        """The recording, as `strata stat x.recording` reads it."""
        if self._bytes is None:
            raise StrataError("the block is still being recorded: ask after the with statement", 2)
        return self._bytes

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the recording to a file, for `strata stat` and the other commands: `x.recording`."""
        with open(path, "wb") as file:
            file.write(self.to_bytes())

    def stat(self, **options: Unpack[StatOptions]) -> Profile:
        """The costs of the block, with options of `strata.stat`: `recorded.stat(report="tree", depth=1)`."""
        from ._stat import stat

        return stat(self, **options)

    @property
    def profile(self) -> Profile:
        """The costs of the block."""
        if self._profile is None:
            self._profile = self.stat()
        return self._profile

    def __str__(self) -> str:
        return str(self.profile)

    def __repr__(self) -> str:
        return f"<strata.record of {self.name!r}>"

    def _repr_html_(self) -> str:
        return self.profile._repr_html_()
