"""The networks that the drop-in replacements are compared on: torchvision's with torch 1.13, our own
definitions and transformers' with torch 2.13. Weights are not initialized: no count depends on them."""

import contextlib
import importlib.util
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


def torchvision_network(name):
    """A network of torchvision and its inputs."""
    import torchvision

    side, options = TORCHVISION[name]
    with uninitialized():
        model = torchvision.models.get_model(name, weights=None, **options)
    return model.eval(), (torch.zeros(1, 3, side, side),)
