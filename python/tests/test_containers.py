"""`profile["layer1"]`, and how many parameters are trained."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import strata


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 8), nn.Sequential(nn.ReLU(), nn.Linear(8, 8)))
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.head = nn.Linear(8, 8)
        self.tied = nn.Linear(8, 8, bias=False)
        self.tied.weight = self.head.weight
        self.never = nn.Linear(3, 3)

    def forward(self, x):
        x = self.body(x)
        return self.tied(self.head(self.attention(x, x, x)[0]))


SHAPE = (2, 5, 6)


def elements(module: nn.Module, trained: bool = False) -> int:
    return sum(each.numel() for each in module.parameters() if each.requires_grad or not trained)


def test_containers_have_the_sums_of_their_layers() -> None:
    model = Net().eval()
    profile = strata.stat(model, SHAPE)
    body = profile["body"]
    assert body.type == "Sequential" and body.params == elements(model.body)
    assert body.macs == 10 * (6 * 8 + 8 * 8)
    assert profile["body.1"].macs == 10 * 8 * 8 == profile["body.1.1"].macs
    # Rows that the table does not show count, too.
    for few in (strata.stat(model, SHAPE, top=1), strata.stat(model, SHAPE, filter="head"),
                strata.stat(model, SHAPE, report="root")):  # fmt: skip
        assert few["body"].macs == body.macs and "body.1" in few and "body.7" not in few
    assert strata.stat("zoo:resnet18", batch=3)["layer1.0"].macs == 3 * strata.stat("zoo:resnet18")["layer1.0"].macs
    # fvcore's convention, in which norms cost something.
    fvcore = strata.stat("zoo:resnet18", count="fvcore")
    inside = sum(row.macs for row in fvcore if row.layer.startswith("layer2."))
    assert fvcore["layer2"].macs == inside != strata.stat("zoo:resnet18")["layer2"].macs


def test_containers_have_times() -> None:
    profile = strata.stat(Net().eval(), SHAPE, timing=True)
    inside = [row.time for row in profile if row.layer.startswith("body.")]
    assert profile["body"].time >= sum(inside) * 0.999 > 0


def test_containers_with_open_sizes_have_formulas(models) -> None:
    fixed, dynamic = (strata.stat(models / f"mobilenet_v2{kind}.onnx")["features.18"] for kind in ("", "_dynamic"))
    assert dynamic.macs == f"{fixed.macs}·N" and dynamic.params == fixed.params


def test_key_errors_suggest() -> None:
    profile = strata.stat(Net().eval(), SHAPE)
    for given, meant in (("boddy", "body"), ("body.1.2", "body.1.1"), ("heads", "head")):
        with pytest.raises(KeyError, match=f"there is no layer '{given}'; did you mean '{meant}'"):
            profile[given]
    with pytest.raises(KeyError, match="there is no layer 'zzz'; there are body.0, "):
        profile["zzz"]
    with pytest.raises(KeyError, match="there is no column 'parms'; did you mean 'params'"):
        profile["head"]["parms"]
    with pytest.raises(AttributeError, match="there is no column 'parms'; did you mean 'params'"):
        profile["head"].parms  # noqa: B018


def test_trainable_parameters() -> None:
    model = Net().eval()
    for frozen in (model.body, model.attention.out_proj):
        frozen.requires_grad_(False)
    profile = strata.stat(model, SHAPE)
    assert profile.total.trainable == elements(model, trained=True) < profile.total.params == elements(model)
    assert profile["body"].trainable == profile["body.0"].trainable == 0
    assert profile["attention"].trainable == elements(model.attention, trained=True)
    assert profile["head"].trainable == elements(model.head) and profile["tied"].trainable == 0  # it was counted before
    trained = f"{elements(model, trained=True):,} of {elements(model):,} parameters are trainable."
    assert str(profile).endswith(trained)
    model.requires_grad_(True)
    assert "trainable" not in str(strata.stat(model, SHAPE))
    assert "trainable" not in strata.stat("zoo:alexnet").table.columns


def test_trainable_is_a_column() -> None:
    pandas = pytest.importorskip("pandas")
    model = Net().eval()
    model.head.requires_grad_(False)
    profile = strata.stat(model, SHAPE)
    columns = profile.table.columns
    assert columns.index("trainable") == columns.index("params") + 1
    frame = profile.to_pandas()
    assert list(frame.columns) == columns and isinstance(frame, pandas.DataFrame)
    layers = frame.set_index("layer")
    assert layers.trainable["head"] == 0 and layers.trainable["body.0"] == 6 * 8 + 8
    for columns in (["layer", "trainable"], "layer,trainable", "+trainable"):
        assert strata.stat(model, SHAPE, columns=columns)["head"].trainable == 0
    assert "trainable" not in strata.stat(model, SHAPE, columns="layer,macs").rows[0]


def test_an_uninitialized_model_is_left_alone() -> None:
    lazy = nn.LazyLinear(3)
    with pytest.raises(strata.StrataError, match="has no size yet"):
        strata.stat(lazy, torch.ones(1, 2))
