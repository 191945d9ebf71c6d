"""RASP's settings: `CFG.profile.num_batches = 200`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Settings(dict):  # type: ignore[type-arg]
    """A dictionary whose keys are attributes, too.

    >>> settings = Settings({"profile": {"num_batches": 100}})
    >>> settings.profile.num_batches = 200
    >>> settings["profile"]["num_batches"]
    200
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(
            {key: Settings(value) if isinstance(value, Mapping) else value for key, value in values.items()}
        )

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        del self[name]


#: `batch_size` is that of a shape without one; `num_batches` runs are timed after `warmup_batches`.
CFG = Settings(
    {
        "frontend": {"type": "pytorch", "args": {}, "stat_mem": False, "mark_updated": False},
        "profile": {
            "batch_size": 1,
            "num_batches": 100,
            "warmup_batches": 10,
            "timing_max_depth": -1,
            "compute_max_depth": -1,
            "verbose": False,
        },
        "device": {"type": "frontend", "args": {"frontend": "pytorch", "device": None}},
    }
)


def set_config(conf: Mapping[str, Any]) -> Settings:
    """Sets what `conf` names and keeps the rest."""
    for key, value in Settings(conf).items():
        if isinstance(value, Settings) and isinstance(CFG.get(key), Settings):
            CFG[key].update(value)
        else:
            CFG[key] = value
    return CFG


def get_config() -> Settings:
    return CFG
