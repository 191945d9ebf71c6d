#!/usr/bin/python3
"""Trains a small network on scikit-learn's digits and writes what the tests of
quantization need: digits.onnx, held-out images (images.npz) and labels (labels.txt).

The 1,797 images of 8×8 pixels are part of Debian's python3-sklearn. digits_planted.onnx is a
second model whose answers are the same in float, but in which one channel
of one layer's output is 64 times as large (and the layer after it divides by 64): a
layer that breaks when its activations share one scale.
"""

import argparse
import pathlib

import numpy
import sklearn.datasets
import torch
from torch import nn

OPSET = 17
SEED = 7
HELD_OUT = 360
PLANTED = "features.3.project"  # its output goes into features.4.expand alone
FACTOR = 64.0


class ConvNorm(nn.Sequential):
    def __init__(self, inputs, outputs, kernel, *, groups=1, stride=1, act=True):
        layers = [
            nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
            nn.BatchNorm2d(outputs),
        ]
        super().__init__(*layers, *([nn.ReLU()] if act else []))


class MBConv(nn.Module):
    """Expand, depthwise, project: the last has a norm and no activation."""

    def __init__(self, inputs, outputs, ratio, *, stride=1):
        super().__init__()
        inner = inputs * ratio
        self.expand = ConvNorm(inputs, inner, 1)
        self.depth = ConvNorm(inner, inner, 3, groups=inner, stride=stride)
        self.project = ConvNorm(inner, outputs, 1, act=False)
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x):
        y = self.project(self.depth(self.expand(x)))
        return x + y if self.residual else y


class FusedMBConv(nn.Module):
    def __init__(self, inputs, outputs, ratio):
        super().__init__()
        self.spatial = ConvNorm(inputs, inputs * ratio, 3)
        self.project = ConvNorm(inputs * ratio, outputs, 1, act=False)
        self.residual = inputs == outputs

    def forward(self, x):
        y = self.project(self.spatial(x))
        return x + y if self.residual else y


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            ConvNorm(1, 12, 3),
            FusedMBConv(12, 12, 3),
            MBConv(12, 16, 3, stride=2),
            MBConv(16, 24, 3, stride=2),
            MBConv(24, 32, 3),
        )
        self.classifier = nn.Linear(32, 10)

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


def data():
    digits = sklearn.datasets.load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
    labels = torch.tensor(digits.target)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(SEED))
    return images[order], labels[order]


def train(images, labels, epochs):
    model = Digits()
    rate = torch.optim.Adam(model.parameters(), lr=4e-3)
    steps = torch.optim.lr_scheduler.CosineAnnealingLR(rate, epochs)
    for _ in range(epochs):
        model.train()
        for part in torch.randperm(len(labels)).split(64):
            rate.zero_grad()
            nn.functional.cross_entropy(model(images[part]), labels[part]).backward()
            rate.step()
        steps.step()
    return model.eval()


def plant(model):
    """Scales one output channel up, and the weights that read it down."""
    layers = dict(model.named_modules())
    norm = layers[PLANTED][1]
    reader = layers["features.4.expand"][0]
    with torch.no_grad():
        norm.weight[0] *= FACTOR
        norm.bias[0] *= FACTOR
        reader.weight[:, 0] /= FACTOR


def write(model, path):
    torch.onnx.export(
        model, torch.zeros(1, 1, 8, 8), path, opset_version=OPSET, input_names=["image"],
        output_names=["logits"], training=torch.onnx.TrainingMode.PRESERVE,
        do_constant_folding=False, dynamic_axes={"image": {0: "N"}, "logits": {0: "N"}})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    parser.add_argument("--epochs", type=int, default=60)
    arguments = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    images, labels = data()
    model = train(images[HELD_OUT:], labels[HELD_OUT:], arguments.epochs)
    with torch.no_grad():
        right = (model(images[:HELD_OUT]).argmax(1) == labels[:HELD_OUT]).float().mean()
    print(f"accuracy on {HELD_OUT} held-out images: {right:.4f}")
    write(model, arguments.out / "digits.onnx")
    plant(model)
    write(model, arguments.out / "digits_planted.onnx")
    with torch.no_grad():
        again = (model(images[:HELD_OUT]).argmax(1) == labels[:HELD_OUT]).float().mean()
    print(f"with {PLANTED} planted: {again:.4f}")
    numpy.savez_compressed(arguments.out / "images.npz", image=images[:HELD_OUT].numpy())
    text = "".join(f"{label}\n" for label in labels[:HELD_OUT].tolist())
    (arguments.out / "labels.txt").write_text(text)


if __name__ == "__main__":
    main()
