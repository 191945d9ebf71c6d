"""What the tests of strata.optimize share: a small module, one with an engine in its place, and how to judge its answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnxruntime")

from strata._optimize import Handle  # noqa: E402
from strata._optimize import _search  # noqa: E402
from strata._optimize._export import export  # noqa: E402
from strata._optimize._flat import Call  # noqa: E402
from strata._optimize._forward import EngineForward  # noqa: E402
from strata._optimize._measure import Speedup, speedup_of  # noqa: E402
from strata._optimize._receipt import Receipt  # noqa: E402
from strata._optimize._sessions import open_session  # noqa: E402


class Small(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(4)
        self.square = torch.nn.Linear(4, 4)
        self.fc = torch.nn.Linear(4, 5)
        self.sign = 1.0

    def forward(self, x: Any, scale: float = 1.0) -> Any:
        return self.fc(self.square(torch.relu(self.norm(self.conv(x))).mean((2, 3)))) * scale * self.sign


def engine_names() -> list[Any]:
    from importlib.util import find_spec

    missing = pytest.mark.skipif(find_spec("openvino") is None, reason="openvino is not installed")
    return ["onnxruntime", pytest.param("openvino", marks=missing)]


def replaced(model: torch.nn.Module, tmp_path: Path, engine: str = "onnxruntime", shapes: Any = ((1, 3, 8, 8),)) -> Any:
    """The model with an engine in its place, whether that is faster or not."""
    calls = []
    for shape in shapes:
        x = torch.rand(shape)
        with torch.no_grad():
            calls.append(Call((x,), {}, model(x)))
    exported = export(model, calls, str(tmp_path / f"{len(list(tmp_path.iterdir()))}.onnx"))
    session = open_session(engine, exported.path, "fp32", 1)
    handle = Handle(model, Receipt())
    how = {"engine": engine, "precision": "fp32", "threads": 1}
    handle._place("", (EngineForward(model, exported, session), exported, how))
    model.__dict__["strata"] = handle
    return model


@pytest.fixture(params=engine_names())
def fast(request: Any, tmp_path: Path) -> Any:
    torch.manual_seed(0)
    return replaced(Small().eval(), tmp_path, request.param)


X = torch.rand(1, 3, 8, 8)


def plain(model: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
    return type(model).forward(model, *args, **kwargs)


def answers_like_torch(model: Any, why: str | None, *args: Any, **kwargs: Any) -> None:
    """The answer is torch's; by the engine if `why` is None, else by torch, counted under this reason."""
    calls = model.strata.calls()[""]
    before = model.strata.fallbacks().get("", {}).get(why, 0)
    got = model(*args, **kwargs)
    want = plain(model, *args, **kwargs)
    assert torch.allclose(got.float(), want.float(), atol=1e-5)
    assert got.dtype == want.dtype and got.requires_grad == want.requires_grad
    assert model.strata.calls()[""] - calls == (1 if why is None else 0)
    if why is not None:
        assert model.strata.fallbacks()[""][why] == before + 1


def always(ratio: float) -> Callable[..., list[Speedup]]:
    return lambda old, others, *_, **__: [speedup_of([ratio] * 10) for _ in others]


@pytest.fixture
def faster(monkeypatch: Any) -> None:
    """Every way is twice as fast, and every module worth it."""
    monkeypatch.setattr(_search, "by_turns", always(2.0))
    monkeypatch.setattr(_search, "LEAST_SHARE", 0.0)


def replace_weight(model: Any) -> None:
    model.fc.weight = torch.nn.Parameter(torch.zeros(5, 4))


def change_in_place(model: Any) -> None:
    model.fc.weight.add_(1)
