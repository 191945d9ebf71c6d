"""The networks that the drop-in replacements are compared on: torchvision's with torch 1.13, our own
definitions and transformers' with torch 2.13. Weights are not initialized: no count depends on them."""

import contextlib
import importlib.util
import os
import pathlib
import sys

import torch

PT2 = pathlib.Path(__file__).resolve().parents[2] / "tests" / "pt2"

# Network, size of the image, and what its constructor needs for that size. Small images give other
# shapes, not other operators, and keep the tests short.
TORCHVISION = {
    "alexnet": (96, {}),
    "vgg11_bn": (64, {}),
    "resnet18": (64, {}),
    "resnet50": (64, {}),
    "resnext50_32x4d": (64, {}),
    "wide_resnet50_2": (64, {}),
    "densenet121": (64, {}),
    "squeezenet1_1": (64, {}),
    "googlenet": (64, {"init_weights": False}),
    "inception_v3": (96, {"init_weights": False}),
    "mobilenet_v2": (64, {}),
    "mobilenet_v3_small": (64, {}),
    "shufflenet_v2_x1_0": (64, {}),
    "mnasnet1_0": (64, {}),
    "efficientnet_b0": (64, {}),
    "regnet_y_400mf": (64, {}),
    "convnext_tiny": (64, {}),
    "swin_t": (64, {}),
    "vit_b_16": (64, {"image_size": 64}),
    "maxvit_t": (224, {}),
}


@contextlib.contextmanager
def uninitialized():
    """Constructors of modules leave their weights as they are, which takes a tenth of the time."""
    names = [name for name in dir(torch.nn.init) if name.endswith("_") and name[0] != "_"]
    kept = {name: getattr(torch.nn.init, name) for name in names}
    for name in names:
        setattr(torch.nn.init, name, lambda tensor, *args, **kwargs: tensor)
    try:
        yield
    finally:
        for name, function in kept.items():
            setattr(torch.nn.init, name, function)


def _call_attention_by_position():
    """Calls modules as later versions of torchvision do: ptflops sees no named arguments of modules."""
    from torchvision.models.vision_transformer import EncoderBlock

    def forward(self, x):
        y = self.ln_1(x)
        y, _ = self.self_attention(y, y, y, need_weights=False)
        x = x + self.dropout(y)
        return x + self.mlp(self.ln_2(x))

    EncoderBlock.forward = forward


def torchvision_network(name):
    """A network of torchvision and its inputs."""
    import torchvision

    _call_attention_by_position()
    side, options = TORCHVISION[name]
    with uninitialized():
        model = torchvision.models.get_model(name, weights=None, **options)
    return model.eval(), (torch.zeros(1, 3, side, side),)


def _tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for each in value for tensor in _tensors(each)] if isinstance(value, (list, tuple)) else []


class Positional(torch.nn.Module):
    """A network of transformers that takes its tensors by position and gives a tuple of tensors, which
    all of the tools can run."""

    def __init__(self, network, names, fixed):
        super().__init__()
        self.network, self.names, self.fixed = network, names, fixed

    def forward(self, *tensors):
        outputs = self.network(**dict(zip(self.names, tensors)), **self.fixed, return_dict=False)
        return tuple(_tensors(outputs))


# Our own definitions by the size of the image, and transformers' networks.
OWN = {"alexnet": 96, "squeezenet1_1": 64, "shufflenet_v2_x1_0": 64, "resnet18": 64, "resnet50": 64,
       "densenet121": 64, "mobilenet_v2": 64}  # fmt: skip
TRANSFORMERS = ["bert", "clip", "detr", "gpt2", "llama", "mixtral", "qwen", "sam", "swin", "vit", "whisper"]


def _definitions(name):
    spec = importlib.util.spec_from_file_location(f"strata_{name}", PT2 / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def own_network(name):
    """One of tests/pt2/convolutional.py and its inputs."""
    networks = _definitions("convolutional").NETWORKS
    with uninitialized():
        made = networks[name]()
    model = made[0] if isinstance(made, tuple) else made
    return model.eval(), (torch.zeros(1, 3, OWN[name], OWN[name]),)


def transformer(name):
    """One of tests/pt2/transformer.py and its inputs."""
    torch.manual_seed(1)
    model, inputs = _definitions("transformer").NETWORKS[name]()
    tensors = {key: value for key, value in inputs.items() if isinstance(value, torch.Tensor)}
    fixed = {key: value for key, value in inputs.items() if key not in tensors}
    return Positional(model, list(tensors), fixed).eval(), tuple(tensors.values())


def has_torchvision():
    return importlib.util.find_spec("torchvision") is not None


def names():
    """The networks of this environment, as `network` takes them."""
    if has_torchvision():
        return list(TORCHVISION)
    if os.environ.get("STRATA_ALL_NETWORKS"):
        return [*OWN, *TRANSFORMERS]
    # The others have no new part and take a minute.
    return ["resnet18", "bert", "gpt2", "llama", "mixtral", "swin"]


def network(name):
    """A network by its name, and its inputs."""
    if has_torchvision():
        return torchvision_network(name)
    return own_network(name) if name in OWN else transformer(name)
