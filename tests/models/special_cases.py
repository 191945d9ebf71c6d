"""The networks whose costs other profilers get wrong."""

import torch
from torch import nn

from export_torchvision import SEED, export, export_network


class SelfAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(-2, -1)
        weights = torch.softmax(scores / x.shape[-1] ** 0.5, dim=-1)
        return weights @ self.value(x)


class Parent(nn.Module):
    def __init__(self, linear):
        super().__init__()
        self.linear = linear

    def forward(self, x):
        return self.linear(x)


class SharedLinear(nn.Module):
    """One Linear, reached through two parents."""

    def __init__(self, width):
        super().__init__()
        linear = nn.Linear(width, width)
        self.first = Parent(linear)
        self.second = Parent(linear)

    def forward(self, x):
        return self.second(self.first(x))


def export_special_cases(out):
    torch.manual_seed(SEED)
    cases = {
        "self_attention": (SelfAttention(64), torch.randn(1, 128, 64)),
        "shared_linear": (SharedLinear(100), torch.randn(1, 100)),
        "conv_transpose": (nn.ConvTranspose2d(64, 32, 2, stride=2), torch.randn(1, 64, 16, 16)),
        "embedding": (nn.Embedding(50000, 512), torch.arange(10)),
    }
    for name, (module, example) in cases.items():
        export(module, example, out / f"{name}.onnx", fold=True, strip=True)
    # A fresh network's BatchNorm folds to many equal biases: the exporter merges
    # them and leaves Identity nodes.
    merged = out / "mobilenet_v2_merged.onnx"
    export_network("mobilenet_v2", merged, untouched=True, fold=True, strip=True)
