"""strata.optimize: which modules are taken, what is refused, and what the receipt says."""

from __future__ import annotations

import json
import math
from collections import UserDict
from pathlib import Path
from typing import Any

import pytest

from optimized import Small, X, always, answers_like_torch, change_in_place, faster, plain  # noqa: F401 (a fixture)

import strata
import torch
from strata import _optimize
from strata._optimize import _search
from strata._optimize._judge import matched_boxes, sqnr
from strata._optimize._measure import rank_for, speedup_of


class Named(torch.nn.Module):
    """Is called as networks of words are."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.fc = torch.nn.Embedding(50, 16), torch.nn.Linear(16, 4)

    def forward(self, ids: Any = None, mask: Any = None, scale: float = 1.0) -> Any:
        return {"scores": self.fc(self.words(ids) * mask[..., None]) * scale}


def test_examples_may_name_their_arguments(faster: None) -> None:
    def words(count: int) -> dict[str, Any]:
        return {"ids": torch.randint(0, 50, (1, count)), "mask": torch.ones(1, count, dtype=torch.long), "scale": 2.0}

    model = Named().eval()
    strata.optimize(model, [UserDict(words(count)) for count in (4, 6, 5)], engines=["onnxruntime"])
    assert model.strata.replaced() == {"": "onnxruntime"}
    with torch.no_grad():
        given = words(9)
        for names in (list(given), list(reversed(given))):
            assert sqnr(plain(model, **given), model(**{name: given[name] for name in names})) > 90
        assert model.strata.calls() == {"": 2} and model.strata.fallbacks() == {}
        assert sqnr(plain(model, **{**given, "scale": 3.0}), model(**{**given, "scale": 3.0})) == math.inf
        assert model.strata.fallbacks() == {"": {"arguments": 1}}


def test_torchscript_is_refused_or_passed_over(faster: None) -> None:
    with pytest.raises(strata.StrataError, match="torch:mode=frozen"):
        strata.optimize(torch.jit.script(torch.nn.Linear(8, 8).eval()), torch.rand(2, 8))
    model = torch.nn.Sequential(torch.jit.script(torch.nn.Linear(8, 8)), torch.nn.Linear(8, 8)).eval()
    strata.optimize(model, torch.rand(2, 8), engines=["onnxruntime"])
    assert set(model.strata.replaced()) <= {"", "1"}
    with torch.no_grad():
        x = torch.rand(2, 8)
        assert torch.allclose(model(x), plain(model, x), atol=1e-5)


def test_a_forward_of_the_users_stays(faster: None) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).eval()
    usual = model.forward
    model.forward = own = lambda x: usual(x) + 1
    strata.optimize(model, torch.rand(2, 8), engines=["onnxruntime"])
    assert set(model.strata.replaced()) <= {"0"} and model.forward is own
    with torch.no_grad():
        for rows in (2, 3):
            x = torch.rand(rows, 8)
            assert torch.allclose(model(x), torch.relu(plain(model[0], x)) + 1, atol=1e-5)
    model[0].forward = other = lambda x: x
    model.strata.restore()
    assert model.forward is own and model[0].forward is other


def test_weights_of_inference_mode_are_refused() -> None:
    with torch.inference_mode():
        model = Small().eval()
    with torch.no_grad():
        result = strata.optimize(model, X, engines=["onnxruntime"], max_time=1)
    assert "forward" not in result.__dict__
    assert any("inference mode" in each.why_not for each in result.strata.receipt.tried)


def test_hooks_inside_are_seen_before() -> None:
    model = Small().eval()
    model.fc.register_forward_hook(lambda *_: None)
    strata.optimize(model, X, engines=["onnxruntime"], max_time=1)
    assert any("hooks" in each.why_not for each in model.strata.receipt.tried if each.module == "")
    assert "" not in model.strata.replaced()


def test_what_is_not_surely_faster_is_not_used(monkeypatch: Any) -> None:
    monkeypatch.setattr(_search, "by_turns", always(0.9))
    model = Small().eval()
    assert strata.optimize(model, X, engines=["onnxruntime"]) is model
    assert model.strata.replaced() == {} and "forward" not in model.__dict__
    assert "The model is unchanged" in str(model.strata.receipt)


def test_what_is_faster_is_used_saved_and_loaded(faster: None, tmp_path: Path) -> None:
    model = Small().eval()
    strata.optimize(model, (X,), engines=["onnxruntime"])
    assert model.strata.replaced() == {"": "onnxruntime"}
    receipt = model.strata.receipt
    assert receipt.speedup.median == 2 and receipt.quality > 100
    assert receipt.sentence().startswith("2.00×") and "<table>" in receipt.html()
    json.dumps(receipt.facts())
    model.strata.save(tmp_path / "fast")
    with pytest.raises(strata.StrataError, match="not empty"):
        model.strata.save(tmp_path / "fast")
    with torch.no_grad():
        want = plain(model, X)
        alone = strata.load_optimized(tmp_path / "fast")
        assert torch.allclose(alone(X), want, atol=1e-5)
        with pytest.raises(strata.StrataError, match="differs"):
            alone(torch.rand(2, 3, 8, 8))
        again = Small().eval()
        with pytest.raises(strata.StrataError, match="weights"):
            strata.load_optimized(tmp_path / "fast", again)
        again.load_state_dict(model.state_dict())
        strata.load_optimized(tmp_path / "fast", again)
        assert torch.allclose(again(X), want, atol=1e-5)
        assert again.strata.calls() == {"": 1}


class Detector(torch.nn.Module):
    """A part that can be exported, and one that cannot: what it returns depends on what it finds."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 8, 3))

    def forward(self, images: Any) -> Any:
        found = self.backbone(images).mean((2, 3))
        return [{"boxes": each.abs()[:4].reshape(1, 4).cumsum(1), "labels": torch.ones(1, dtype=torch.long),
                 "note": str(each.argmax())} for each in found.unbind()]  # fmt: skip


def test_parts_are_taken_where_the_whole_cannot_be(faster: None) -> None:
    model = Detector().eval()
    strata.optimize(model, torch.rand(1, 3, 32, 32), engines=["onnxruntime"], judge=matched_boxes)
    assert model.strata.replaced() == {"backbone": "onnxruntime"}
    assert model.strata.receipt.quality == 1.0


def test_rounding_of_torchs_own_is_said(monkeypatch: Any) -> None:
    """Where an engine does not keep all boxes, the receipt says how many torch keeps against float64."""
    seen = []

    def some(want: Any, got: Any) -> float:
        seen.append(matched_boxes(want, got))
        return 0.9

    monkeypatch.setattr(_search, "by_turns", always(1.5))
    monkeypatch.setattr(_search, "LEAST_SHARE", 0.0)
    for module in (_optimize, _search):
        monkeypatch.setattr(module, "matched_boxes", some)
    model = Detector().eval()
    strata.optimize(model, torch.rand(1, 3, 32, 32), engines=["onnxruntime"])
    assert model.strata.replaced() == {} and seen[-1] == 1.0
    assert any("torch's own boxes, 0.9 match" in each for each in model.strata.receipt.notes)


class Heads(torch.nn.Module):
    """Scores and offsets for features of several sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.score = torch.nn.Conv2d(8, 8, 3, padding=1), torch.nn.Conv2d(8, 1, 1)

    def forward(self, features: Any) -> Any:
        hidden = [torch.relu(self.conv(each)) for each in features]
        return [self.score(each) for each in hidden], hidden


class Choosing(torch.nn.Module):
    """Takes as many boxes as have a good score."""

    def __init__(self) -> None:
        super().__init__()
        self.head = Heads()

    def forward(self, features: Any) -> Any:
        scores, hidden = self.head(features)
        found = [own.flatten(2)[0].t()[score.flatten() > 0] for own, score in zip(hidden, scores)]
        return torch.cat(found)


class TwoStages(torch.nn.Module):
    """The structure of a detector: features, proposals whose number depends on the image, a head that sees each."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 8, 3))
        self.proposals = Choosing()
        self.box_head = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64))
        self.predictor = torch.nn.Linear(64, 4)

    def forward(self, images: Any) -> Any:
        features = self.backbone(images)
        chosen = self.proposals([features, torch.nn.functional.max_pool2d(features, 2)])
        boxes = self.predictor(self.box_head(chosen)).abs().cumsum(1)
        return [{"boxes": boxes, "labels": torch.ones(len(boxes), dtype=torch.long)}]


def test_all_parts_of_a_detector_are_taken(faster: None) -> None:
    torch.manual_seed(1)
    model = TwoStages().eval()
    # Another number of boxes in each image.
    images = [scale * torch.randn(1, 3, 24, 24) for scale in (1, 2, 3, 0)]
    for each in [*model.backbone, model.proposals.head.conv, model.proposals.head.score]:
        if isinstance(each, torch.nn.Conv2d):
            each.bias.data.zero_()  # nothing is found in nothing
    strata.optimize(model, [(each,) for each in images[:2]], engines=["onnxruntime"])
    assert set(model.strata.replaced()) == {"backbone", "proposals.head", "box_head", "predictor"}
    assert model.strata.receipt.quality == 1 and model.strata.receipt.quality_unit == "of the boxes matched"
    why = {each.module: each.why_not for each in model.strata.receipt.tried}
    assert "depends on the values of tensors" in why["proposals"] and "depends on the values" in why[""]
    counts = set()
    with torch.no_grad():
        for each in images:
            got, want = model(each), None
            counts.add(len(got[0]["boxes"]))
            calls = model.strata.calls()
            for name in model.strata.replaced():
                model.get_submodule(name).train()  # torch answers, and no module here trains differently
            want = model(each)
            model.eval()
            assert calls == model.strata.calls() and matched_boxes(want, got) == 1.0
    assert len(counts) > 2
    # Where there is no box, torch answers.
    assert 0 in counts
    assert all(set(each) <= {"training", "shape"} for each in model.strata.fallbacks().values())
    assert {name: each.get("shape") for name, each in model.strata.fallbacks().items() if "shape" in each} == {
        "box_head": 1, "predictor": 1}  # fmt: skip


def test_what_is_slow_has_few_turns() -> None:
    few = [speedup_of([1.5, 1.4, 1.6]), speedup_of([1.5, 1.01, 1.6])]
    assert few[0].is_likely and not few[0].is_sure and not few[1].is_likely
    assert not speedup_of([1.5, 1.4]).is_likely and not speedup_of([1.5] * 9 + [0.9]).least > 1
    assert "3 pairs" in str(few[0]) and "inf" not in str(few[0])


def test_torch_compile_is_a_candidate(faster: None, monkeypatch: Any) -> None:
    model = Small().eval()
    if not hasattr(torch, "compile"):
        strata.optimize(model, X, engines=["compile"])
        assert "no torch.compile" in model.strata.receipt.tried[0].why_not
        return
    compiled = torch.compile
    monkeypatch.setattr(torch, "compile", lambda what, **how: compiled(what, backend="eager", **how))
    strata.optimize(model, X, engines=["compile"])
    assert model.strata.replaced() == {"": "compile"}
    with torch.no_grad():
        answers_like_torch(model, None, X)
        answers_like_torch(model, "shape", torch.rand(2, 3, 8, 8))
        change_in_place(model)
        answers_like_torch(model, "weights", X)
    with pytest.raises(strata.StrataError, match="cannot be saved"):
        model.strata.save("nowhere")


class Uneven(torch.nn.Module):
    """One channel is much larger than the others, so that whole numbers cannot hold all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Sequential(*[torch.nn.Conv2d(size, 16, 3, padding=1) for size in (3, 16, 16)])
        self.fc = torch.nn.Linear(16, 10)
        with torch.no_grad():
            for each in (self.body[1].weight, self.body[1].bias):
                each[0] *= 10000
            self.body[2].weight[:, 0] /= 10000

    def forward(self, x: Any) -> Any:
        for each in self.body:
            x = torch.relu(each(x))
        return self.fc(x.mean((2, 3)))


@pytest.mark.parametrize("least, precision", [(5.0, "int8"), (40.0, "int8+fp32")])
def test_layers_that_int8_breaks_stay_in_fp32(faster: None, least: float, precision: str) -> None:
    torch.manual_seed(0)
    model = Uneven().eval()
    examples = [(torch.rand(1, 3, 16, 16),) for _ in range(9)]
    strata.optimize(model, examples, engines=["onnxruntime"], precisions=("int8",), min_quality=least)
    used = [each for each in model.strata.receipt.tried if not each.why_not]
    assert [each.precision for each in used] == [precision] and model.strata.receipt.quality >= least
    assert (model.strata.receipt.tried[0].quality < 40) and len(model.strata.receipt.tried) == (1 if least < 40 else 2)
    with torch.no_grad():
        x = torch.rand(1, 3, 16, 16)
        assert least - 5 < sqnr(plain(model, x), model(x)) < 100 and model.strata.calls() == {"": 1}


def test_rough_ways_are_given_up(faster: None) -> None:
    model = Small().eval()
    strata.optimize(model, X, engines=["onnxruntime"], judge=lambda want, got: 0.25, min_quality=1.0)
    assert model.strata.replaced() == {}
    assert "too rough with it: 0.25" in model.strata.receipt.tried[0].why_not
    assert "good enough" in model.strata.receipt.why_not


@pytest.mark.parametrize(
    "how, sentence",
    [({"precisions": ("int8",)}, "min_quality"), ({"precisions": ("fp31",)}, "fp31"), ({"engines": ["abacus"]}, "abacus")],
)
def test_mistakes_are_sentences(how: Any, sentence: str) -> None:
    model = Small().eval()
    try:
        strata.optimize(model, X, **how)
        said = str(model.strata.receipt)
    except strata.StrataError as error:
        said = str(error)
    assert sentence in said


def test_training_mode_is_refused() -> None:
    with pytest.raises(strata.StrataError, match="eval"):
        strata.optimize(Small(), X)


def test_interval_is_that_of_the_binomial_distribution() -> None:
    """The ranks of a published table of sign-test intervals (n = 6 … 20, 95 %), counted from 0."""
    table = {5: -1, 6: 0, 8: 0, 9: 1, 11: 1, 12: 2, 15: 3, 17: 4, 20: 5}
    assert {count: rank_for(count) for count in table} == table
    assert not speedup_of([2.0] * 5).is_sure and speedup_of([2.0] * 6).is_sure


def test_judges() -> None:
    assert sqnr(torch.tensor([3.0, 4.0]), torch.tensor([3.0, 4.05])) == pytest.approx(40, abs=1e-3)
    assert sqnr([torch.ones(2), 1], [torch.ones(2), 2]) == -float("inf")
    assert sqnr(torch.tensor([1.0, float("nan")]), torch.tensor([1.0, 2.0])) == -float("inf")
    box = {"boxes": torch.tensor([[0.0, 0, 10, 10]]), "labels": torch.tensor([1])}
    near = {"boxes": torch.tensor([[0.0, 0, 10, 9.5]]), "labels": torch.tensor([1])}  # 95 of 100 in common
    far = {"boxes": torch.tensor([[0.0, 0, 10, 8]]), "labels": torch.tensor([1])}
    other = {"boxes": near["boxes"], "labels": torch.tensor([2])}
    assert [matched_boxes([box], [each]) for each in (near, far, other)] == [1.0, 0.0, 0.0]
    more = {"boxes": torch.tensor([[0.0, 0, 10, 10], [50, 50, 60, 60]]), "labels": torch.tensor([1, 1])}
    assert matched_boxes([box], [more]) == 0.5
    mask = torch.zeros(1, 1, 4, 4)
    mask[..., :2] = 1
    masked, same, turned = ({**box, "masks": each} for each in (mask, 0.9 * mask, mask.transpose(2, 3)))
    assert [matched_boxes([masked], [each]) for each in (same, turned, box)] == [1.0, 0.0, 0.0]
