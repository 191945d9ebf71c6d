"""`python -m strata` and the console script `strata`: the program itself, in this process's place."""

from __future__ import annotations

import os
import sys

from . import _native
from ._errors import StrataError


def main() -> None:
    """Runs the program with this process's arguments; does not come back."""
    try:
        program = str(_native.program())
    except StrataError as error:
        sys.exit(f"strata: {error}")
    os.execve(program, [program, *sys.argv[1:]], _native.environment())


if __name__ == "__main__":
    main()
