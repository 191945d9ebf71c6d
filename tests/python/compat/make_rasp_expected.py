#!/usr/bin/python3
"""make_rasp_expected.py RASP FILE: what RASP itself prints for the calls that its page documents.

RASP is a checkout of its repository (CreeperLin/RASP); pip has no package of it. It needs a pandas
older than 2. FILE is python/tests/rasp_expected.json. The network is torchvision's AlexNet, as in RASP's
page. Times are not in it: they are another machine's.
"""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import warnings


def main():
    checkout, out = sys.argv[1:]
    sys.path.insert(0, checkout)
    warnings.filterwarnings("ignore")
    import rasp
    import rasp.addons.energy  # noqa: F401
    import torch
    from torchvision.models import AlexNet

    model = AlexNet()
    shape = (1, 3, 224, 224)
    expected = {}

    def keep(name, **options):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            frame = rasp.stat(model, returns="data", **options)
        expected[name] = {"text": said.getvalue()}
        if frame is not None:
            expected[name]["columns"] = list(frame.columns)
            expected[name]["types"] = [str(kind) for kind in frame.dtypes]
            expected[name]["index"] = [str(each) for each in frame.index]

    keep("basic", input_shape=shape)
    keep("macc", input_shape=shape, includes=["macc"], excludes=["flops"])
    keep("energy", input_shape=shape, includes=["energy"])
    keep("own input", inputs=torch.randn(8, 3, 224, 224))
    keep("no batch", input_shape=(3, 224, 224))
    keep("include root", input_shape=shape, include_root=True)
    keep("fields", input_shape=shape, report_fields=["name", "params", "flops"])
    for kind in ("tape", "node", "leaves", "root", "all", None):
        keep(f"report {kind}", input_shape=shape, report_type=kind)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        path = pathlib.Path(folder) / "reports" / "alexnet.csv"
        rasp.stat(model, input_shape=shape, save_path=str(path))
        expected["saved"] = path.read_text()
    rasp.CFG.profile.num_batches, rasp.CFG.profile.warmup_batches = 1, 0
    with contextlib.redirect_stdout(io.StringIO()):
        frame = rasp.stat(model, input_shape=shape, timing=True, returns="data")
    expected["timing columns"] = list(frame.columns)
    expected["timing types"] = [str(kind) for kind in frame.dtypes]
    expected["rounded"] = {str(n): [rasp.round_value(n), rasp.round_value(n, True)] for n in (0, 999, 715450024, 10**13)}
    pathlib.Path(out).write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
