"""The native core's counts of recordings, against torch's counter, torch's parameters and the exported program."""
from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from recordings import Small, flops, taken  # noqa: E402

import convolutional  # noqa: E402, I001
import strata  # noqa: E402

NEW = torch.__version__ >= "2"
CONVOLUTIONAL = {"mobilenet_v2": (convolutional.MobileNetV2, (1, 3, 96, 96)), "small": (Small, (2, 3, 17, 19)),
                 "resnet50": (lambda: convolutional.ResNet([3, 4, 6, 3], 4), (1, 3, 64, 64))}


def networks():
    for name, (make, shape) in CONVOLUTIONAL.items():
        yield name, lambda make=make: make().eval(), shape
    if NEW:
        import transformer

        for name in ("bert", "gpt2", "llama", "vit", "swin", "whisper"):
            yield name, lambda name=name: transformer.NETWORKS[name]()[0].eval(), transformer.NETWORKS[name]()[1]


NETWORKS = {name: (make, inputs) for name, make, inputs in networks()}


@pytest.mark.parametrize("name", NETWORKS)
def test_macs_and_parameters(name):
    make, inputs = NETWORKS[name]
    model = make()
    profile = strata.stat(model, inputs)
    assert profile.total.params == sum(parameter.numel() for parameter in model.parameters())
    assert 2 * profile.total.macs == flops(taken(model, inputs))  # which test_record_networks.py holds against torch


@pytest.mark.skipif(not NEW, reason="torch.export is new in 2.1")
@pytest.mark.parametrize("name", ["mobilenet_v2", "resnet50", "bert", "vit"])
def test_the_exported_program_has_the_same_numbers(name, tmp_path):
    make, inputs = NETWORKS[name]
    model = make()
    given = ((), inputs) if isinstance(inputs, dict) else ((torch.rand(inputs),), {})
    torch.export.save(torch.export.export(model, *given), tmp_path / "model.pt2")
    recorded, exported = strata.stat(model, inputs), strata.stat(str(tmp_path / "model.pt2"))
    assert (recorded.total.macs, recorded.total.params) == (exported.total.macs, exported.total.params)


@pytest.mark.parametrize("name", CONVOLUTIONAL)
def test_a_training_step(name):
    make, shape = CONVOLUTIONAL[name]
    model = make().train()
    profile = strata.stat(model, (2, *shape[1:]), backward=True, optimizer=torch.optim.Adam)
    step = taken(model, (2, *shape[1:]), backward=True)
    assert 2 * profile.total.macs == flops(step, 0, 1)


def test_times_are_in_the_table_and_add_up():
    profile = strata.stat(Small().eval(), (2, 3, 17, 19), timing=True)
    assert profile.rows[-1].layer == "outside layers"
    assert sum(row.time or 0 for row in profile.rows) == pytest.approx(profile.total.time)
    assert profile["body.0"].time > 0 and "Time" in str(profile)
    assert profile.facts["timing"]["recorded_runs"] >= 1
