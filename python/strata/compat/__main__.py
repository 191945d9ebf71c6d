"""`python -m strata.compat script.py …`: runs a script with strata in the place of other counters.

In the script, `import thop`, `from torchinfo import summary`, `from fvcore.nn import FlopCountAnalysis`,
`import ptflops`, `import torchstat`, `import rasp` and `from torch.utils.flop_counter import
FlopCounterMode` give strata's, whether the originals are installed or not. `-m MODULE` runs a module.
"""

from __future__ import annotations

import runpy
import sys

from ._imports import install


def main() -> int:
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if words else 2
    install()
    if words[0] == "-m":
        if len(words) < 2:
            print("python -m strata.compat: -m needs the name of a module", file=sys.stderr)
            return 2
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        return 0
    sys.argv = words
    import os

    sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
    try:
        runpy.run_path(words[0], run_name="__main__")
    except FileNotFoundError as problem:
        if problem.filename != words[0]:
            raise
        print(f"python -m strata.compat: there is no file {words[0]}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
