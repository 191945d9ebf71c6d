"""Inputs of a module where its user gives little: shapes, ids, what the model itself brings."""

from __future__ import annotations

import ast
import collections
import re

import pytest
import torch
from torch import nn

import strata

ROWS, WIDE = 50, 8


class Words(nn.Module):
    """Ids and weights of words; the second embedding has fewer rows."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(ROWS, WIDE), nn.Embedding(7, WIDE)
        self.head = nn.Linear(WIDE, ROWS)

    def forward(self, ids, weights=None, places=None):
        x = self.words(ids.view(ids.shape[0], -1))
        if places is not None:
            x = x + self.places(places)
        if weights is not None:
            x = x * weights
        return self.head(x)


def macs(batch: int, length: int) -> int:
    return batch * length * WIDE * ROWS


@pytest.mark.parametrize("mode", ["auto", "meta", "real"])
def test_embeddings_are_given_ids(mode: str) -> None:
    profile = strata.stat(Words(), (2, 5), mode=mode)
    assert profile.total.macs == macs(2, 5)
    assert profile.facts["model"]["inputs"][0]["dtype"] == "i64"
    assert any("below 50" in note for note in profile.notes)
    # Ids of the user's own give the same rows.
    own = strata.stat(Words(), torch.randint(ROWS, (2, 5)), mode=mode)
    assert [dict(row) for row in own] == [dict(row) for row in profile]


def test_each_shape_has_a_type_of_its_own() -> None:
    profile = strata.stat(Words(), {"ids": (2, 5), "weights": (2, 5, 1), "places": (2, 5)})
    kinds = [each["dtype"] for each in profile.facts["model"]["inputs"]]
    assert kinds == ["i64", "f32", "i64"]
    assert profile.total.macs == macs(2, 5)
    half = strata.stat(Words().half(), [(2, 5), (2, 5, 1)], mode="meta")
    assert [each["dtype"] for each in half.facts["model"]["inputs"]] == ["i64", "f16"]


def test_bags_are_given_ids() -> None:
    assert strata.stat(nn.EmbeddingBag(9, 4), (3, 5)).facts["model"]["inputs"][0]["dtype"] == "i64"


def test_the_dtype_may_be_said() -> None:
    class Wanted(nn.Module):
        def forward(self, x, mask):
            return (x * 2).masked_fill(mask, 0)

    for dtype in ([torch.float64, torch.bool], {"x": "float64", "mask": "torch.bool"}):
        shapes = [(2, 3), (2, 3)] if isinstance(dtype, list) else {"x": (2, 3), "mask": (2, 3)}
        profile = strata.stat(Wanted(), shapes, dtype=dtype)
        assert [each["dtype"] for each in profile.facts["model"]["inputs"]] == ["f64", "bool"]
    assert strata.stat(Words(), (2, 5), dtype=torch.int32).facts["model"]["inputs"][0]["dtype"] == "i32"
    for dtype, sentence in (("int46", '"int46" is not a dtype'), (3, "a int is not a dtype"),
                            ("float32", "an embedding looks up whole numbers")):  # fmt: skip
        with pytest.raises(strata.StrataError, match=sentence):
            strata.stat(Words(), (2, 5), dtype=dtype)


def test_ids_are_timed_and_exported(tmp_path) -> None:
    from strata._tensors import call_arguments

    assert strata.stat(Words(), (2, 5), timing=True, columns=["layer", "time"])["head"].time > 0
    (ids,) = call_arguments(Words(), (2, 5))
    assert ids.dtype == torch.int64 and ids.shape == (2, 5) and 0 <= int(ids.min()) <= int(ids.max()) < ROWS
    (image,) = call_arguments(nn.Conv2d(3, 4, 3).double(), (1, 3, 8, 8))
    assert image.dtype == torch.float64


def test_a_models_own_inputs_are_used() -> None:
    class Own(Words):
        dummy_inputs = {"ids": torch.zeros(3, 4, dtype=torch.int64)}

    assert strata.stat(Own()).total.macs == macs(3, 4)
    assert strata.stat(Own(), (1, 2)).total.macs == macs(1, 2)
    lightning = Words()
    lightning.example_input_array = torch.zeros(2, 6, dtype=torch.int64)
    assert strata.stat(lightning).total.macs == macs(2, 6)


@pytest.mark.parametrize("model", [
    Words(), nn.Linear(7, 2), nn.Conv1d(4, 2, 3), nn.Sequential(nn.Conv2d(5, 2, 3), nn.ReLU()), nn.Conv3d(2, 2, 3),
])  # fmt: skip
def test_a_model_without_inputs_says_what_to_type(model) -> None:
    with pytest.raises(strata.StrataError, match=f"{type(model).__name__} needs inputs: ") as caught:
        strata.stat(model)
    typed = re.search(r"strata\.stat\(model, (\([\d, ]+\))\)", str(caught.value))
    assert typed, caught.value
    assert strata.stat(model, ast.literal_eval(typed[1])).total.macs > 0  # which works as typed
    with pytest.raises(strata.StrataError, match=f"{type(model).__name__} needs inputs: "):
        strata.sensitivity(model, random=True)


def test_a_model_of_several_inputs_names_them() -> None:
    class Two(nn.Module):
        def forward(self, image, mask, scale=1.0):
            return image * mask * scale

    with pytest.raises(strata.StrataError, match="Two needs inputs: .* for image, mask$"):
        strata.stat(Two())

    class Constant(nn.Module):
        def forward(self, rows=3):
            return torch.ones(rows, 2) @ torch.ones(2, 4)

    assert strata.stat(Constant()).total.macs == 3 * 2 * 4


class Encoded(collections.UserDict):  # as transformers.BatchEncoding is
    def convert_to_tensors(self) -> None:
        raise AssertionError("the user's own object stays as it is")


def test_what_a_tokenizer_gives_is_used() -> None:
    one = Encoded(ids=[3, 1, 4])
    assert strata.stat(Words(), one).total.macs == macs(1, 3) and one["ids"] == [3, 1, 4]
    assert strata.stat(Words(), Encoded(ids=[[3, 1, 4], [1, 5, 9]])).total.macs == macs(2, 3)
    assert strata.stat(Words(), Encoded(ids=torch.ones(2, 4, dtype=torch.int64))).total.macs == macs(2, 4)
    with pytest.raises(strata.StrataError, match="padding=True"):
        strata.stat(Words(), Encoded(ids=[[3, 1], [4]]))


def test_what_files_do_not_take_is_refused() -> None:
    for given in ({"dtype": "int64"}, {"optimizer": "adam"}, {"backward": True}, {"mode": "meta"}):
        with pytest.raises(strata.StrataError, match=f"{next(iter(given))} is for modules"):
            strata.stat("zoo:alexnet", **given)


def test_optimizers_by_name() -> None:
    model, shape = Words(), (2, 5)
    parameters = sum(each.numel() for each in model.parameters())
    used = parameters - model.places.weight.numel()  # the others have no gradient
    # Moments, and a step of 4 bytes for each tensor. Adagrad makes its sums before it sees gradients.
    for name, state in (("adam", 8 * used + 3 * 4), ("AdamW", 8 * used + 3 * 4), ("sgd", 0),
                        ("Adagrad", 4 * parameters + 4 * 4)):  # fmt: skip
        phases = strata.stat(model, shape, optimizer=name).memory_by_phase
        assert (phases[2].phase, phases[2].optimizer_state) == ("optimizer", state), name
    with pytest.raises(strata.StrataError, match='"adm"; did you mean "adam"'):
        strata.stat(model, shape, optimizer="adm")
    assert strata.stat(model, shape, loss=lambda y: y.square().mean()).total.backward_macs > 0
