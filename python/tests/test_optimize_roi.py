"""strata.optimize: RoI align by rows, judged by torchvision's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from optimized import faster  # noqa: F401 (a fixture)

import strata
import torch
from strata._optimize._judge import sqnr
from strata._optimize._roi import RoiForward, is_roi_align

ops = pytest.importorskip("torchvision.ops")

NAMES = ["0", "1", "2"]
SIZES = [(96, 128)] * 2


def features(batch: int = 2) -> dict[str, Any]:
    random = torch.Generator().manual_seed(0)
    return {str(i): torch.randn(batch, 5, 48 >> i, 64 >> i, generator=random) for i in range(4)}  # "3" is not asked for


def boxes(count: int = 40) -> Any:
    """Of all sizes, also without any, the wrong way round, and far outside."""
    random = torch.Generator().manual_seed(1)
    middle = 200 * torch.rand(count, 2, generator=random) - 40
    half = 60 * torch.rand(count, 2, generator=random) ** 3
    own = torch.cat([middle - half, middle + half], 1)
    odd = torch.stack([own[-1].flip(0), torch.zeros(4), torch.tensor([-500.0, -500, 900, 900]), torch.tensor([1e30, 0, 2e30, 9])]) if count else own
    return torch.cat([own, odd])


def aligned(size: Any = 7, ratio: int = 2, names: Any = NAMES) -> Any:
    module = ops.MultiScaleRoIAlign(names, size, ratio).eval()
    module(features(), [boxes(), boxes()], SIZES)  # finds its scales
    return module


def like_torchvisions(module: Any, forward: RoiForward, x: Any, given: Any) -> None:
    want, got = type(module).forward(module, x, given, SIZES), forward(x, given, SIZES)
    assert want.shape == got.shape and want.stride() == got.stride() and sqnr(want, got) > 100


@pytest.mark.parametrize("size", [7, 14, (3, 5)])
@pytest.mark.parametrize("ratio", [1, 2, 3])
@pytest.mark.parametrize("names", [NAMES, ["1"]])
def test_answers_are_torchvisions(size: Any, ratio: int, names: Any) -> None:
    module = aligned(size, ratio, names)
    forward = RoiForward(module)
    for given in ([boxes(), boxes(7)], [boxes(0), boxes(9)]):
        like_torchvisions(module, forward, features(), given)
    assert (forward.calls, dict(forward.fallbacks)) == (2, {})
    module.output_size, module.sampling_ratio = (4, 6), 4  # read in every call
    like_torchvisions(module, forward, features(), [boxes(), boxes()])
    assert forward.calls == 3


def change_nothing(x: Any) -> Any:
    return x


CALLS = {
    "values": (lambda x: x.where(x < 2, torch.tensor(float("nan"))), change_nothing),
    "dtype": (lambda x: x.double(), lambda x: x.double()),
    "shape": (change_nothing, lambda x: x[:0]),
    "grad": (lambda x: x.requires_grad_(), change_nothing),
}


@pytest.mark.parametrize("why", CALLS)
def test_other_calls_are_torchvisions(why: str) -> None:
    module, (change, change_boxes) = aligned(), CALLS[why]
    forward = RoiForward(module)
    x = {name: change(each) for name, each in features().items()}
    given = [change_boxes(boxes()), change_boxes(boxes())]
    want, got = type(module).forward(module, x, given, SIZES), forward(x, given, SIZES)
    assert torch.equal(want.nan_to_num(), got.nan_to_num()) and got.requires_grad == want.requires_grad
    assert (forward.calls, dict(forward.fallbacks)) == (0, {why: 1})


def test_as_many_points_as_fit_are_torchvisions() -> None:
    module = aligned()
    forward = RoiForward(module)
    module.sampling_ratio = -1  # as many points as fit
    forward(features(), [boxes()[:-1], boxes()[:-1]], SIZES)
    assert dict(forward.fallbacks) == {"attributes": 1}
    assert not is_roi_align(module) and not is_roi_align(torch.nn.Linear(1, 1)) and is_roi_align(aligned())


class Boxes(torch.nn.Module):
    """A head that is called once per box, of boxes that the model chooses."""

    def __init__(self) -> None:
        super().__init__()
        self.pool = ops.MultiScaleRoIAlign(NAMES, 7, 2)
        self.head = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(5 * 49, 8))

    def forward(self, x: Any, given: Any) -> Any:
        given = given[given[:, 2] > given[:, 0]]
        return self.head(self.pool({name: each for name, each in zip("0123", x)}, [given], SIZES[:1]))


def test_it_is_part_of_a_model_saved_and_loaded(faster: None, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model, x = Boxes().eval(), tuple(features(1).values())
    plain = Boxes().eval()
    plain.load_state_dict(model.state_dict())
    strata.optimize(model, [(x, boxes(30)), (x, boxes(20))], engines=["onnxruntime"])
    assert model.strata.replaced() == {"head": "onnxruntime", "pool": "strata"}
    model.strata.save(tmp_path / "saved")
    other = Boxes().eval()
    other.load_state_dict(model.state_dict())
    loaded = strata.load_optimized(tmp_path / "saved", other)
    with torch.no_grad():
        for each in (model, loaded):
            assert sqnr(plain(x, boxes(25)), each(x, boxes(25))) > 90
    assert loaded.strata.calls() == {"head": 1, "pool": 0} and loaded.strata.fallbacks() == {"pool": {"arguments": 1}}
    with torch.no_grad():  # its scales are known after the first call
        assert sqnr(plain(x, boxes(25)), loaded(x, boxes(25))) > 90
    assert loaded.strata.calls() == {"head": 2, "pool": 1}
    model.strata.restore()
    assert "forward" not in model.pool.__dict__
