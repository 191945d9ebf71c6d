"""A model is left exactly as it was: each kind of state has its test, in every mode."""
from __future__ import annotations

import collections
import copy
import random

import pytest

torch = pytest.importorskip("torch")

from recordings import Small, taken  # noqa: E402

import strata  # noqa: E402
from strata._record import RecordingError, record  # noqa: E402

MODES = ["meta", "real"]
SHAPE = (4, 3, 16, 16)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("backward", [False, True])
def test_parameters_and_buffers(mode, training, backward):
    model = Small().train(training)
    tensors = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    before = {name: (tensor.clone(), tensor._version, tensor.requires_grad) for name, tensor in tensors.items()}
    record(model, SHAPE, mode=mode, backward=backward)
    after = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    for name, (values, version, grad) in before.items():
        assert after[name] is tensors[name] and torch.equal(after[name], values), name
        assert (after[name].requires_grad, after[name].grad) == (grad, None)
        assert after[name]._version == version or torch.__version__ < "2"  # 1.13 cannot set it back
        assert not hasattr(after[name], "_strata")
    assert all(module.training == training for module in model.modules())


@pytest.mark.parametrize("mode", MODES)
def test_parameters_that_the_model_itself_writes_to(mode):
    class Writes(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(3))
            self.plain = torch.zeros(3)

        def forward(self, x):
            self.weight.data.mul_(2)
            self.plain[1:].add_(1)
            return x * self.weight

    model = Writes()
    record(model, (2, 3), mode=mode)
    assert model.weight.tolist() == [1, 1, 1] and model.plain.tolist() == [0, 0, 0]


@pytest.mark.parametrize("mode", MODES)
def test_inputs(mode):
    given = torch.zeros(2, 3)
    record(lambda x: x.add_(1), given, mode=mode)
    assert given.tolist() == [[0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("mode", MODES)
def test_random_numbers(mode):
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.5)).train()
    torch.manual_seed(3)
    random.seed(3)
    want = torch.rand(3), random.random()
    torch.manual_seed(3)
    random.seed(3)
    record(lambda x: model(x) + torch.rand(4) + random.random(), (2, 4), mode=mode)
    assert torch.equal(torch.rand(3), want[0]) and random.random() == want[1]


@pytest.mark.parametrize("mode", MODES)
def test_attributes_and_lists(mode):
    class Keeps(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.seen, self.last, self.by_name = torch.nn.Linear(3, 3), [1], None, {}

        def forward(self, x):
            self.last = self.linear(x)
            self.seen.append(self.last)
            self.by_name["x"] = x
            self.new = 1
            return self.last

    model = Keeps()
    names = list(model.__dict__)
    record(model, (2, 3), mode=mode)
    assert (model.seen, model.last, model.by_name) == ([1], None, {}) and list(model.__dict__) == names


@pytest.mark.parametrize("mode", MODES)
def test_hooks_run_and_stay(mode):
    model, seen = Small().eval(), []
    handle = model.head.register_forward_hook(lambda module, given, result: seen.append(tuple(result.shape)))
    call = torch.nn.Module.__call__
    record(model, SHAPE, mode=mode)
    assert seen == [(4, 5)] and torch.nn.Module.__call__ is call
    assert [len(module._forward_hooks) for module in model.modules()].count(1) == 1
    handle.remove()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("backward", [False, True])
def test_a_run_that_fails_leaves_everything_too(mode, backward):
    class Fails(Small):
        def forward(self, x):
            super().forward(x)
            self.body[1].running_mean.add_(5)
            raise ValueError("no further")

    model = Fails().train()
    state = copy.deepcopy(model.state_dict())
    call = torch.nn.Module.__call__
    with pytest.raises(RecordingError, match="no further") as caught:
        record(model, SHAPE, mode=mode, backward=backward)
    assert caught.value.frame.startswith("test_record_leaves_alone.py:")
    assert isinstance(caught.value.__cause__, ValueError)
    assert torch.nn.Module.__call__ is call and torch.is_grad_enabled()
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, state[name]), name


def test_other_threads_are_not_recorded():
    import threading

    other, stop = torch.nn.Linear(3, 3), threading.Event()

    def run():
        while not stop.is_set():
            other(torch.rand(2, 3))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        recordings = [taken(Small().eval(), SHAPE, mode=mode) for mode in MODES for _ in range(3)]
    finally:
        stop.set()
        thread.join()
    assert {len(recording["modules"]) for recording in recordings} == {7}


KINDS = ["scripted", "scripted inside", "an input"]
if torch.__version__ >= "2":  # 1.13 cannot keep what such a function's backward pass needs
    KINDS.append("used by a function")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("had", [False, True])
def test_gradients_of_what_has_no_twins(kind, had):
    linear = torch.nn.Linear(6, 4)
    x = torch.rand(3, 6, requires_grad=kind == "an input")
    models = {"scripted": lambda: torch.jit.script(linear), "used by a function": lambda: lambda x: linear(x) * 2,
              "scripted inside": lambda: torch.nn.Sequential(torch.nn.Linear(6, 6), torch.jit.script(linear)),
              "an input": lambda: linear}
    model = models[kind]()
    watched = [x] if kind == "an input" else list(linear.parameters())
    for tensor in watched:
        tensor.grad = torch.ones_like(tensor) if had else None
    before = [tensor.grad for tensor in watched]
    made = [taken(model, [x], backward=True, mode=mode) for mode in ("auto", "real")]
    assert [tensor.grad for tensor in watched] == before if not had else all(
        tensor.grad is gradient and torch.equal(gradient, torch.ones_like(gradient))
        for tensor, gradient in zip(watched, before))
    assert [sum(call[5] == 1 for call in one["calls"]) for one in made] == [
        sum(call[5] == 1 for call in made[1]["calls"])] * 2


@pytest.mark.parametrize("mode", MODES)
def test_buffers_and_containers_that_the_model_replaces(mode):
    class Counts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(3))
            self.seen, self.last, self.empty = {"shapes": [1]}, collections.deque([1]), []

        def forward(self, x):
            self.count = self.count + 1
            self.register_buffer("new", torch.ones(2), persistent=False)
            self.seen["shapes"].append(x.shape)
            self.last.append(x)
            self.empty.append(x)
            return x * self.count

    model = Counts()
    count = model.count
    record(model, (2, 3), mode=mode)
    assert model.count is count and torch.equal(count, torch.zeros(3))
    assert list(model._buffers) == ["count"] and not model._non_persistent_buffers_set
    assert model.seen == {"shapes": [1]} and list(model.last) == [1] and model.empty == []


class Cache:
    """A cache that a decoder is given and writes to: each has the keys of the positions so far."""

    def __init__(self):
        self.layers = [{"keys": torch.ones(1, 2000, 8)}]


@pytest.mark.parametrize("mode", MODES)
def test_objects_among_the_inputs(mode):
    class Decodes(torch.nn.Linear):
        def forward(self, x, cache):
            layer = cache.layers[0]
            layer["keys"].mul_(2)
            layer["keys"] = torch.cat([layer["keys"], super().forward(x)], 1)
            return layer["keys"] @ x.transpose(1, 2)

    cache = Cache()
    keys = cache.layers[0]["keys"]
    made = taken(Decodes(8, 8), {"x": torch.rand(1, 1, 8), "cache": cache}, mode=mode)
    assert made["mode"] == mode and made["tensors"][made["outputs"][0][0]][1] == [1, 2001, 1]
    assert cache.layers[0]["keys"] is keys and torch.equal(keys, torch.ones(1, 2000, 8))


def test_mappings_that_are_no_dicts():
    made = taken(torch.nn.Linear(6, 4), collections.UserDict(input=torch.rand(3, 6)))
    assert [name for _, name in made["inputs"]] == ["input"]


@pytest.mark.parametrize("mode", MODES)
def test_generators_of_the_users(mode):
    generator = torch.Generator()
    state = generator.get_state()
    record(lambda x: x + torch.randn(3, generator=generator), torch.rand(2, 3), mode=mode)
    assert torch.equal(generator.get_state(), state)


def test_hooks_of_all_modules_run():
    calls = []
    handle = torch.nn.modules.module.register_module_forward_hook(lambda module, *_: calls.append(module))
    try:
        for _ in range(2):
            record(Small().eval(), SHAPE, mode="meta")
    finally:
        handle.remove()
    assert len(calls) == 2 * len(list(Small().modules()))


@pytest.mark.parametrize("mode", MODES)
def test_a_caller_in_inference_mode(mode):
    with torch.inference_mode():
        model, x = Small().eval(), torch.rand(SHAPE)
        inside = strata.stat(model, x, mode=mode).total
    assert inside == strata.stat(Small().eval(), SHAPE, mode=mode).total == strata.stat(model, x, mode=mode).total
    model = Small()
    with torch.inference_mode():
        inside = taken(model, SHAPE, mode=mode, backward=True)
    assert inside["calls"] == taken(model, SHAPE, mode=mode, backward=True)["calls"]


def test_modules_in_other_threads_are_said_to_be_missing():
    import threading

    class Threads(torch.nn.Linear):
        def forward(self, x):
            if threading.current_thread() is not threading.main_thread():
                return super().forward(x)
            other = threading.Thread(target=self, args=(torch.ones(2, 3),))
            other.start()
            other.join()
            return super().forward(x)

    assert taken(Threads(3, 3), (2, 3), mode="real")["notes"] == ["modules that ran in other threads are not counted"]


@pytest.mark.parametrize("mode", MODES)
def test_tensors_that_come_and_go_in_a_run(mode):
    class Changes(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(3))
            self.bias = torch.nn.Parameter(torch.zeros(3))
            self.inner = torch.nn.ReLU()  # it has no tensors

        def forward(self, x):
            self.inner.register_buffer("seen", x.sum())
            result = self.inner(x * self.weight + self.bias)
            self.weight = torch.nn.Parameter(self.weight * 2)
            self.register_parameter("added", torch.nn.Parameter(torch.ones(3, device=x.device)))
            del self.bias
            return result

    model = Changes()
    before = dict(model.named_parameters())
    first = record(model, (2, 3), mode=mode)
    assert list(dict(model.named_parameters())) == ["weight", "bias"]
    assert all(getattr(model, name) is tensor for name, tensor in before.items())
    assert dict(model.inner.named_buffers()) == {}
    assert record(model, (2, 3), mode=mode) == first
