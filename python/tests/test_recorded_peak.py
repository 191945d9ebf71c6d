"""The peak of activations of a recorded network, against the storages of a real run of it."""
from __future__ import annotations

from typing import Any, Dict, List, Set

import pytest

torch = pytest.importorskip("torch")

from compat_networks import names, network  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils._pytree import tree_flatten  # noqa: E402

import strata  # noqa: E402


def tensors(value: Any) -> List[torch.Tensor]:
    return [leaf for leaf in tree_flatten(value)[0] if isinstance(leaf, torch.Tensor)]


def storage(tensor: torch.Tensor) -> Any:
    return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage().untyped()


class Storages(TorchDispatchMode):
    """Every storage that a run makes: alive from the operator that makes it to the last one that is given it."""

    def __init__(self, weights: List[torch.Tensor], inputs: List[torch.Tensor]) -> None:
        super().__init__()
        self.weights: Set[int] = {storage(tensor).data_ptr() for tensor in weights}
        self.kept = list(inputs)  # so that no address is used twice
        self.sizes: Dict[int, int] = {}
        self.first: Dict[int, int] = {}
        self.last: Dict[int, int] = {}
        self.step = -1
        for tensor in inputs:
            self.add(tensor, 0)

    def add(self, tensor: torch.Tensor, step: int) -> None:
        place = storage(tensor).data_ptr()
        if storage(tensor).nbytes() > 0 and place not in self.first and place not in self.weights:
            self.sizes[place] = storage(tensor).nbytes()
            self.first[place] = self.last[place] = step

    def read(self, value: Any) -> None:
        for tensor in tensors(value):
            if storage(tensor).data_ptr() in self.last:
                self.last[storage(tensor).data_ptr()] = self.step

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        made = func(*args, **(kwargs or {}))
        self.step += 1
        self.read((args, kwargs or {}))
        self.kept += tensors(made)
        for tensor in tensors(made):
            self.add(tensor, self.step)
        return made

    def peak(self) -> int:
        return max(sum(size for place, size in self.sizes.items() if self.first[place] <= step <= self.last[place])
                   for step in range(self.step + 1))  # fmt: skip


def peak_of_run(model: torch.nn.Module, inputs: List[torch.Tensor]) -> int:
    watched = Storages([*model.parameters(), *model.buffers()], inputs)
    with torch.no_grad(), watched:
        outputs = model(*inputs)
    watched.read(outputs)
    return watched.peak()


# These have no new part: all 20 of torchvision take half a minute.
LEFT_OUT = ("alexnet", "vgg11_bn", "resnet50", "resnext50_32x4d", "wide_resnet50_2", "googlenet", "inception_v3",
            "mnasnet1_0", "efficientnet_b0", "regnet_y_400mf", "convnext_tiny")  # fmt: skip


@pytest.mark.parametrize("name", [name for name in names() if name not in LEFT_OUT])
def test_peak_is_that_of_real_storages(name: str) -> None:
    model, inputs = network(name)
    found = strata.stat(model, inputs).facts["memory"]
    assert (found["peak_bytes"], found["certainty"]) == (peak_of_run(model, tensors(inputs)), "exact")


# Some losses add up their elements in place, and their result keeps all of the memory.
@pytest.mark.parametrize("loss", ["MSELoss", "SmoothL1Loss", "BCELoss", "SoftMarginLoss", "HuberLoss", "L1Loss"])
def test_peak_of_losses(loss: str) -> None:
    model, inputs = getattr(torch.nn, loss)(), [torch.rand(4, 100), torch.rand(4, 100)]
    assert strata.stat(model, tuple(inputs)).facts["memory"]["peak_bytes"] == peak_of_run(model, inputs)


@pytest.mark.parametrize("mode", ["meta", "real"])
@pytest.mark.parametrize("form", [{"mode": "sum"}, {"mode": "mean"}, {"mode": "max"}, {"mode": "sum", "padding_idx": 0},
                                  {"mode": "mean", "include_last_offset": True}], ids=str)  # fmt: skip
@pytest.mark.parametrize("trained", [True, False])
def test_peak_of_embedding_bags(form: Dict[str, Any], trained: bool, mode: str) -> None:
    """The CPU's kernel makes a list with one element too many, and leaves out what only others need."""
    model = torch.nn.EmbeddingBag(10, 5, **form).requires_grad_(trained)
    starts = [0, 4, 8, 12] if "include_last_offset" in form else [0, 4, 8]
    given = (torch.tensor([1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3]), torch.tensor(starts))
    assert strata.stat(model, given, mode=mode).facts["memory"]["peak_bytes"] == peak_of_run(model, list(given))


def test_literals_are_new_tensors() -> None:
    class Scales(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * torch.tensor([1.0, 2.0, 3.0, 4.0]) + torch.tensor(3)

    given = torch.rand(2, 4)
    found = strata.stat(Scales(), given).facts["memory"]["peak_bytes"]
    # The input, the product, and the four numbers.
    assert found == peak_of_run(Scales(), [given]) == 32 + 32 + 16


def test_a_fold_keeps_the_memory_of_its_input() -> None:
    class Folds(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.fold(torch.nn.functional.unfold(x, 3, padding=1), (8, 8), 3, padding=1)

    given = torch.rand(1, 3, 8, 8)
    real = peak_of_run(Folds(), [given])
    assert strata.stat(Folds(), given.to("meta")).facts["memory"]["peak_bytes"] == real == 2 * 4 * 27 * 64
    given.requires_grad_()
    steps = [strata.stat(Folds(), given, backward=True, mode=mode) for mode in ("meta", "real")]
    assert steps[0].memory_by_phase == steps[1].memory_by_phase


@pytest.mark.parametrize("scales", [True, False])
def test_statistics_of_norms_have_the_type_of_their_weights(scales: bool) -> None:
    model = torch.nn.Sequential(torch.nn.LayerNorm(4, elementwise_affine=scales), torch.nn.Softmax(-1)).bfloat16()
    given = torch.rand(40, 4).bfloat16()
    assert strata.stat(model, given).facts["memory"]["peak_bytes"] == peak_of_run(model, [given])


def test_attention_says_that_it_has_a_fast_path() -> None:
    class Attends(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = torch.nn.MultiheadAttention(16, 4, batch_first=True)

        def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return self.attention(x, y, y)[0]

    def noted(model: torch.nn.Module, *given: torch.Tensor) -> bool:
        return any("fast path" in note for note in strata.stat(model, given).notes)

    x, layer = torch.rand(2, 5, 16), torch.nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
    known = hasattr(torch.backends, "mha") and hasattr(torch.backends.mha, "set_fastpath_enabled")
    assert noted(layer.eval(), x) is known
    # In training, and for other keys than queries, there is none.
    assert not noted(layer.train(), x) and not noted(Attends().eval(), x, torch.rand(2, 7, 16))
