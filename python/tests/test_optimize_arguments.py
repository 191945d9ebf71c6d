"""strata.optimize: arguments by position and by name, and folders that keep transformers' kinds of answers."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from optimized import X, Small, answers_like_torch, fast, faster, plain  # noqa: F401 (fixtures)

import strata
import torch
from strata._optimize._judge import sqnr


class Pair(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)

    def forward(self, x: Any, y: Any, scale: float = 1.0, *, shift: float = 0.0) -> Any:
        return self.fc(x - 2 * y) * scale + shift


A, B = torch.rand(1, 4), torch.rand(1, 4)


def both_ways(model: Any, saved: Any, *args: Any, **kwargs: Any) -> None:
    """The engine answers the call, also without the model's code."""
    calls = model.strata.calls()[""]
    want = plain(model, *args, **kwargs)
    assert sqnr(want, model(*args, **kwargs)) > 90 and sqnr(want, saved(*args, **kwargs)) > 90
    assert model.strata.calls()[""] == calls + 1


@pytest.mark.parametrize(
    "example",
    [(A, B), {"x": A, "y": B}, {"y": B, "x": A}],
    ids=["position", "name", "other order"],
)
def test_it_does_not_matter_how_arguments_are_given(faster: None, tmp_path: Path, example: Any) -> None:
    model = strata.optimize(Pair().eval(), example, engines=["onnxruntime"])
    model.strata.save(tmp_path / "saved")
    saved = strata.load_optimized(tmp_path / "saved")
    with torch.no_grad():
        both_ways(model, saved, A, B)
        both_ways(model, saved, A, y=B)
        both_ways(model, saved, x=A, y=B)
        both_ways(model, saved, y=B, x=A)
        assert model.strata.fallbacks() == {}
        assert sqnr(plain(model, A, B, 2.0), model(A, B, 2.0)) == float("inf")
        assert sqnr(plain(model, x=A, y=B, shift=1.0), model(x=A, y=B, shift=1.0)) == float("inf")
        assert model.strata.fallbacks() == {"": {"arguments": 2}}
        for args, kwargs in [((A, B), {"x": A}), ((A,), {}), ((A, B), {"z": B}), ((A, B, 1.0, 0.0), {})]:
            with pytest.raises(TypeError):  # torch's own
                model(*args, **kwargs)
            with pytest.raises(strata.StrataError):
                saved(*args, **kwargs)


class Names(torch.nn.Module):
    """Its forward is wrapped in a function that treats an argument by name differently, or not."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.fc, self.factor = torch.nn.Linear(4, 4), factor

    def _plain(self, x: Any, y: Any) -> Any:
        return self.fc(x - 2 * y)

    @functools.wraps(_plain)
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._plain(*args, **kwargs) * (self.factor if kwargs else 1.0)


@pytest.mark.parametrize("factor", [1.0, 3.0])
@pytest.mark.parametrize("example", [(A, B), {"x": A, "y": B}], ids=["position", "name"])
def test_wrappers_that_look_at_names_are_asked_first(faster: None, factor: float, example: Any) -> None:
    model = strata.optimize(Names(factor).eval(), example, engines=["onnxruntime"])
    with torch.no_grad():
        for args, kwargs in [((A, B), {}), ((), {"x": A, "y": B})]:
            assert sqnr(plain(model, *args, **kwargs), model(*args, **kwargs)) > 90
    assert model.strata.fallbacks() == ({} if factor == 1.0 else {"": {"arguments": 1}})


class Rest(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)

    def forward(self, *given: Any, **named: Any) -> Any:
        return self.fc(sum(given, 0 * next(iter(named.values()), torch.zeros(()))) + sum(named.values()))


def test_arguments_without_names_keep_their_places(faster: None) -> None:
    model = strata.optimize(Rest().eval(), (A, B), engines=["onnxruntime"])
    with torch.no_grad():
        assert sqnr(plain(model, A, B), model(A, B)) > 90 and model.strata.calls() == {"": 1}
        assert sqnr(plain(model, A, y=B), model(A, y=B)) == float("inf")
    assert model.strata.fallbacks() == {"": {"arguments": 1}}


@pytest.fixture(scope="module")
def bert() -> Any:
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    return transformers.BertModel(transformers.BertConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, vocab_size=64)).eval()  # fmt: skip


IDS = torch.arange(16).reshape(2, 8)
FULL = torch.ones_like(IDS)
PADDED = torch.tensor([[1, 1, 1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1]])


def test_bert_keeps_its_kind_of_answer_and_takes_any_mask(faster: None, tmp_path: Path, bert: Any) -> None:
    model = strata.optimize(bert, {"input_ids": IDS, "attention_mask": PADDED}, engines=["onnxruntime"])
    assert model.strata.replaced() == {"": "onnxruntime"}
    model.strata.save(tmp_path / "saved")
    saved = strata.load_optimized(tmp_path / "saved")
    with torch.no_grad():
        for mask in (FULL, PADDED, PADDED.flip(1)):
            want = plain(model, input_ids=IDS, attention_mask=mask)
            for each in (model, saved):
                for got in (each(input_ids=IDS, attention_mask=mask), each(IDS, mask)):
                    assert type(got) is type(want) and list(got.keys()) == list(want.keys())
                    assert sqnr(want.last_hidden_state, got.last_hidden_state) > 90 and sqnr(want[1], got.pooler_output) > 90
    assert model.strata.fallbacks() == {}
    for bad in ("os.system", "transformers.utils.logging.set_verbosity", "transformers.BertModel", "transformers.no.Such"):
        described = json.loads((tmp_path / "saved" / "optimized.json").read_text())
        described["units"][0]["answers"] = {"output": [bad, []]}
        (tmp_path / "saved" / "optimized.json").write_text(json.dumps(described))
        with pytest.raises(strata.StrataError):
            strata.load_optimized(tmp_path / "saved")
