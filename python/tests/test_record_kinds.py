"""Whatever runs can be recorded: each kind of model has its test."""
from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from recordings import Small, flops, operators, taken  # noqa: E402

from strata._record import RecordingError, record, recording  # noqa: E402

NEW = torch.__version__ >= "2"


def test_a_function():
    def two_layers(x, weight):
        return torch.relu(x @ weight)

    made = taken(two_layers, [(2, 3), (3, 5)])
    assert made["modules"] == [["", "two_layers", -1, 0]] and made["name"] == "two_layers"
    assert [name for _, name in made["inputs"]] == ["x", "weight"] and flops(made) == 2 * 2 * 3 * 5


@pytest.mark.parametrize("mode", ["meta", "real"])
def test_a_function_that_uses_a_module(mode):
    model = Small().eval()
    made = taken(lambda x: model(x) + 1, (2, 3, 16, 16), mode=mode)
    assert [row[:3] for row in made["modules"][:3]] == [["", "<lambda>", -1], ["<Small>", "Small", 0],
                                                        ["<Small>.body", "Sequential", 1]]
    assert {row[1]: made["tensors"][row[0]][1] for row in made["parameters"]} == {
        f"<Small>.{name}": list(one.shape) for name, one in model.named_parameters()}
    assert flops(made) == flops(taken(model, (2, 3, 16, 16)))


def test_shared_modules_are_called_several_times():
    class Shares(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = self.second = torch.nn.Linear(4, 4)

        def forward(self, x):
            return self.second(self.first(x))

    made = taken(Shares(), (2, 4))
    assert made["modules"] == [["", "Shares", -1, 0], ["first", "Linear", 0, 0], ["first", "Linear", 0, 1]]
    assert [row[1] for row in made["parameters"]] == ["first.weight", "first.bias"]
    assert flops(made) == 2 * 2 * 2 * 4 * 4


def test_a_loop_that_looks_at_values_falls_back_to_real_tensors():
    def halve(x):
        while x.sum() > 1:
            x = x / 2
        return x

    made = taken(halve, torch.full((5000,), 16 / 5000))
    assert made["mode"] == "real" and len(made["notes"]) == 1 and "without values" in made["notes"][0]
    assert operators(made).count("aten.div.Tensor") == 4
    with pytest.raises(RecordingError, match=r"item\(\)"):
        record(halve, (5000,), mode="meta")


def test_masks_and_positions_keep_their_values():
    def packed(x, ids):
        positions = torch.arange(x.shape[0], device=x.device)
        return x[ids] if (positions[1:] > positions[:-1]).all() and ids.sum() > 3 else x

    made = taken(packed, [(3, 2), torch.tensor([0, 1, 2, 2])])
    assert made["mode"] == "meta" and made["tensors"][made["outputs"][0][0]][1] == [4, 2]


def test_what_is_written_over_known_values_is_not_taken_for_known():
    def looks(x):
        total = torch.zeros(3)
        total += x.sum(0)
        return x if total.sum() > 2 else x * 2

    assert taken(looks, torch.ones(5000, 3))["mode"] == "real"
    assert "aten.mul.Tensor" not in operators(taken(looks, torch.ones(5000, 3)))


def test_data_dependent_sizes():
    made = taken(lambda x: x[x > 0.5].unique(), torch.tensor([0.1, 0.6, 0.7, 0.6]))
    assert made["tensors"][made["outputs"][0][0]][1] == [2]


def test_custom_autograd_functions():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    made = taken(lambda x: Double.apply(x) + 1, (2, 3))
    assert operators(made) == ["aten.mul.Tensor", "aten.add.Tensor"]


@pytest.mark.skipif(not NEW, reason="torch 1.13 cannot make subclasses below a dispatch mode")
def test_tensor_subclasses_that_only_have_a_name():
    class Plain(torch.Tensor):
        pass

    assert operators(taken(torch.relu, torch.rand(2, 3).as_subclass(Plain)))[0] == "aten.relu.default"


def test_tensor_subclasses():
    class Wrapped(torch.Tensor):
        @staticmethod
        def __new__(cls, inner):
            return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

        def __init__(self, inner):
            self.inner = inner

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            values = [value.inner if isinstance(value, cls) else value for value in args]
            return cls(func(*values, **(kwargs or {})))

    made = taken(lambda x: torch.relu(Wrapped(x)).inner, (2, 3), mode="real")
    assert operators(made) == ["aten.relu.default"]


def test_dynamically_quantized_modules():
    model = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2)).eval()
    quantized = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
    made = taken(quantized, (3, 6))
    calls = [call for call in made["calls"] if "linear_dynamic" in call[0]]
    assert made["mode"] == "real" and len(calls) == 2
    inside = [[made["tensors"][one["t"]][:2] for one in call[1][1]] for call in calls]
    assert inside == [[["qint8", [4, 6]], ["float32", [4]]], [["qint8", [2, 4]], ["float32", [2]]]]


def test_modules_wrapped_as_lora_does():
    class LoRA(torch.nn.Module):
        def __init__(self, base, rank):
            super().__init__()
            self.base, self.a = base.requires_grad_(False), torch.nn.Linear(base.in_features, rank, bias=False)
            self.b = torch.nn.Linear(rank, base.out_features, bias=False)

        def forward(self, x):
            return self.base(x) + self.b(self.a(x))

    made = taken(LoRA(torch.nn.Linear(6, 4), 2), (3, 6))
    assert flops(made) == 2 * 3 * (6 * 4 + 6 * 2 + 2 * 4)
    assert {row[1]: row[3] for row in made["parameters"]} == {
        "base.weight": False, "base.bias": False, "a.weight": True, "b.weight": True}


@pytest.mark.skipif(not NEW, reason="torch.compile is new in 2.0")
def test_compiled_modules_are_recorded_as_their_original():
    model = Small().eval()
    want = record(model, (1, 3, 16, 16))
    assert record(torch.compile(model), (1, 3, 16, 16)) == want
    inner = Small().eval()
    inner.body = torch.compile(inner.body)
    assert taken(inner, (1, 3, 16, 16))["modules"] == taken(model, (1, 3, 16, 16))["modules"]
    in_place = Small().eval()
    in_place.compile()
    assert record(in_place, (1, 3, 16, 16)) == want
    compiled = torch.compile(torch.relu)
    assert operators(taken(lambda x: compiled(x), (2, 2))) == ["aten.relu.default"]


def test_script_modules():
    model = Small().eval()
    traced = torch.jit.trace(model, torch.rand(1, 3, 16, 16))
    made = taken(traced, (1, 3, 16, 16))
    assert made["name"] == "Small" and flops(made) == flops(taken(model, (1, 3, 16, 16)))
    assert {row[1] for row in made["parameters"]} == dict(model.named_parameters()).keys()
    where = {call[0]: made["modules"][call[4]][:2] for call in made["calls"]}
    assert where["aten._convolution.default"] == ["body.0", "Conv2d"]
    assert where["aten.addmm.default"] == ["head", "Linear"]
    assert where["aten.native_batch_norm.default"] == ["body.1", "BatchNorm2d"] and where["aten.relu_.default"][0] == ""
    assert "does not say which modules run" in made["notes"][0]


@pytest.mark.skipif(not NEW, reason="torch.export is new in 2.1")
def test_exported_programs():
    model = Small().eval()
    program = torch.export.export(model, (torch.rand(1, 3, 16, 16),))
    made = taken(program, (1, 3, 16, 16))
    assert flops(made) == flops(taken(model, (1, 3, 16, 16)))
    assert {"body.0", "head"} <= {path for path, *_ in made["modules"]}


def test_encoder_layers_are_not_fused():
    layer = torch.nn.TransformerEncoderLayer(16, 4, 32, batch_first=True).eval()
    made = taken(torch.nn.TransformerEncoder(layer, 2), (2, 5, 16), mode="real" if NEW else "meta")
    assert "aten._transformer_encoder_layer_fwd.default" not in operators(made)
    # Per layer and token: four projections of 16×16 and two of 16×32; attention: two products of 5×5 by 16.
    assert flops(made) == 2 * 2 * 10 * (4 * 16 * 16 + 2 * 16 * 32) + 2 * 2 * 2 * 2 * 5 * 5 * 16


def test_autocast_is_recorded_with_real_tensors():
    def half(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return torch.nn.Linear(4, 4)(x)

    made = taken(half, (2, 4))
    assert made["mode"] == "real" and made["tensors"][made["outputs"][0][0]][0] == "bfloat16"


def test_leaf_modules_without_operators():
    made = taken(torch.nn.Sequential(torch.nn.Identity(), torch.nn.Dropout(0.5)).eval(), (2, 3))
    x = made["inputs"][0][0]
    assert made["leaves"] == [[1, [x], [x], 0], [2, [x], [x], 0]] and made["calls"] == []


def test_blocks_of_code():
    model = Small().eval()
    with recording(model) as block:
        model(torch.rand(1, 3, 16, 16)).sum().backward()
    from strata._record.written import written_out

    made = written_out(block.json())
    assert "aten.convolution_backward.default" in operators(made)
    assert ["body.0", "Conv2d"] in [row[:2] for row in made["modules"]]
    assert model.head.weight.grad is not None


@pytest.mark.parametrize("model, inputs, sentence", [
    (torch.nn.Linear(3, 4), (2, 5), "the model cannot be run in module Linear: "),
    (Small(), (1, 3, -4, 4), "negative size"),
    (7, (1,), "a int cannot be run"),
    (torch.nn.LazyLinear(4), (2, 5), "weight has no size yet: run the model once"),
    (lambda x: x.missing, (2,), "has no attribute 'missing'"),
    (lambda x: x.cuda(), (2,), "CUDA"),
    (lambda x: x + torch.empty(1 << 46), (2,), "there is not enough memory to run the model"),
])
def test_one_sentence(model, inputs, sentence):
    with pytest.raises(RecordingError, match=sentence):
        record(model, inputs)


class Passing(torch.nn.Module):
    """Gives its identities what is not a tensor, as networks with optional parts do."""

    def __init__(self) -> None:
        super().__init__()
        self.pass_on, self.head = torch.nn.Identity(), torch.nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        assert self.pass_on(None) is None and self.pass_on(3) == 3
        x, _ = self.pass_on((x, None))
        return self.head(self.pass_on({"x": x})["x"])


def test_identities_may_be_given_anything():
    plain, meta = taken(Passing(), (2, 4), mode="real"), taken(Passing(), (2, 4), mode="meta")
    assert [leaf[0] for leaf in meta["leaves"]] == [leaf[0] for leaf in plain["leaves"]] == [1, 2, 3, 4]
    assert operators(meta) == operators(plain)
    assert not meta["notes"]
