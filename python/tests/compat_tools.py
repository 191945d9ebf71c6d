"""The packages that strata.compat replaces, which tests/tools/install.sh installs."""

import contextlib
import importlib
import io
import logging
import os
import pathlib
import subprocess
import sys
import warnings

SOURCE = pathlib.Path(os.environ.get("STRATA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))


def _folder():
    given = os.environ.get("STRATA_TEST_TOOLS")
    if given:
        return pathlib.Path(given)
    subprocess.run([SOURCE / "tests/tools/install.sh", SOURCE / "build/tools"], check=True)
    return SOURCE / "build/tools/packages"


def original(name):
    """A package that is replaced, as its authors wrote it."""
    folder = str(_folder())
    if folder not in sys.path:
        sys.path.append(folder)
    warnings.filterwarnings("ignore")
    logging.getLogger("fvcore").setLevel(logging.ERROR)
    if name == "torchstat":
        _mend_torchstat()
    return importlib.import_module(name)


def _mend_torchstat():
    """torchstat 0.0.7 uses names that numpy and pandas have since removed; what they were is known."""
    import numpy
    import pandas

    if not hasattr(numpy, "long"):
        numpy.long = numpy.int64
    if not hasattr(pandas.DataFrame, "append"):
        pandas.DataFrame.append = lambda self, row: pandas.concat([self, row.to_frame().T])


def said(function, *args, **kwargs):
    """The result of a call, and its print."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        result = function(*args, **kwargs)
    return result, text.getvalue()
