"""`python -m strata.compat script.py`, and imports that give strata's in the place of others."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import sys
import torch
import thop, ptflops, torchinfo, torchstat, rasp, rasp.addons.energy
from fvcore.nn import FlopCountAnalysis, flop_count_table
assert sys.argv == [{path!r}, "--word"], sys.argv
assert __name__ == "__main__"
net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(1568, 10))
image = torch.zeros(1, 3, 16, 16)
# 8·14·14 outputs of 27 products, then 10 of 1568.
print(thop.profile(net, (image,), verbose=False)[0])
print(FlopCountAnalysis(net, image).total())
print(ptflops.get_model_complexity_info(net, (3, 16, 16), print_per_layer_stat=False, as_strings=False)[1])
print(torchinfo.summary(net, input_data=image, verbose=0).total_params)
print(thop.__name__, FlopCountAnalysis.__module__, rasp.__name__)
"""


def run(*words, **options):
    return subprocess.run(
        [sys.executable, "-B", "-m", "strata.compat", *words],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONWARNINGS": "ignore"}, **options,
    )  # fmt: skip


def test_a_script_gets_ours(tmp_path):
    path = str(tmp_path / "script.py")
    (tmp_path / "script.py").write_text(SCRIPT.format(path=path))
    done = run(path, "--word")
    assert done.returncode == 0, done.stderr
    macs = 8 * 14 * 14 * 27 + 1568 * 10
    params = 8 * 27 + 8 + 1568 * 10 + 10
    assert done.stdout.splitlines() == [
        f"{float(macs)}", f"{macs}", f"{params}", f"{params}",
        "strata.compat.thop strata.compat.fvcore strata.rasp",
    ]  # fmt: skip


def test_torchs_counter_is_ours(tmp_path):
    pytest.importorskip("torch.utils.flop_counter")
    (tmp_path / "counter.py").write_text(
        "import torch\n"
        "from torch.utils.flop_counter import FlopCounterMode, conv_flop_count\n"
        "with FlopCounterMode(display=False) as counter:\n"
        "    torch.ones(2, 3) @ torch.ones(3, 4)\n"
        "print(counter.get_total_flops(), FlopCounterMode.__module__)\n"
    )
    done = run("-m", "counter", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["48", "strata.compat.flop_counter"]  # 2·2·3·4


def test_wrong_words(tmp_path):
    done = run(str(tmp_path / "none.py"))
    assert done.returncode == 2 and "there is no file" in done.stderr
    assert run().returncode == 2
    assert "python -m strata.compat script.py" in run("--help").stdout
    (tmp_path / "fails.py").write_text("import thop\nopen('nothing')\n")
    done = run(str(tmp_path / "fails.py"))
    assert done.returncode == 1 and "FileNotFoundError" in done.stderr


def test_imports_are_put_back():
    from strata.compat._imports import _Finder, install, remove

    install()
    install()
    try:
        assert sum(isinstance(finder, _Finder) for finder in sys.meta_path) == 1
        import thop

        assert thop.__name__ == "strata.compat.thop"
    finally:
        remove()
        sys.modules.pop("thop", None)
    assert not any(isinstance(finder, _Finder) for finder in sys.meta_path)
    counter = sys.modules.get("torch.utils.flop_counter")
    assert counter is None or counter.FlopCounterMode.__module__ == "torch.utils.flop_counter"
