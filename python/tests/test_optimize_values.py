"""strata.optimize: modules that look at a mask to leave work out, and do not while they are exported."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from optimized import engine_names, faster, plain  # noqa: F401 (a fixture)

import strata
import torch
from strata._optimize._judge import sqnr


class Encoder(torch.nn.Module):
    """Attention over what the mask leaves, as networks of transformers have it: a mask of ones is not looked at further."""

    def __init__(self, shortcut: Any = lambda scores: scores) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.rows, self.fc = torch.nn.Embedding(50, 8), torch.nn.Linear(8, 8)
        self.shortcut = shortcut

    def forward(self, ids: Any, mask: Any) -> Any:
        x = self.rows(ids)
        scores = self.fc(x) @ x.transpose(1, 2)
        if not torch.jit.is_tracing() and mask.all():
            scores = self.shortcut(scores)
        else:
            scores = scores.masked_fill(mask[:, None] == 0, torch.finfo(torch.float32).min)
        return scores.softmax(-1) @ x


FULL = torch.ones(2, 6, dtype=torch.long)
PADDED = torch.tensor([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]])
LEFT, EMPTY, MIXED = PADDED.flip(1), torch.zeros(2, 6, dtype=torch.long), torch.tensor([[0, 1, 0, 1, 1, 0], [1, 0, 0, 0, 0, 0]])
IDS = torch.arange(12).reshape(2, 6)


@pytest.mark.parametrize("engine", engine_names())
@pytest.mark.parametrize("masks", [(FULL,), (PADDED,), (PADDED, FULL)])
def test_any_mask_is_the_engines(faster: None, engine: str, masks: Any) -> None:
    model = Encoder().eval()
    strata.optimize(model, [(IDS, mask) for mask in masks], engines=[engine])
    assert model.strata.replaced() == {"": engine}
    assert any("a mask of ones" in each for each in model.strata.receipt.notes)
    with torch.no_grad():
        for mask in (FULL, PADDED, LEFT, EMPTY, MIXED):
            assert sqnr(plain(model, IDS, mask), model(IDS, mask)) > 90
    assert model.strata.calls() == {"": 5} and model.strata.fallbacks() == {}


# Both give other answers for a mask of ones, which an exported file would not know.
@pytest.mark.parametrize("shortcut", [lambda scores: 2 * scores, lambda scores: scores.masked_fill(scores > 0, 0)])
@pytest.mark.parametrize("mask", [FULL, PADDED])
def test_another_answer_for_a_mask_of_ones_is_torchs(faster: None, shortcut: Any, mask: Any) -> None:
    model = Encoder(shortcut).eval()
    strata.optimize(model, (IDS, mask), engines=["onnxruntime"])
    assert "" not in model.strata.replaced()
    with torch.no_grad():
        for each in (FULL, PADDED, MIXED):
            assert sqnr(plain(model, IDS, each), model(IDS, each)) > 90


class Reading(Encoder):
    """Looks at the mask while it is exported, too."""

    def forward(self, ids: Any, mask: Any) -> Any:
        return super().forward(ids, mask) * (1 if mask.sum() > 6 else 2)


def test_what_an_exported_file_would_read_is_torchs(faster: None) -> None:
    model = Reading().eval()
    strata.optimize(model, (IDS, PADDED), engines=["onnxruntime"])
    assert "" not in model.strata.replaced() and "values" in model.strata.receipt.tried[0].why_not
    with torch.no_grad():
        for mask in (FULL, PADDED, MIXED):
            assert sqnr(plain(model, IDS, mask), model(IDS, mask)) > 90


class Rounding(Encoder):
    """Divides in the way of the file alone, which torch exports as a division that rounds towards zero."""

    def forward(self, ids: Any, mask: Any) -> Any:
        if torch.jit.is_tracing():
            ids = ids // 3 * 3 + ids % 3
        return super().forward(ids, mask)


def test_the_way_of_the_file_is_watched(faster: None) -> None:
    model = Rounding().eval()
    strata.optimize(model, (IDS, PADDED), engines=["onnxruntime"])
    assert "" not in model.strata.replaced() and "rounds" in model.strata.receipt.tried[0].why_not


class Comparing(torch.nn.Module):
    """Asks in a way that gives Python a bool at once."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)

    def forward(self, x: Any, y: Any) -> Any:
        return self.fc(x) if torch.equal(x, y) else -self.fc(y)


def test_comparisons_are_seen(faster: None) -> None:
    model, x = Comparing().eval(), torch.rand(1, 4)
    strata.optimize(model, (x, x.clone()), engines=["onnxruntime"])
    assert "" not in model.strata.replaced()
    with torch.no_grad():
        for y in (x.clone(), x + 1):
            assert sqnr(plain(model, x, y), model(x, y)) > 90


def test_torchs_own_encoder_with_padding_is_right(faster: None) -> None:
    """It has a faster way for padded rows, too, whose answers are zeros where the padding is."""
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 2).eval()
    x, padding = torch.rand(2, 6, 8), PADDED == 0
    strata.optimize(model, {"src": x, "src_key_padding_mask": padding}, engines=["onnxruntime"])
    with torch.no_grad():
        for mask in (PADDED == 0, MIXED == 0, FULL == 0):
            want = plain(copy.deepcopy(model), x, src_key_padding_mask=mask)
            got = model(x, src_key_padding_mask=mask)
            assert sqnr(want, got) > 60
