"""strata.compat against the packages themselves, network by network."""

import copy
import re

import compat_networks
import pytest
import torch
from compat_tools import original, said

# Where the numbers differ, and why; docs/compat.md says it, too. A pair that agrees again fails.
DIFFERENT = {
    "ptflops-pytorch": {
        "gpt2": "it sees torch.addmm and not F.linear, which run as the same operator",
        "swin": "transformers keeps F.gelu from before it is watched",
        "vit": "transformers keeps F.gelu from before it is watched",
    },
}


# It asserts that a Linear has two axes; there is nothing to compare with.
TORCHSTAT_STOPS = {"convnext_tiny", "swin_t", "vit_b_16", "maxvit_t", "swin", "detr"}


def agree(tool, name, ours, theirs):
    """Asserts that they are the same, or that they differ where it is known."""
    if name in DIFFERENT.get(tool, {}):
        assert ours != theirs
        return False
    assert ours == theirs
    return True


@pytest.fixture(scope="module", params=compat_networks.names())
def case(request):
    torch.manual_seed(1)
    model, inputs = compat_networks.network(request.param)
    return request.param, model, inputs


def test_thop(case):
    name, model, inputs = case
    theirs, their_text = said(original("thop").profile, copy.deepcopy(model), inputs, ret_layer_info=True)
    from strata.compat import thop

    ours, our_text = said(thop.profile, model, inputs, ret_layer_info=True)
    assert ours == theirs
    assert [type(each) for each in ours] == [type(each) for each in theirs]
    assert our_text == their_text


def test_torchinfo(case):
    name, model, inputs = case
    columns = ("input_size", "output_size", "num_params", "params_percent", "kernel_size", "mult_adds", "trainable")
    options = {"col_names": columns, "depth": 4, "row_settings": ("depth", "var_names"), "verbose": 0}
    theirs = original("torchinfo").summary(model, input_data=list(inputs), **options)
    from strata.compat import torchinfo

    ours = torchinfo.summary(model, input_data=list(inputs), **options)
    if not agree("torchinfo", name, str(ours), str(theirs)):
        return
    for total in ("total_mult_adds", "total_params", "trainable_params", "total_param_bytes", "total_output_bytes"):
        assert getattr(ours, total) == getattr(theirs, total)


@pytest.mark.parametrize("backend", ["pytorch", "aten"])
def test_ptflops(case, backend):
    name, model, inputs = case
    if len(inputs) > 1:
        return  # its input is one tensor
    options = {
        "input_constructor": lambda _: inputs[0], "as_strings": False, "backend": backend,
        "print_per_layer_stat": True,
    }  # fmt: skip
    sizes = tuple(inputs[0].shape[1:])
    theirs, their_text = said(original("ptflops").get_model_complexity_info, copy.deepcopy(model), sizes, **options)
    from strata.compat import ptflops

    ours, our_text = said(ptflops.get_model_complexity_info, model, sizes, **options)
    if agree(f"ptflops-{backend}", name, ours, theirs):
        assert our_text == their_text


def test_fvcore(case):
    name, model, inputs = case
    theirs = original("fvcore.nn").FlopCountAnalysis(model, inputs)
    theirs.unsupported_ops_warnings(False).uncalled_modules_warnings(False)
    from strata.compat import fvcore

    ours = fvcore.FlopCountAnalysis(model, inputs)
    ours.unsupported_ops_warnings(False).uncalled_modules_warnings(False)
    assert ours.total() == theirs.total()
    assert ours.by_module() == theirs.by_module()
    assert ours.by_operator() == theirs.by_operator()
    assert ours.by_module_and_operator() == theirs.by_module_and_operator()
    assert ours.uncalled_modules() == theirs.uncalled_modules()
    assert ours.unsupported_ops() == theirs.unsupported_ops()


def test_torchstat(case):
    name, model, inputs = case
    if len(inputs) > 1 or inputs[0].dim() != 4 or inputs[0].shape[0] != 1:
        return  # its input is one image
    sizes = tuple(inputs[0].shape[1:])
    torchstat = original("torchstat")
    kept = {type(m): type(m).__call__ for m in model.modules()}
    try:
        _, theirs = said(torchstat.stat, copy.deepcopy(model), sizes)
    except Exception:
        assert name in TORCHSTAT_STOPS
        theirs = None
    finally:
        for kind in kept:  # it replaces the calls of classes, and leaves them so
            if "__call__" in vars(kind):
                del kind.__call__
        torch.nn.Module.__call__ = kept.get(torch.nn.Module, torch.nn.Module.__call__)
    from strata.compat import torchstat as compat

    _, ours = said(compat.stat, model, sizes)
    assert (theirs is None) == (name in TORCHSTAT_STOPS)
    if theirs is not None:
        assert _table(ours) == _table(theirs)


def _table(text):
    """The rows and the totals, without shares of time and without the total of memory, where the original
    prints the last row's."""
    lines = [line for line in text.splitlines() if "is not supported!" not in line]
    lines = [re.sub(r"\d+\.\d\d%", "", line).split() for line in lines if set(line) - set("=-")]
    return [line if line[:1] != ["total"] else line[:5] for line in lines if line]



def test_flop_counter(case):
    pytest.importorskip("torch.utils.flop_counter")
    from torch.utils.flop_counter import FlopCounterMode as Original

    from strata.compat.flop_counter import FlopCounterMode

    name, model, inputs = case
    with torch.no_grad():
        with FlopCounterMode(display=False) as ours:
            model(*inputs)
        try:
            with Original(display=False) as theirs:
                model(*inputs)
        except AssertionError:
            assert name == "sam"  # torch's own stops at parameters that a module is given
            return
    assert ours.get_flop_counts() == theirs.get_flop_counts()
