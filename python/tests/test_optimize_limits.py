"""strata.optimize: what an exported file, or an engine with 32 bits, would do otherwise stays in torch."""

from __future__ import annotations

from typing import Any, Callable

import pytest

from optimized import faster, plain  # noqa: F401 (a fixture)

import strata
import torch
from strata._optimize._judge import sqnr


class Before(torch.nn.Module):
    """Changes what it is called with, which is used afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.ReLU(inplace=True), torch.nn.Linear(8, 8))

    def forward(self, x: Any) -> Any:
        y = 2 * x
        return self.body(y) + y


class Besides(torch.nn.Module):
    """Computes something else of its inputs, too."""

    def __init__(self, what: Callable[..., Any]) -> None:
        super().__init__()
        self.fc, self.what = torch.nn.Linear(8, 8), what

    def forward(self, x: Any, *more: Any) -> Any:
        return self.fc(x), self.what(x, *more)


# torch.onnx.export writes divisions that round towards zero.
ROUNDING = [Besides(lambda x: (4 * x).to(torch.int64) // 3), Besides(lambda x: x // 0.5), Besides(lambda x: (9 * x).to(torch.int64) >> 1)]


DIFFERING = [
    Besides(lambda x: torch.atan2(x, x.flip(0))), Besides(lambda x: torch.nn.functional.logsigmoid(x)),
    Besides(lambda x: torch.nn.functional.softplus(x, 1, 2)),
]  # fmt: skip


class Noisy(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(8, 8)

    def forward(self, x: Any) -> Any:
        return self.fc(x) + 1e-6 * torch.randn_like(x)


@pytest.mark.parametrize(
    "model, why",
    [(Before().body, "changes its inputs"), (Noisy(), "random"), *((each, "towards zero") for each in ROUNDING),
     *((each, "other answers") for each in DIFFERING)],
)  # fmt: skip
def test_what_a_file_does_not_do_stays_in_torch(faster: None, model: Any, why: str) -> None:
    strata.optimize(model.eval(), torch.rand(2, 8), engines=["onnxruntime"])
    assert set(model.strata.replaced()) <= {"1", "fc"}
    assert why in model.strata.receipt.tried[0].why_not
    with torch.no_grad():
        x = torch.cat([torch.zeros(1, 8), 50 * torch.randn(1, 8)])
        y = x.clone()
        torch.manual_seed(0)
        got = model(x)
        torch.manual_seed(0)
        assert sqnr(plain(model, y), got) > 90 and torch.equal(x, y)


@pytest.mark.parametrize(
    "what, why",
    [
        (lambda x, i: i * i, "int64"), (lambda x, i: i**3, "int64"), (lambda x, i: i * 1000 * 1000, "int64"),
        (lambda x, i: i.expand(3000, 8).cumsum(0)[-1:], "int64"), (lambda x, i: i.to(torch.int16) * 1000, "16 bits"),
        (lambda x, i: x.to(torch.float64).exp(), "float64"),
    ],
)  # fmt: skip
def test_what_takes_more_than_32_bits_is_not_openvinos(faster: None, what: Any, why: str) -> None:
    pytest.importorskip("openvino")
    model = Besides(what).eval()
    strata.optimize(model, (torch.rand(1, 8), torch.arange(8)[None]), engines=["openvino"])
    assert why in model.strata.receipt.tried[0].why_not and set(model.strata.replaced()) == {"fc"}
    with torch.no_grad():
        x, i = 100 * torch.rand(1, 8), torch.full((1, 8), 2**20)
        assert sqnr(plain(model, x, i), model(x, i)) > 90


@pytest.mark.parametrize(
    "what", [lambda x, i: i * 900 + 3, lambda x, i: (mask := i.ne(0).long()).cumsum(1) * mask, lambda x, i: i * (i > 3), lambda x, i: 1 - i]
)
def test_32_bits_are_enough_for_what_stays_small(faster: None, what: Any) -> None:
    pytest.importorskip("openvino")
    model = Besides(what).eval()
    strata.optimize(model, (torch.rand(1, 8), torch.arange(8)[None]), engines=["openvino"])
    assert model.strata.replaced() == {"": "openvino"}
    with torch.no_grad():
        for largest, calls in ((2**20, 1), (2**20 + 1, 1)):  # torch answers the second
            x, i = torch.rand(1, 8), torch.tensor([[largest, -largest, 0, 1, 2, 3, 4, 5]])
            assert sqnr(plain(model, x, i), model(x, i)) > 90 and model.strata.calls() == {"": calls}


class Hashed(torch.nn.Module):
    """Multiplies the numbers of rows, of which there are many."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = torch.nn.Embedding(3 * 2**20, 1)

    def forward(self, i: Any) -> Any:
        return self.rows(i), i * 1000


def test_rows_beyond_32_bits_are_torchs(faster: None) -> None:
    pytest.importorskip("openvino")
    model = Hashed().eval()
    strata.optimize(model, torch.arange(8)[None], engines=["openvino"])
    assert model.strata.replaced() == {"": "openvino"}
    with torch.no_grad():
        for largest in (2**20, 3 * 2**20 - 1):
            i = torch.tensor([[0, 1, 2, 3, 4, 5, 6, largest]])
            assert sqnr(plain(model, i), model(i)) > 90
    assert model.strata.calls() == {"": 1} and model.strata.fallbacks() == {"": {"values": 1}}


def test_sparse_answers_are_torchs(faster: None) -> None:
    model = Besides(lambda x: x.to_sparse()).eval()
    strata.optimize(model, torch.rand(2, 8), engines=["onnxruntime"])
    assert model.strata.replaced() == {"fc": "onnxruntime"} and model.strata.receipt.quality > 90
    assert "sparse" in model.strata.receipt.tried[0].why_not


def test_operators_that_cannot_be_watched_are_no_error(faster: None) -> None:
    model = Besides(lambda x, i: i | 4).eval()
    strata.optimize(model, (torch.rand(1, 8), torch.arange(8)[None]), engines=["onnxruntime"])
    with torch.no_grad():
        x, i = torch.rand(1, 8), torch.arange(8, 16)[None]
        assert sqnr(plain(model, x, i), model(x, i)) > 90


class Branching(torch.nn.Module):
    """Its answer depends on a branch that tracing would take only one way."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        y = self.fc(x)
        return y if y.sum() > 0 else -y


def test_branches_on_values_stay_in_torch(faster: None) -> None:
    model = Branching().eval()
    strata.optimize(model, torch.rand(1, 4), engines=["onnxruntime"])
    assert "" not in model.strata.replaced()
    with torch.no_grad():
        for _ in range(8):
            x = torch.randn(1, 4)
            assert torch.allclose(model(x), plain(model, x), atol=1e-5)
