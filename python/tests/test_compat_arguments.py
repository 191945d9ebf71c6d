"""The arguments of the replaced calls, each against the original on a small network."""

import copy

import pytest
import torch
from compat_tools import original, said
from torch import nn

from strata.compat import fvcore, ptflops, thop, torchinfo, torchstat


class Twice(nn.Module):
    """A block that calls one module twice, holds one that it never calls, and adds."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, padding=1)
        self.act = nn.ReLU(inplace=True)
        self.unused = nn.Linear(3, 3)

    def forward(self, x):
        return self.act(self.conv(self.act(self.conv(x))) + x)


def small():
    torch.manual_seed(0)
    layers = [nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), Twice(), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(*layers, nn.Dropout(), nn.Linear(4, 10), nn.Softmax(dim=1)).eval()


IMAGE = torch.zeros(2, 3, 12, 12)


def count_softplus(module, inputs, output):
    module.total_ops += torch.DoubleTensor([3 * output.numel()])


class TestThop:
    def test_rules_of_the_caller(self):
        net = nn.Sequential(nn.Linear(3, 4), nn.Softplus(), nn.Linear(4, 5))
        given = {"custom_ops": {nn.Softplus: count_softplus}, "report_missing": True}
        inputs = (torch.zeros(2, 3),)
        theirs = said(original("thop").profile, copy.deepcopy(net), inputs, **given)
        assert said(thop.profile, net, inputs, **given) == theirs
        assert not hasattr(net[1], "total_ops")

    def test_missing_rules_are_said(self):
        net = nn.Sequential(nn.Linear(3, 4), nn.Softplus())
        theirs = said(original("thop").profile, copy.deepcopy(net), (torch.zeros(2, 3),), report_missing=True)
        assert said(thop.profile, net, (torch.zeros(2, 3),), report_missing=True) == theirs

    def test_older_call(self):
        theirs = said(original("thop").profile_origin, small(), (IMAGE,))
        assert said(thop.profile_origin, small(), (IMAGE,)) == theirs

    def test_shared_module(self):
        """Held by two parents, it has two hooks, two calls and two places: eight times 10·10."""
        shared = nn.Linear(10, 10)
        net = nn.Sequential(nn.Sequential(shared), nn.Sequential(shared))
        theirs = original("thop").profile(copy.deepcopy(net), (torch.zeros(1, 10),), verbose=False)
        assert thop.profile(net, (torch.zeros(1, 10),), verbose=False) == theirs == (800.0, 220.0)
        strata = thop.profile(net, (torch.zeros(1, 10),), verbose=False, count="strata")
        assert strata == (200.0, 110.0)  # two calls of 10·10, one set of 10·10 + 10

    def test_clever_format(self):
        theirs = original("thop").clever_format
        for numbers in ([4133742592.0, 25557032.0], 999, [1e13, 1001, 1000]):
            assert thop.clever_format(numbers) == theirs(numbers)
            assert thop.clever_format(numbers, "%.3f") == theirs(numbers, "%.3f")


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_recurrent_layers(kind, directions, layers):
    """They run as one operator or as dozens, and count as the one module that they are."""
    net = nn.Sequential(kind(32, 64, num_layers=layers, bidirectional=directions == 2)).eval()
    inputs = torch.zeros(10, 3, 32)
    theirs = original("thop").profile(copy.deepcopy(net), (inputs,), verbose=False)
    assert thop.profile(net, (inputs,), verbose=False) == theirs
    theirs = original("torchinfo").summary(net, input_data=inputs, verbose=0).total_mult_adds
    assert torchinfo.summary(net, input_data=inputs, verbose=0).total_mult_adds == theirs
    options = {"input_constructor": lambda _: inputs[:, :1], "as_strings": False, "print_per_layer_stat": False}
    theirs = said(original("ptflops").get_model_complexity_info, copy.deepcopy(net), (1,), **options)[0]
    assert said(ptflops.get_model_complexity_info, net, (1,), **options)[0] == theirs


def count_tanh(module, inputs, output):
    module.__flops__ += 7 * output.numel()


class TestPtflops:
    @pytest.mark.parametrize("backend", ["pytorch", "aten"])
    def test_texts(self, backend):
        given = [small(), (3, 12, 12)]
        for units in ({}, {"flops_units": "MMac", "param_units": "K", "output_precision": 4}):
            options = {"backend": backend, "verbose": True, **units}
            theirs = said(original("ptflops").get_model_complexity_info, *copy.deepcopy(given), **options)
            ours = said(ptflops.get_model_complexity_info, *given, **options)
            assert ours[0] == theirs[0]
            assert sorted(ours[1].splitlines()) == sorted(theirs[1].splitlines())

    def test_rules_of_the_caller(self):
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.BatchNorm1d(4)).eval()
        options = {
            "custom_modules_hooks": {nn.Tanh: count_tanh}, "ignore_modules": [nn.BatchNorm1d], "as_strings": False,
        }  # fmt: skip
        theirs = said(original("ptflops").get_model_complexity_info, copy.deepcopy(net), (3,), **options)
        assert said(ptflops.get_model_complexity_info, net, (3,), **options)[0] == theirs[0]

    def test_a_bias_that_is_put_together(self):
        class Projection(nn.Module):
            """The same as in EVA02: keys have no bias, so that the others' is filled up with zeros."""

            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.zeros(12, 4))
                self.q, self.v = nn.Parameter(torch.zeros(4)), nn.Parameter(torch.zeros(4))

            def forward(self, x):
                return nn.functional.linear(x, self.weight, torch.cat((self.q, torch.zeros(4), self.v)))

        options = {"backend": "aten", "as_strings": False, "print_per_layer_stat": False}
        theirs = original("ptflops").get_model_complexity_info(Projection(), (5, 4), **options)
        # 5 positions of 12 outputs, each of 4 products and a bias.
        assert ptflops.get_model_complexity_info(Projection(), (5, 4), **options) == theirs == (5 * 12 * 5, 56)

    def test_functions_left_out(self):
        options = {"backend_specific_config": {"count_functional": False}, "as_strings": False}
        theirs = said(original("ptflops").get_model_complexity_info, small(), (3, 12, 12), **options)
        assert said(ptflops.get_model_complexity_info, small(), (3, 12, 12), **options) == theirs

    def test_what_does_not_run(self):
        options = {"print_per_layer_stat": False}
        assert said(ptflops.get_model_complexity_info, small(), (7, 12, 12), **options)[0] == (None, None)

    def test_own_count(self):
        macs, params = ptflops.get_model_complexity_info(
            nn.Linear(6, 5), (6,), print_per_layer_stat=False, as_strings=False, count="strata"
        )
        assert (macs, params) == (30, 35)


class TestTorchinfo:
    @pytest.mark.parametrize(
        "options",
        [
            {"input_size": (2, 3, 12, 12)},
            {"input_size": (3, 12, 12), "batch_dim": 0, "col_names": ("input_size", "output_size", "mult_adds")},
            {"input_size": [(2, 3, 12, 12)], "mode": "train", "depth": 1},
            {"input_data": IMAGE, "row_settings": ("ascii_only", "depth"), "col_width": 18},
            {"input_data": {"input": IMAGE}, "row_settings": ("hide_recursive_layers", "var_names")},
            {},
        ],
    )
    def test_options(self, options):
        theirs = original("torchinfo").summary(small(), verbose=0, **options)
        ours = torchinfo.summary(small(), verbose=0, **options)
        assert str(ours) == str(theirs)

    def test_a_class_of_torchs_that_computes_more(self):
        class Rows(nn.Embedding):
            """Looks up the ids of one sample, and gives as many samples."""

            def forward(self, ids):
                return super().forward(ids).squeeze(0) * 4.0

        net, ids = nn.Sequential(Rows(10, 16), nn.Linear(16, 3)), torch.zeros(1, 11, dtype=torch.long)
        theirs = original("torchinfo").summary(net, input_data=ids, verbose=0)
        ours = torchinfo.summary(net, input_data=ids, verbose=0)
        # 11 samples times a table of 160 and times a Linear of 51 parameters.
        assert ours.total_mult_adds == theirs.total_mult_adds == 11 * (160 + 51)
        assert str(ours) == str(theirs)

    def test_it_prints(self):
        theirs = said(original("torchinfo").summary, small(), input_size=(1, 3, 12, 12), verbose=2)[1]
        ours = said(torchinfo.summary, small(), input_size=(1, 3, 12, 12), verbose=2)[1]
        assert ours == theirs

    def test_wrong_arguments(self):
        for options in ({"col_width": 0}, {"verbose": 3}, {"col_names": ["mult_adds"]}):
            with pytest.raises(ValueError):
                torchinfo.summary(small(), **options)
        with pytest.raises(RuntimeError, match="Only one of"):
            torchinfo.summary(small(), input_size=(1, 3, 12, 12), input_data=IMAGE)
        with pytest.raises(RuntimeError, match="Failed to run torchinfo"):
            torchinfo.summary(small(), input_size=(1, 7, 12, 12))

    def test_modes_are_put_back(self):
        net = small().train()
        net[1].eval()
        torchinfo.summary(net, input_size=(1, 3, 12, 12), verbose=0)
        assert net.training and not net[1].training


class TestFvcore:
    def analyses(self, net=None, inputs=IMAGE):
        net = net or small()
        theirs, ours = original("fvcore.nn").FlopCountAnalysis(net, inputs), fvcore.FlopCountAnalysis(net, inputs)
        for each in (theirs, ours):
            each.unsupported_ops_warnings(False).uncalled_modules_warnings(False)
        return theirs, ours

    def test_tables(self):
        theirs, ours = self.analyses()
        package = original("fvcore.nn")
        for options in ({}, {"max_depth": 1}, {"show_param_shapes": False}):
            assert cells(fvcore.flop_count_table(ours, **options)) == cells(package.flop_count_table(theirs, **options))
        assert fvcore.flop_count_str(ours) == package.flop_count_str(theirs)
        assert fvcore.parameter_count(small()) == package.parameter_count(small())
        table = package.parameter_count_table(small())
        assert cells(fvcore.parameter_count_table(small())) == cells(table)

    @pytest.mark.parametrize("weights", [False, True])
    def test_the_attention_of_torchs_own_module(self, weights):
        class Attends(nn.Module):
            def __init__(self):
                super().__init__()
                self.attention = nn.MultiheadAttention(24, 4, batch_first=True)

            def forward(self, x):
                return self.attention(x, x, x, need_weights=weights)[0]

        net, x = Attends().eval(), torch.rand(2, 9, 24)
        theirs = original("fvcore.nn").FlopCountAnalysis(net, x).by_operator()
        assert fvcore.FlopCountAnalysis(net, x).by_operator() == theirs

    def test_by_everything(self):
        theirs, ours = self.analyses()
        assert ours.total("3") == theirs.total("3") and isinstance(ours.total(), int)
        assert ours.by_module_and_operator() == theirs.by_module_and_operator()
        assert ours.uncalled_modules() == theirs.uncalled_modules()
        assert ours.unsupported_ops() == theirs.unsupported_ops()
        for each in (theirs, ours):
            each.ancestor_mode("caller")
        assert ours.by_module() == theirs.by_module()
        with pytest.raises(KeyError):
            ours.total("nothing")

    def test_handles(self):
        theirs, ours = self.analyses()
        handles = {
            "aten::batch_norm": None, "aten::add": None, "aten::softmax": lambda i, o: i[0].type().sizes()[1] * 5,
        }  # fmt: skip
        for each in (theirs, ours):
            each.set_op_handle(**handles)
        assert ours.by_operator() == theirs.by_operator()
        assert ours.unsupported_ops() == theirs.unsupported_ops()
        for each in (theirs, ours):
            each.clear_op_handles().set_op_handle("aten::linear", lambda i, o: 7)
        assert ours.by_operator() == theirs.by_operator() == {"linear": 7}
        ours = self.analyses()[1]
        assert ours.copy(new_inputs=IMAGE[:1]).total() < ours.total()

    def test_shared_modules(self):
        shared = nn.Linear(10, 10)
        net = nn.Sequential(nn.Sequential(shared), nn.Sequential(shared))
        theirs, ours = self.analyses(net, torch.zeros(1, 10))
        assert ours.by_module() == theirs.by_module()
        assert ours.canonical_module_name("1.0") == theirs.canonical_module_name("1.0") == "0.0"


def cells(table):
    """The cells without the spaces around them: the newest tabulate takes those that are meant away."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return [row for row in rows if not set("".join(row)) <= set(":-")]


class TestTorchstat:
    def test_own_count(self):
        """2 sums and products of 3 inputs for each of 4 outputs, and 4 biases."""
        text = said(torchstat.stat, nn.Sequential(nn.Flatten(), nn.Linear(3, 4)), (3, 1, 1), count="strata")[1]
        assert "Total MAdd: 28MAdd" in text and "Total Flops: 12Flops" in text

    def test_containers(self):
        """The original cannot put modules together: it fails at its own sums."""
        text = said(torchstat.stat, nn.Sequential(small()[:3], nn.Flatten()), (3, 12, 12), 2)[1]
        # 400 outputs of 27 products and 27 sums with a bias, 4 for each in the norm, 1 in the activation
        assert f"{float(400 * 54 + 400 * 5):,}" in text

    def test_wrong_arguments(self):
        with pytest.raises(AssertionError):
            torchstat.stat(small(), (12, 12))


def test_an_operator_that_strata_does_not_know_is_said() -> None:
    class Bessel(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.special.bessel_j1(x)

    with pytest.warns(UserWarning, match="special_bessel_j1"):
        macs, params = thop.profile(torch.nn.Sequential(torch.nn.Linear(4, 3), Bessel()), (torch.rand(2, 4),), verbose=False)
    assert (macs, params) == (2 * 4 * 3, 4 * 3 + 3)
