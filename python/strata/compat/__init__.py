"""Drop-in replacements for the counters of other packages.

Each module here has the calls of one package, with the same arguments, the same kinds of results and
the same numbers: `torchstat`, `torchinfo`, `thop`, `ptflops`, `fvcore`, `flop_counter`. The module
under test is recorded while it runs once, and the native core counts by that package's convention.
Each call takes one argument more, `count="strata"`, which gives strata's own count.

`python -m strata.compat script.py` runs a script with these in the place of the originals.
"""

from __future__ import annotations

__all__ = ["flop_counter", "fvcore", "ptflops", "thop", "torchinfo", "torchstat"]
