"""Recordings against torch: its own counter of FLOPs, its parameters, its modules, its real kernels."""
from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from recordings import Small, flops, operators, taken  # noqa: E402  (makes tests/pt2 importable)

import convolutional  # noqa: E402, I001


def networks():
    yield "mobilenet_v2", convolutional.MobileNetV2(), (2, 3, 96, 96)
    yield "resnet50", convolutional.ResNet([3, 4, 6, 3], 4), (1, 3, 64, 64)
    yield "alexnet", convolutional.AlexNet(), (1, 3, 224, 224)
    yield "small", Small(), (4, 3, 17, 19)


NETWORKS = {name: (model, shape) for name, model, shape in networks()}


def transformers_networks():
    if torch.__version__ < "2":
        return {}
    import transformer

    return transformer.NETWORKS


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("training", [False, True])
def test_flops_are_torchs(name, training):
    counter = pytest.importorskip("torch.utils.flop_counter")
    model, shape = NETWORKS[name]
    model.train(training)
    with counter.FlopCounterMode(display=False) as counted, torch.no_grad():
        model(torch.rand(shape))
    assert flops(taken(model, shape)) == counted.get_total_flops() > 0


@pytest.mark.parametrize("name", NETWORKS)
def test_parameters_and_modules_are_torchs(name):
    model, shape = NETWORKS[name]
    recording = taken(model.eval(), shape)
    names = {name: list(value.shape) for name, value in model.named_parameters()}
    assert {row[1]: recording["tensors"][row[0]][1] for row in recording["parameters"]} == names
    assert {row[1] for row in recording["buffers"]} == dict(model.named_buffers()).keys()
    paths = dict(model.named_modules())
    assert all(type(paths[path]).__name__ == kind for path, kind, _, _ in recording["modules"])
    assert {path for path, *_ in recording["modules"]} == set(paths)
    for path, _, parent, _ in recording["modules"][1:]:
        assert path.startswith(recording["modules"][parent][0])


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("training", [False, True])
def test_without_values_is_as_with_values(name, training):
    """The same calls on the same tensors as a run of the real kernels records."""
    model, shape = NETWORKS[name]
    model.train(training)
    empty, real = taken(model, shape), taken(model, shape, mode="real")
    assert (empty["mode"], real["mode"]) == ("meta", "real")
    assert_same(empty, real)
    assert empty["frees"] == real["frees"] and empty["storages"] == real["storages"]


def assert_same(empty, real):
    for one, other in zip(empty["calls"], real["calls"]):
        assert one[0] == other[0] and one[3:] == other[3:]
        for number, same in zip(one[3], other[3]):
            if number is not None:
                assert empty["tensors"][number][:2] == real["tensors"][same][:2], one[0]
    for member in ("modules", "parameters", "buffers", "inputs", "outputs", "leaves"):
        assert empty[member] == real[member], member
    assert len(empty["calls"]) == len(real["calls"]) > 0


@pytest.mark.skipif(torch.__version__ < "2", reason="torch 1.13 has no fake tensors that can be relied on")
@pytest.mark.parametrize("name", ["mobilenet_v2", "small"])
def test_fake_tensors_are_as_real_ones(name):
    model, shape = NETWORKS[name]
    model.eval()
    fake, real = taken(model, shape, mode="fake"), taken(model, shape, mode="real")
    assert fake["mode"] == "fake" and operators(fake) == operators(real) and flops(fake) == flops(real)
    assert fake["parameters"] == real["parameters"] and fake["modules"] == real["modules"]


@pytest.mark.parametrize("name", NETWORKS)
def test_shortcuts_change_nothing(name):
    from strata._record import record

    model, shape = NETWORKS[name]
    model.eval()
    first, again = record(model, shape), record(model, shape)
    assert first == again == record(model, shape, plain=True)


@pytest.mark.parametrize("change, dtype, shape", [
    (lambda model: model.double(), "float64", [2, 5]),
    (lambda model: setattr(model, "head", torch.nn.Linear(8, 7)), "float32", [2, 7]),
    (lambda model: setattr(model.head, "weight", torch.nn.Parameter(torch.rand(9, 8)))
     or setattr(model.head, "bias", None), "float32", [2, 9]),
    (lambda model: model.body.append(torch.nn.Conv2d(8, 8, 1)) if hasattr(model.body, "append") else None, "float32",
     [2, 5]),
    (lambda model: setattr(model.body[0], "stride", (4, 4)), "float32", [2, 5]),
    (lambda model: model.head.requires_grad_(False), "float32", [2, 5]),
    (lambda model: model.to(memory_format=torch.channels_last), "float32", [2, 5]),
    (lambda model: model.head.register_forward_hook(lambda *given: given[2] * 2), "float32", [2, 5]),
])
def test_a_model_that_changes_between_recordings(change, dtype, shape):
    """Data kept from the first recording does not show in the second."""
    import copy

    model, given = Small().eval(), (2, 3, 32, 32)
    taken(model, given)
    change(model)
    again = taken(model, given)
    assert again == taken(copy.deepcopy(model), given, plain=True)
    real = taken(model, given, mode="real")
    assert operators(again) == operators(real) and flops(again) == flops(real)
    assert again["tensors"][again["outputs"][0][0]][:2] == [dtype, shape]
    assert [row[3] for row in again["parameters"]] == [one.requires_grad for one in model.parameters()]


@pytest.mark.parametrize("name", transformers_networks())
def test_transformers_without_values_are_as_with_values(name):
    model, inputs = transformers_networks()[name]()
    model.eval()
    empty, real = taken(model, inputs), taken(model, inputs, mode="real")
    assert empty["mode"] == "meta" and not empty["notes"]
    if name == "mixtral":  # it counts its experts' rows in another type where the device is not the CPU
        assert operators(empty) == operators(real)
    else:
        assert_same(empty, real)


@pytest.mark.parametrize("name", sorted(set(transformers_networks()) - {"mixtral"}))
def test_transformers_flops_are_torchs(name):
    """With attention taken apart, so that the counter sees its products; the CPU's fused kernel it counts as 0."""
    from torch.utils.flop_counter import FlopCounterMode

    model, inputs = transformers_networks()[name]()
    model.eval()
    recorded = taken(model, inputs)
    with FlopCounterMode(display=False) as counted, \
            torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        model(**inputs)
    assert flops(recorded) == counted.get_total_flops() > 0


def test_a_model_on_the_meta_device_of_seven_billion_parameters():
    hf = pytest.importorskip("transformers")
    with torch.device("meta"):
        model = hf.LlamaForCausalLM(hf.LlamaConfig()).eval()
        ids = torch.zeros(1, 16, dtype=torch.long)
    recording = taken(model, {"input_ids": ids})
    count = 0
    for number, *_ in recording["parameters"]:
        elements = 1
        for size in recording["tensors"][number][1]:
            elements *= size
        count += elements
    assert count == sum(parameter.numel() for parameter in model.parameters()) == 6_738_415_616
    assert recording["mode"] == "meta"
