"""FlopCounterMode against torch's own, on whatever runs in its block."""

import pytest
import torch
from compat_tools import said
from torch import nn

from strata.compat.flop_counter import FlopCounterMode


def net():
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(400, 10))


def test_without_torchs_own():
    """Worked by hand, so that it also runs with torch 1.13: 4·10·10 outputs of 27 products, then 10 of 400."""
    model = net()
    with FlopCounterMode(display=False) as counter:
        model(torch.zeros(2, 3, 12, 12))
    conv, linear = 2 * 2 * 400 * 27, 2 * 2 * 400 * 10
    aten = torch.ops.aten
    assert counter.get_total_flops() == conv + linear
    assert counter.get_flop_counts() == {
        "Global": {aten.convolution: conv, aten.addmm: linear},
        "Sequential": {aten.convolution: conv, aten.addmm: linear},
        "Sequential.0": {aten.convolution: conv},
        "Sequential.3": {aten.addmm: linear},
    }


def words(table):
    """The lines without the spaces: the newest tabulate takes those away that are meant."""
    return [line.split() for line in table.splitlines() if set(line) - set("- ")]


def originals():
    import compat_tools

    compat_tools.original("tabulate")
    pytest.importorskip("torch.utils.flop_counter")
    from torch.utils.flop_counter import FlopCounterMode as Original

    return Original


def both(code, **options):
    counters = []
    for kind in (originals(), FlopCounterMode):
        torch.manual_seed(0)
        with kind(display=False, **options) as counter:
            code()
        counters.append(counter)
    return counters


def test_backward():
    model, image = net(), torch.zeros(2, 3, 12, 12, requires_grad=True)
    theirs, ours = both(lambda: model(image).sum().backward())
    assert ours.get_flop_counts() == theirs.get_flop_counts()
    assert words(ours.get_table()) == words(theirs.get_table())


def test_gradients_of_grouped_convolutions():
    """torch takes the gradient of a grouped convolution's weight for that of a full one; ours is what is computed."""
    model, image = torch.nn.Conv2d(6, 6, 3, groups=3, bias=False), torch.zeros(2, 6, 5, 5, requires_grad=True)
    theirs, ours = both(lambda: model(image).sum().backward())
    each = 2 * 2 * 3 * 3 * 6 * 2 * 9  # FLOPs of the convolution: 2 images of 3×3 places and 6 channels of 2 channels' 3×3
    assert ours.get_total_flops() == 3 * each
    assert theirs.get_total_flops() == each + each + 3 * each


def test_code_without_modules():
    a, b = torch.ones(3, 4), torch.ones(5, 4, 6)
    theirs, ours = both(lambda: (a @ b, torch.einsum("ij,bjk->bik", a, b), torch.baddbmm(b[:, :3], b[:, :3, :4], b)))
    assert ours.get_flop_counts() == theirs.get_flop_counts()
    assert words(ours.get_table()) == words(theirs.get_table())


def test_formulas_of_the_caller():
    def relu_flops(shape, *args, out_shape=None, **kwargs):
        return 3 * shape.numel()

    model = net()
    theirs, ours = both(lambda: model(torch.zeros(1, 3, 12, 12)), custom_mapping={torch.ops.aten.relu: relu_flops})
    assert ours.get_flop_counts() == theirs.get_flop_counts()


def test_it_prints():
    model = net()
    texts = []
    for kind in (originals(), FlopCounterMode):
        def run(kind=kind):
            with kind(depth=1):
                model(torch.zeros(1, 3, 12, 12))

        texts.append(said(run)[1])
    assert words(texts[0]) == words(texts[1]) and "Sequential" in texts[0]


def test_nothing():
    with FlopCounterMode(display=False) as counter:
        pass
    assert counter.get_total_flops() == 0 and counter.get_table().splitlines()[-1].split() == ["Global", "0", "0%"]


def test_own_count():
    """strata counts the sums, too: 2·27·400 and 400 biases, 400 activations, 2·400·10 and 10 biases."""
    model = net()
    with FlopCounterMode(display=False, count="strata") as counter:
        model(torch.zeros(1, 3, 12, 12))
    assert counter.get_total_flops() == 2 * 27 * 400 + 400 + 400 + 2 * 400 * 10 + 10
