"""Small networks that hold what torchvision's do not, for comparison with other tools."""

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    """torch.nn's own, called with positional arguments as most programs do."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(32, 4, batch_first=True)

    def forward(self, queries, keys=None):
        keys = queries if keys is None else keys
        return self.attention(queries, keys, keys)[0]


class Functions(nn.Module):
    """Functions in place of modules."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(24, 16))
        self.bias = nn.Parameter(torch.randn(24))
        self.norm = nn.LayerNorm(24)

    def forward(self, x):
        x = self.norm(F.linear(x, self.weight, self.bias))
        scores = F.softmax(torch.matmul(x, x.transpose(1, 2)), dim=-1)
        return F.relu(torch.matmul(scores, x))


class Einsum(nn.Module):
    def __init__(self, equation):
        super().__init__()
        self.equation = equation
        self.linear = nn.Linear(41, 41)

    def forward(self, left, right=None):
        left = self.linear(left)
        return torch.einsum(self.equation, *([left] if right is None else [left, right]))


class Turned(nn.Module):
    """A Linear whose input is not contiguous."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 5)

    def forward(self, x):
        return self.linear(x.transpose(1, 2))


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.cells = kind(12, 10, num_layers=2, batch_first=True)

    def forward(self, x):
        return self.cells(x)[0]


def image(channels=8, height=12, width=10):
    return torch.randn(1, channels, height, width)


def tool_cases():
    """For each name a module and its inputs."""
    tokens = torch.randn(1, 10, 32)
    sequence = torch.randn(1, 9, 12)
    return {
        "attention": (Attention(), (tokens,)),
        "attention_cross": (Attention(), (tokens, torch.randn(1, 17, 32))),
        "functions": (Functions(), (torch.randn(1, 10, 16),)),
        "einsum": (
            Einsum("bhid,bhjd->bhij"),
            (torch.randn(1, 3, 37, 41), torch.randn(1, 3, 53, 41)),
        ),
        "einsum_batched": (
            Einsum("b k i, b k j -> b i j"),
            (torch.randn(1, 37, 41), torch.randn(1, 37, 53)),
        ),
        "einsum_ellipsis": (
            Einsum("...ij,...jk->...ik"),
            (torch.randn(1, 5, 41), torch.randn(1, 41, 7)),
        ),
        "einsum_outer": (Einsum("bi,bj->bij"), (torch.randn(1, 41), torch.randn(1, 53))),
        "einsum_sum": (Einsum("bij->bi"), (torch.randn(1, 5, 41),)),
        "linear_3_axes": (nn.Sequential(nn.Linear(16, 24)), (torch.randn(1, 10, 16),)),
        "linear_4_axes": (nn.Sequential(nn.Linear(16, 24)), (torch.randn(1, 3, 10, 16),)),
        "linear_turned": (Turned(), (torch.randn(1, 6, 7),)),
        "conv_1d": (nn.Sequential(nn.Conv1d(8, 12, 3)), (torch.randn(1, 8, 20),)),
        "conv_3d": (nn.Sequential(nn.Conv3d(4, 6, 3)), (torch.randn(1, 4, 7, 8, 9),)),
        "conv_turned": (nn.Sequential(nn.ConvTranspose2d(8, 6, 3, 2)), (image(),)),
        "conv_turned_groups": (
            nn.Sequential(nn.ConvTranspose2d(8, 6, 3, 2, groups=2, bias=False)),
            (image(),),
        ),
        "upsample_nearest": (nn.Sequential(nn.Conv2d(8, 8, 1), nn.Upsample(scale_factor=2)), (image(),)),
        "upsample_bilinear": (
            nn.Sequential(nn.Conv2d(8, 8, 1), nn.Upsample(scale_factor=2, mode="bilinear")),
            (image(),),
        ),
        "norms": (
            nn.Sequential(
                nn.BatchNorm2d(8), nn.GroupNorm(2, 8), nn.InstanceNorm2d(8, affine=True), nn.LayerNorm(10)
            ),
            (image(),),
        ),
        "norms_plain": (
            nn.Sequential(
                nn.Conv2d(8, 8, 1), nn.BatchNorm2d(8, affine=False), nn.InstanceNorm2d(8)
            ),
            (image(),),
        ),
        "activations": (
            nn.Sequential(
                nn.ReLU(), nn.ReLU6(), nn.LeakyReLU(), nn.PReLU(8), nn.ELU(), nn.GELU(), nn.SiLU(),
                nn.Hardswish(), nn.Sigmoid(), nn.Tanh(), nn.Softmax(dim=-1),
            ),
            (image(),),
        ),
        "pools": (
            nn.Sequential(
                nn.Conv2d(8, 8, 1), nn.MaxPool2d(3, 1, 1), nn.AvgPool2d(2, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten()
            ),
            (image(),),
        ),
        "lstm": (Recurrent(nn.LSTM), (sequence,)),
        "gru": (Recurrent(nn.GRU), (sequence,)),
        "rnn": (Recurrent(nn.RNN), (sequence,)),
        "embedding": (nn.Sequential(nn.Embedding(50, 16)), (torch.arange(10).view(1, 10),)),
    }
