"""strata.optimize: whatever a call is like, its answer is torch's. torch itself is the oracle throughout."""

from __future__ import annotations

import copy
import io
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest

from optimized import Small, X, answers_like_torch, engine_names, fast, plain, replace_weight, replaced  # noqa: F401 (a fixture)

import torch
from strata._optimize._export import export
from strata._optimize._flat import Call
from strata._optimize._forward import EngineForward
from strata._optimize._sessions import open_session


def test_the_engine_answers(fast: Any) -> None:
    with torch.no_grad():
        answers_like_torch(fast, None, X)
    with torch.inference_mode():
        answers_like_torch(fast, None, X)


def test_gradients_are_torchs(fast: Any) -> None:
    answers_like_torch(fast, "grad", X)
    for each in fast.parameters():
        each.requires_grad_(False)
    x = X.clone().requires_grad_()
    answers_like_torch(fast, "grad", x)


def test_training_is_torchs(fast: Any) -> None:
    fast.train()
    with torch.no_grad():
        fast(X)
    assert fast.strata.fallbacks() == {"": {"training": 1}}


def test_autocast_is_torchs(fast: Any) -> None:
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        answers_like_torch(fast, "autocast", X)


def test_other_sizes_and_types_are_torchs(fast: Any) -> None:
    with torch.no_grad():
        answers_like_torch(fast, "shape", torch.rand(2, 3, 8, 8))
        answers_like_torch(fast, "shape", torch.rand(1, 3, 9, 8))
        fast.double()
        answers_like_torch(fast, "dtype", X.double())


def test_other_arguments_are_torchs(fast: Any) -> None:
    with torch.no_grad():
        answers_like_torch(fast, "arguments", X, 2.0)
        answers_like_torch(fast, "arguments", X, scale=1.0)


def test_channels_last_is_copied(fast: Any) -> None:
    x = torch.rand(1, 3, 8, 8)
    with torch.no_grad():
        answers_like_torch(fast, None, x.contiguous(memory_format=torch.channels_last))
        answers_like_torch(fast, None, x.transpose(2, 3))


def test_negated_views_are_read_right(fast: Any) -> None:
    with torch.no_grad():
        answers_like_torch(fast, None, torch._neg_view(X))


class Chooses(torch.nn.Module):
    """Rows of weights, by numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.fc = torch.nn.Embedding(10, 8), torch.nn.Linear(8, 4)

    def forward(self, ids: Any) -> Any:
        return self.fc(self.words(ids)), self.fc.weight[ids % 4]


class Biggest(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, x: Any) -> Any:
        return torch.relu(torch.nn.functional.max_pool2d(self.conv(torch.relu(x)), 2))


@pytest.mark.parametrize("engine", engine_names())
def test_nan_goes_through_torch(tmp_path: Path, engine: str) -> None:
    fast = replaced(Biggest().eval(), tmp_path, engine)
    x = torch.rand(1, 3, 8, 8)
    x[0, 0, 0, 0] = float("nan")
    with torch.no_grad():
        got, want = fast(x), plain(fast, x)
        assert want.isnan().any() and torch.equal(got.isnan(), want.isnan())
        assert fast.strata.fallbacks() == {"": {"values": 1}}
        fast(torch.full((1, 3, 8, 8), float("inf")).clamp(max=1e30))
    assert fast.strata.fallbacks() == {"": {"values": 1}}


@pytest.mark.parametrize("engine", engine_names())
def test_numbers_out_of_range_are_torchs(tmp_path: Path, engine: str) -> None:
    model = Chooses().eval()
    with torch.no_grad():
        first = Call((torch.tensor([1, 2]),), {}, model(torch.tensor([1, 2])))
        exported = export(model, [first], str(tmp_path / "m.onnx"))
        fast = EngineForward(model, exported, open_session(engine, exported.path, "fp32", 1))
        for good in ([0, 9], [3, 3]):
            assert torch.allclose(fast(torch.tensor(good))[0], model(torch.tensor(good))[0], atol=1e-6)
        assert not fast.fallbacks
        for bad in ([1, 10], [-1, 2], [2**40, 0]):
            with pytest.raises(IndexError):
                fast(torch.tensor(bad))
    assert fast.fallbacks == {"values": 3}


class Doubles(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)

    def forward(self, x: Any, i: Any) -> Any:
        return self.fc(x), 2 * i + 1


def test_whole_numbers_beyond_the_engines_are_torchs(tmp_path: Path) -> None:
    pytest.importorskip("openvino")  # which computes with 32 bits
    model, x = Doubles().eval(), torch.rand(1, 4)
    with torch.no_grad():
        call = (x, torch.tensor([3]))
        exported = export(model, [Call(call, {}, model(*call))], str(tmp_path / "m.onnx"))
        fast = EngineForward(model, exported, open_session("openvino", exported.path, "fp32", 1))
        assert fast(x, torch.tensor([5]))[1].item() == 11 and not fast.fallbacks
        assert fast(x, torch.tensor([2**40]))[1].item() == 2**41 + 1
        assert fast(x, torch.tensor([2**30]))[1].item() == 2**31 + 1
    assert fast.fallbacks == {"values": 2}


def test_transforms_and_modes_see_torch(fast: Any) -> None:
    """Whatever watches or changes torch's operators meets them."""
    from torch.autograd import forward_ad
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Watching(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with torch.no_grad():
        with Watching():
            fast(X)
        assert any("convolution" in each for each in seen)
        with forward_ad.dual_level():
            tangent = torch.ones_like(X)
            got = forward_ad.unpack_dual(fast(forward_ad.make_dual(X, tangent))).tangent
            want = forward_ad.unpack_dual(plain(fast, forward_ad.make_dual(X, tangent))).tangent
            assert want is not None and torch.allclose(got, want)
        if hasattr(torch, "func"):
            several = torch.rand(3, 1, 3, 8, 8)
            assert torch.allclose(torch.func.vmap(fast)(several), torch.func.vmap(lambda x: plain(fast, x))(several), atol=1e-5)
    assert fast.strata.calls() == {"": 0}
    with torch.no_grad():
        answers_like_torch(fast, None, X)


class Turned(torch.nn.Module):
    """Its answer does not lie in memory in the order of its axes."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(8, 6)

    def forward(self, x: Any) -> Any:
        return self.fc(x).permute(2, 0, 1)


def test_answers_lie_in_memory_as_torchs(tmp_path: Path) -> None:
    fast = replaced(Turned().eval(), tmp_path, shapes=((2, 3, 8),))
    x = torch.rand(2, 3, 8)
    with torch.no_grad():
        got, want = fast(x), plain(fast, x)
        assert fast.strata.calls() == {"": 1}
        assert torch.allclose(got, want, atol=1e-6) and got.stride() == want.stride()
        assert got.permute(1, 2, 0).view(-1).shape == (36,)


def test_gradients_that_are_wanted_later_are_torchs(tmp_path: Path) -> None:
    fast = replaced(Small().eval().requires_grad_(False), tmp_path)
    answers_like_torch(fast, None, X)
    fast.fc.weight.requires_grad_()
    assert fast(X).requires_grad


def test_tracing_sees_torch(fast: Any) -> None:
    with torch.no_grad():
        traced = torch.jit.trace(fast, X)
        assert torch.allclose(traced(X), plain(fast, X), atol=1e-6)
    assert "aten::_convolution" in str(traced.inlined_graph)


def test_copies_run_in_torch(fast: Any) -> None:
    with torch.no_grad():
        copied = copy.deepcopy(fast)
        replace_weight(copied)
        assert torch.equal(copied(X), plain(copied, X))
        answers_like_torch(fast, None, X)
        for other in (pickle.loads(pickle.dumps(fast)), saved_by_torch(fast)):
            assert torch.allclose(other(X), plain(fast, X))
            replace_weight(other)
            assert torch.equal(other(X), plain(other, X))
            assert other.strata is None


def saved_by_torch(model: Any) -> Any:
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    return torch.load(file, weights_only=False) if torch.__version__ >= "2" else torch.load(file)


def test_state_stays_what_it_is(fast: Any) -> None:
    assert list(fast.state_dict()) == list(Small().state_dict())
    assert isinstance(fast, Small)


def test_threads_have_their_own_answers(fast: Any) -> None:
    inputs = [torch.rand(1, 3, 8, 8) for _ in range(4)]
    with torch.no_grad():
        wants = [plain(fast, x) for x in inputs]
    wrong = []

    def work(number: int) -> None:
        with torch.no_grad():
            for _ in range(50):
                if not torch.allclose(fast(inputs[number]), wants[number], atol=1e-5):
                    wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == [] and fast.strata.fallbacks() == {}


def test_answers_stay_when_the_next_is_given(fast: Any) -> None:
    with torch.no_grad():
        first = fast(X)
        kept = first.clone()
        for _ in range(3):
            fast(torch.rand(1, 3, 8, 8))
        assert torch.equal(first, kept)


def test_restored_it_is_torch(fast: Any) -> None:
    fast.strata.restore()
    assert "forward" not in fast.__dict__
    with torch.no_grad():
        assert torch.equal(fast(X), plain(fast, X))
