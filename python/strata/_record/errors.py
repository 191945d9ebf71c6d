"""Errors while a model is recorded, in one sentence."""
from __future__ import annotations

import os
import traceback
from typing import Optional

from .._errors import StrataError

_OURS = os.path.dirname(os.path.abspath(__file__))


class RecordingError(StrataError, RuntimeError):
    """A model could not be recorded: one sentence, and the place in the user's code."""

    def __init__(self, sentence: str, frame: Optional[str] = None):
        super().__init__(f"{sentence} (at {frame})" if frame else sentence)
        self.sentence, self.frame = sentence, frame


class WantsIds(Exception):
    """An embedding was given numbers with a fraction; `storage` is theirs, and `rows` what it has."""

    def __init__(self, storage: int, rows: int):
        super().__init__("an embedding looks up whole numbers")
        self.storage, self.rows = storage, rows


class NeedsValues(Exception):
    """The model asks for values that meta tensors do not have."""


def user_frame(error: BaseException) -> Optional[str]:
    """The last place in the traceback that is neither torch's nor the recorder's: `net.py:12 in forward`."""
    import torch

    torch_folder = os.path.dirname(os.path.abspath(torch.__file__))
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = os.path.abspath(frame.filename)
        if not file.startswith((_OURS, torch_folder)):
            return f"{os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}"
    return None


def first_line(error: BaseException) -> str:
    """The first line of an error's text, without its full stop."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(" .:")


def recording_error(error: BaseException, module: Optional[str]) -> RecordingError:
    """The one exception that a caller sees."""
    where = f" in module {module}" if module else ""
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        text = f"there is not enough memory to run the model{where}"
    elif isinstance(error, NeedsValues):
        text = f"the model cannot be recorded without values{where}: {first_line(error)}"
    else:
        text = f"the model cannot be run{where}: {first_line(error)}"
    made = RecordingError(text, user_frame(error))
    made.__cause__ = error
    return made
