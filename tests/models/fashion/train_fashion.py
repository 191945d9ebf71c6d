#!/usr/bin/python3
"""Trains a small EfficientViT on Fashion-MNIST and writes what the tests need: fashion.onnx,
images.npz and labels.txt (256 images of the test set, which the training never saw).

The images are Debian's package dataset-fashion-mnist. The network has the blocks of the large
EfficientViT in the authors' order and under the authors' names: a stem with a residual block, two
stages of fused MBConv, one of MBConv, one of linear attention with a second scale, and a head.
Torch's older exporter writes no module classes, so they are added here in the form of the newer
one; strata takes names such as stage4:1:0 from them.
"""

import argparse
import gzip
import pathlib
import time

import numpy
import onnx
import torch
from torch import nn

OPSET = 17
SEED = 11
HELD_OUT = 256
TRAINING = 45000  # of the 60,000 images: what two epochs manage in five minutes on one core
DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")
WIDTHS = (8, 16, 24, 40, 48)
HEAD = 16  # channels of an attention head


class ConvLayer(nn.Module):
    def __init__(self, inputs, outputs, kernel=1, stride=1, *, groups=1, norm=True, act=True,
                 bias=None):
        super().__init__()
        bias = not norm if bias is None else bias
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups,
                              bias=bias)
        self.norm = nn.BatchNorm2d(outputs) if norm else None
        self.act = nn.GELU(approximate="tanh") if act else None

    def forward(self, x):
        x = self.conv(x)
        x = self.norm(x) if self.norm is not None else x
        return self.act(x) if self.act is not None else x


class ResBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1 = ConvLayer(width, width, 3)
        self.conv2 = ConvLayer(width, width, 3, act=False)

    def forward(self, x):
        return self.conv2(self.conv1(x))


class FusedMBConv(nn.Module):
    def __init__(self, inputs, outputs, stride, factor):
        super().__init__()
        self.spatial_conv = ConvLayer(inputs, inputs * factor, 3, stride)
        self.point_conv = ConvLayer(inputs * factor, outputs, act=False)

    def forward(self, x):
        return self.point_conv(self.spatial_conv(x))


class MBConv(nn.Module):
    """The first two convolutions have a bias instead of a norm, as in the large networks."""

    def __init__(self, inputs, outputs, stride, factor):
        super().__init__()
        inner = inputs * factor
        self.inverted_conv = ConvLayer(inputs, inner, norm=False)
        self.depth_conv = ConvLayer(inner, inner, 3, stride, groups=inner, norm=False)
        self.point_conv = ConvLayer(inner, outputs, act=False)

    def forward(self, x):
        return self.point_conv(self.depth_conv(self.inverted_conv(x)))


class LiteMLA(nn.Module):
    """ReLU linear attention over queries, keys and values as they are and averaged over 5×5."""

    def __init__(self, width):
        super().__init__()
        every = 3 * width
        self.heads = 2 * width // HEAD  # of both scales
        self.qkv = ConvLayer(width, every, norm=False, act=False, bias=False)
        self.aggreg = nn.ModuleList([nn.Sequential(
            nn.Conv2d(every, every, 5, padding=2, groups=every, bias=False),
            nn.Conv2d(every, every, 1, groups=every // HEAD, bias=False))])
        self.kernel_func = nn.ReLU()
        self.proj = ConvLayer(2 * width, width, act=False)

    def forward(self, x):
        height, width = int(x.shape[2]), int(x.shape[3])
        qkv = self.qkv(x)
        both = torch.cat([qkv] + [scale(qkv) for scale in self.aggreg], 1)
        both = both.reshape(-1, self.heads, 3 * HEAD, height * width)
        query, key, value = both.split(HEAD, 2)
        query, key = self.kernel_func(query), self.kernel_func(key)
        value = nn.functional.pad(value, (0, 0, 0, 1), value=1.0)
        summed = value @ key.transpose(2, 3) @ query
        top, bottom = summed.split([HEAD, 1], 2)
        x = top / (bottom + 1e-15)
        return self.proj(x.reshape(-1, self.heads * HEAD, height, width))


class ResidualBlock(nn.Module):
    def __init__(self, main, shortcut=True):
        super().__init__()
        self.main = main
        self.shortcut = nn.Identity() if shortcut else None

    def forward(self, x):
        return self.main(x) + x if self.shortcut else self.main(x)


class EfficientViTBlock(nn.Module):
    def __init__(self, width, factor):
        super().__init__()
        self.context_module = ResidualBlock(LiteMLA(width))
        self.local_module = ResidualBlock(MBConv(width, width, 1, factor))

    def forward(self, x):
        return self.local_module(self.context_module(x))


class OpSequential(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.op_list = nn.ModuleList(layers)

    def forward(self, x):
        for layer in self.op_list:
            x = layer(x)
        return x


class EfficientViTLargeBackbone(nn.Module):
    def __init__(self):
        super().__init__()
        w = WIDTHS
        self.stages = nn.ModuleList([
            OpSequential(ConvLayer(1, w[0], 3), ResidualBlock(ResBlock(w[0]))),
            OpSequential(ResidualBlock(FusedMBConv(w[0], w[1], 2, 4), False),
                         ResidualBlock(FusedMBConv(w[1], w[1], 1, 4))),
            OpSequential(ResidualBlock(FusedMBConv(w[1], w[2], 2, 4), False),
                         ResidualBlock(FusedMBConv(w[2], w[2], 1, 4))),
            OpSequential(ResidualBlock(MBConv(w[2], w[3], 1, 4), False),
                         ResidualBlock(MBConv(w[3], w[3], 1, 4))),
            OpSequential(ResidualBlock(MBConv(w[3], w[4], 2, 4), False),
                         EfficientViTBlock(w[4], 4), EfficientViTBlock(w[4], 4)),
        ])

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return x


class ClsHead(OpSequential):
    def __init__(self):
        super().__init__(ConvLayer(WIDTHS[4], 96), LinearLayer(96, 10))

    def forward(self, x):
        return self.op_list[1](self.op_list[0](x).mean((2, 3)))


class LinearLayer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.linear(x)


class EfficientViTCls(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = EfficientViTLargeBackbone()
        self.head = ClsHead()

    def forward(self, x):
        return self.head(self.backbone(x))


def read(kind):
    with gzip.open(DATA / f"{kind}-images-idx3-ubyte.gz") as file:
        images = numpy.frombuffer(file.read(), numpy.uint8, offset=16).reshape(-1, 1, 28, 28)
    with gzip.open(DATA / f"{kind}-labels-idx1-ubyte.gz") as file:
        labels = numpy.frombuffer(file.read(), numpy.uint8, offset=8)
    return (torch.from_numpy(images.astype(numpy.float32) / 255),
            torch.from_numpy(labels.astype(numpy.int64)))


def accuracy(model, images, labels):
    model.eval()
    with torch.no_grad():
        parts = [model(part).argmax(1) for part in images.split(500)]
    return float((torch.cat(parts) == labels).float().mean())


def train(images, labels, epochs):
    model = EfficientViTCls()
    steps = epochs * ((len(labels) + 127) // 128)
    rate = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(rate, 6e-3, total_steps=steps)
    for epoch in range(epochs):
        model.train()
        began = time.monotonic()
        for part in torch.randperm(len(labels)).split(128):
            rate.zero_grad()
            inputs = images[part]
            if torch.rand(()) < 0.5:
                inputs = inputs.flip(3)
            nn.functional.cross_entropy(model(inputs), labels[part]).backward()
            rate.step()
            schedule.step()
        print(f"epoch {epoch + 1} of {epochs}: {time.monotonic() - began:.0f} s", flush=True)
    return model.eval()


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def add_classes(model, path):
    """Writes name_scopes and class_hierarchy of every node, as torch 2 does (field 9 of a node,
    which Debian's onnx does not know yet)."""
    modules = dict(model.named_modules())
    file = onnx.load(path)
    for node in file.graph.node:
        names, module, before = [""], "", ""
        for word in node.name.split("/")[1:-1]:
            # A Sequential's child repeats its parent: aggreg.0/aggreg.0.1.
            own = word[len(before) + 1:] if before and word.startswith(before + ".") else word
            # And what is called a second time has a number: kernel_func_1.
            inside = f"{module}." if module else ""
            module = inside + (own if inside + own in modules else own.rpartition("_")[0])
            names.append(module)
            before = word
        classes = [type(modules[name]).__name__ for name in names]
        for key, words in (("pkg.torch.onnx.name_scopes", names + [node.name]),
                           ("pkg.torch.onnx.class_hierarchy", classes + [node.op_type])):
            entry = field(1, key.encode()) + field(2, repr(words).encode())
            node.MergeFromString(field(9, entry))
    onnx.save(file, path)


def write(model, path):
    torch.onnx.export(
        model, torch.zeros(1, 1, 28, 28), path, opset_version=OPSET, input_names=["image"],
        output_names=["logits"], training=torch.onnx.TrainingMode.PRESERVE,
        do_constant_folding=False, dynamic_axes={"image": {0: "N"}, "logits": {0: "N"}})
    add_classes(model, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    parser.add_argument("--epochs", type=int, default=2)
    arguments = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    images, labels = read("train")
    model = train(images[:TRAINING], labels[:TRAINING], arguments.epochs)
    images, labels = read("t10k")
    print(f"accuracy on {len(labels)} test images: {accuracy(model, images, labels):.4f}")
    images, labels = images[:HELD_OUT], labels[:HELD_OUT]
    print(f"on the {HELD_OUT} that are kept: {accuracy(model, images, labels):.4f}")
    write(model, arguments.out / "fashion.onnx")
    numpy.savez_compressed(arguments.out / "images.npz", image=images.numpy())
    (arguments.out / "labels.txt").write_text("".join(f"{k}\n" for k in labels.tolist()))


if __name__ == "__main__":
    main()
