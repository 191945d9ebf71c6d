"""Training steps against FlopCounterMode, against arithmetic, and against real kernels."""
from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from recordings import Small, flops, operators, taken  # noqa: E402

import convolutional  # noqa: E402, I001

import strata  # noqa: E402

NEW = torch.__version__ >= "2"
NETWORKS = {"mobilenet_v2": (convolutional.MobileNetV2, (2, 3, 96, 96)),
            "resnet50": (lambda: convolutional.ResNet([3, 4, 6, 3], 4), (2, 3, 64, 64)),
            "small": (Small, (4, 3, 16, 16))}


@pytest.mark.parametrize("name", ["resnet50", "small"])
@pytest.mark.parametrize("mode", ["meta", "real"])
def test_flops_of_both_passes_are_torchs(name, mode):
    counter = pytest.importorskip("torch.utils.flop_counter")
    make, shape = NETWORKS[name]
    model = make().train()
    with counter.FlopCounterMode(display=False) as forward:
        loss = model(torch.rand(shape)).sum()
    with counter.FlopCounterMode(display=False) as backward:
        loss.backward()
    made = taken(model, shape, backward=True, mode=mode)
    assert made["mode"] == mode
    assert flops(made, 0) == forward.get_total_flops() > 0
    assert flops(made, 1) == backward.get_total_flops() > flops(made, 0)


@pytest.mark.parametrize("mode", ["meta", "real"])
def test_grouped_convolutions_by_arithmetic(mode):
    """torch's counter takes the gradients of grouped convolutions' weights for those of full ones."""
    make, shape = NETWORKS["mobilenet_v2"]
    made = taken(make().train(), shape, backward=True, mode=mode)
    # Twice the forward pass; only the gradient of the image is not needed: 32 channels of 3×3×3 at 48×48.
    assert flops(made, 1) == 2 * flops(made, 0) - 2 * 2 * 48 * 48 * 32 * 27


@pytest.mark.skipif(not NEW, reason="transformers needs a newer torch")
@pytest.mark.parametrize("name", ["bert", "llama", "vit"])
def test_transformers_flops_of_both_passes_are_torchs(name):
    import transformer
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    model, inputs = transformer.NETWORKS[name]()
    model.eval()
    with FlopCounterMode(display=False) as counted, sdpa_kernel(SDPBackend.MATH):
        list(model(**inputs).values())[0].sum().backward()
    made = taken(model, inputs, backward=True, plain=True, loss=lambda out: list(out.values())[0].sum())
    assert made["mode"] == "meta" and flops(made, 0, 1) == counted.get_total_flops()


@pytest.mark.skipif(not NEW, reason="transformers needs a newer torch")
@pytest.mark.parametrize("name", ["bert", "llama", "vit"])
def test_the_cores_macs_are_torchs_and_the_scores_once_more(name, monkeypatch):
    """The loss is the sum of all outputs, of bert's pooled one, too. Where torch's counter sees attention taken apart, a
    real run on the CPU has one kernel, which keeps no scores and computes them again for the backward pass."""
    import transformer
    from torch.nn import functional
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    model, inputs = transformer.NETWORKS[name]()
    model.eval()
    attention, scores = functional.scaled_dot_product_attention, []

    def watched(query, key, *rest, **more):
        scores.append(query.numel() * key.shape[-2])
        return attention(query, key, *rest, **more)

    monkeypatch.setattr(functional, "scaled_dot_product_attention", watched)
    with FlopCounterMode(display=False) as forward, sdpa_kernel(SDPBackend.MATH):
        outputs = [one for one in model(**inputs).values() if isinstance(one, torch.Tensor)]
    with FlopCounterMode(display=False) as backward, sdpa_kernel(SDPBackend.MATH):
        sum(one.sum() for one in outputs).backward()
    monkeypatch.undo()
    total = strata.stat(model, inputs, backward=True).total
    assert 2 * total.forward_macs == forward.get_total_flops() > 0
    assert scores and 2 * total.backward_macs == backward.get_total_flops() + 2 * sum(scores)


def test_the_cores_macs_of_grouped_convolutions_by_arithmetic():
    """torch's counter takes the gradients of grouped convolutions' weights for those of full ones."""
    make, shape = NETWORKS["mobilenet_v2"]
    total = strata.stat(make().train(), shape, backward=True).total
    assert total.backward_macs == 2 * total.forward_macs - 2 * 48 * 48 * 32 * 27
    if NEW:
        from torch.utils.flop_counter import FlopCounterMode

        model = make().train()
        with FlopCounterMode(display=False) as forward:
            loss = model(torch.rand(shape)).sum()
        with FlopCounterMode(display=False) as backward:
            loss.backward()
        assert 2 * total.forward_macs == forward.get_total_flops()
        assert 2 * total.backward_macs < backward.get_total_flops()


@pytest.mark.skipif(not NEW, reason="transformers needs a newer torch")
def test_work_on_constants_is_done_in_every_run():
    """DETR multiplies its learned queries by weights: constants, which an eager run computes each time."""
    import transformer
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    model, inputs = transformer.NETWORKS["detr"]()
    model.eval()
    with FlopCounterMode(display=False) as counted, sdpa_kernel(SDPBackend.MATH), torch.no_grad():
        model(**inputs)
    profile = strata.stat(model, inputs)
    assert 2 * profile.total.macs == counted.get_total_flops() and "load_work" not in profile.facts


@pytest.mark.parametrize("name", NETWORKS)
def test_without_values_is_as_with_values(name):
    make, shape = NETWORKS[name]
    model = make().train()
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    empty, real = (taken(model, shape, backward=True, optimizer=optimizer, mode=mode) for mode in ("meta", "real"))
    for member in ("modules", "storages", "saved", "gradients", "optimizer", "frees"):
        assert empty[member] == real[member], member
    assert [(call[0], call[3:]) for call in empty["calls"]] == [(call[0], call[3:]) for call in real["calls"]]


def test_backward_calls_belong_to_the_modules_of_the_forward_pass():
    made = taken(Small().train(), (4, 3, 16, 16), backward=True, optimizer=torch.optim.Adam)
    where = {}
    for name, _, _, _, module, phase in made["calls"]:
        where.setdefault((name, phase), set()).add(made["modules"][module][0])
    assert where["aten.convolution_backward.default", 1] == {"body.0"}
    assert where["aten.native_batch_norm_backward.default", 1] == {"body.1"}
    assert where["aten.threshold_backward.default", 1] == {"body.2"}
    assert where["aten.mm.default", 1] == {"head"}
    assert where["aten.div.Scalar", 1] == {""}  # of the mean, which is the network's own
    assert where["aten.addcdiv_.default", 2] == {"body.0", "body.1", "head"}


class Checkpointed(torch.nn.Module):
    def __init__(self, reentrant):
        super().__init__()
        self.reentrant = reentrant
        self.inside = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.Sigmoid(), torch.nn.Linear(6, 6))
        self.outside = torch.nn.Linear(6, 6)

    def forward(self, x):
        from torch.utils.checkpoint import checkpoint

        return self.outside(torch.relu(checkpoint(self.inside, x, use_reentrant=self.reentrant)))


@pytest.mark.parametrize("reentrant", [True, False])
@pytest.mark.parametrize("mode", ["meta", "real"])
def test_checkpoints_are_recomputed(reentrant, mode):
    made = taken(Checkpointed(reentrant), torch.rand(5, 6, requires_grad=True), backward=True, mode=mode)
    each = 2 * 5 * 6 * 6
    # Newer torch stops as soon as all that was kept is there again, which is before the last layer's product.
    stops = NEW and not reentrant
    assert (flops(made, 0), flops(made, 3)) == (3 * each, each if stops else 2 * each)
    products = [call for call in made["calls"] if call[0] == "aten.addmm.default" and call[5] == 3]
    assert {made["modules"][call[4]][0] for call in products} == ({"inside.0"} if stops else {"inside.0", "inside.2"})
    backward = [made["modules"][call[4]][0] for call in made["calls"] if call[0] == "aten.mm.default" and call[5] == 1]
    assert backward == ["outside"] * 2 + ["inside.2"] * 2 + ["inside.0"] * 2
    assert len(made["modules"]) == 6
    profile = strata.stat(Checkpointed(reentrant), torch.rand(5, 6, requires_grad=True), backward=True, mode=mode)
    assert profile.saved_activations
    assert not any(path.startswith("inside") for path in profile.saved_activations)


@pytest.mark.skipif(not NEW, reason="FlopCounterMode is new in 2.0")
@pytest.mark.parametrize("reentrant", [True, False])
def test_recomputed_flops_are_torchs(reentrant):
    from torch.utils.flop_counter import FlopCounterMode

    model, given = Checkpointed(reentrant), torch.rand(5, 6, requires_grad=True)
    with FlopCounterMode(display=False) as counted:
        model(given).sum().backward()
    assert flops(taken(model, given, backward=True), 0, 1, 3) == counted.get_total_flops()


def test_saved_activations_and_peaks_by_arithmetic():
    class Two(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(8, 16, bias=False), torch.nn.Linear(16, 4, bias=False)

        def forward(self, x):
            return self.second(self.first(x).sigmoid())

    model = Two()
    profile = strata.stat(model, torch.rand(10, 8), backward=True,
                          optimizer=lambda p: torch.optim.SGD(p, 0.1, momentum=0.9))
    # The first layer keeps its input, 10×8 floats; the network the sigmoid's result, 10×16, as the second does.
    assert profile.saved_activations == {"first": 10 * 8 * 4, "": 10 * 16 * 4}
    weights = 4 * (8 * 16 + 16 * 4)
    forward, backward, optimizer = profile.memory_by_phase
    assert "Peak of the optimizer's step" in str(profile)
    assert (forward.weights, forward.gradients, forward.optimizer_state) == (weights, 0, 0)
    # The peak of the forward pass: the input, the first layer's result, and the sigmoid of it.
    assert (forward.activations, forward.other) == (4 * (80 + 160), 4 * 160)
    assert forward.peak_bytes == weights + 4 * (80 + 160 + 160)
    assert (backward.phase, backward.weights, backward.optimizer_state) == ("backward", weights, 0)
    # In the end there is a gradient and a momentum for every weight, and no activation but the input and the output.
    assert optimizer[2:5] == (weights, weights, weights)
    assert optimizer.activations == 4 * 80 and optimizer.other <= 4 * (40 + 2)


def test_an_optimizer_of_the_users_is_left_alone():
    model = Small().train()
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.rand(4, 3, 16, 16)).sum().backward()
    optimizer.step()
    before = {name: value.clone() for name, value in optimizer.state[model.head.weight].items()
              if isinstance(value, torch.Tensor)}
    for mode in ("meta", "real"):
        made = taken(model, (4, 3, 16, 16), backward=True, optimizer=optimizer, mode=mode)
        assert made["optimizer"]["name"] == "Adam" and "aten.addcdiv_.default" in operators(made, 2)
    assert optimizer.param_groups[0]["params"][0] is next(model.parameters())
    for name, value in before.items():
        assert torch.equal(optimizer.state[model.head.weight][name], value)


def test_a_module_without_work_has_none_in_any_phase():
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Flatten(), torch.nn.Linear(4, 2))
    row = strata.stat(model, (1, 4), backward=True)["1"]
    assert row.type == "Flatten" and row.flops == 0
    assert row.forward_flops == row.backward_flops == row.optimizer_flops == 0


def test_nothing_to_train():
    from strata._record import RecordingError, record

    with pytest.raises(RecordingError, match="nothing to train"):
        record(torch.nn.ReLU(), (2, 3), backward=True)
