#!/usr/bin/env python3
"""make_models.py FOLDER [--large]

Writes small ExecuTorch programs, and expected.csv with what PyTorch says of the networks they were made of:
parameters, MACs (half of what torch's FlopCounterMode counts), and the bytes of the memory plan as
ExecuTorch's own reader returns them. `--large` also writes networks that are too large for the repository.

    python3 -m venv /tmp/et && /tmp/et/bin/pip install torch==2.13.0 executorch==1.5.1
    /tmp/et/bin/python -B make_models.py FOLDER
"""
import csv
import sys

import torch
import torch.nn.functional as F
from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from executorch.exir._serialize._program import deserialize_pte_binary
from torch import nn
from torch.utils.flop_counter import FlopCounterMode


class Image(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3, padding=1, stride=2), nn.BatchNorm2d(8)
        self.depthwise, self.head = nn.Conv2d(8, 8, 3, groups=8, padding=1), nn.Linear(8, 5)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        x = F.max_pool2d(F.relu6(self.depthwise(x)), 2)
        return torch.softmax(self.head(x.mean((2, 3))), -1)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out, self.up, self.down = nn.Linear(width, width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.heads = heads

    def forward(self, x):
        y = self.norm1(x)
        q, k, v = (m(y).unflatten(-1, (self.heads, -1)).transpose(1, 2) for m in (self.query, self.key, self.value))
        scores = torch.softmax(q @ k.transpose(2, 3) * q.shape[-1] ** -0.5, -1)
        x = x + self.out((scores @ v).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Words(nn.Module):
    def __init__(self, vocabulary=12, width=8, heads=2, blocks=1):
        super().__init__()
        self.embedding, self.head = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary, bias=False)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(blocks))

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


class Open(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 4)

    def forward(self, x):
        return F.silu(self.linear(x)).reshape(x.shape[0], 2, 2)


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda y: self.linear(y), lambda y: y * 2, (x,))


class State(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("sum", torch.ones(1, 4))

    def forward(self, x):
        with torch.no_grad():
            self.sum.add_(self.linear(x))
        return self.sum * 2


class Lists(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 8)

    def forward(self, x):
        a, b = self.linear(x).split(4, -1)
        values, _ = torch.topk(b, 2)
        return a[0] * values[0, 0], torch.cat([a, b], 0), x.to(torch.float64)


class Upsampled(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Conv2d(4, 8, 3, stride=2, padding=1, groups=2), nn.ConvTranspose2d(8, 4, 2, stride=2)

    def forward(self, x):
        return F.hardswish(self.up(F.avg_pool2d(F.leaky_relu(self.down(x)), 2, stride=1))) + 1.0


class Inverted(nn.Module):
    """A block of MobileNetV2."""

    def __init__(self, inputs, outputs, stride, factor):
        super().__init__()
        hidden = inputs * factor
        layers = [] if factor == 1 else [nn.Conv2d(inputs, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6()]
        layers += [nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(),
                   nn.Conv2d(hidden, outputs, 1, bias=False), nn.BatchNorm2d(outputs)]
        self.layers, self.adds = nn.Sequential(*layers), stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.layers(x) if self.adds else self.layers(x)


def mobilenet():
    layers, inputs = [nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU6()], 32
    for factor, outputs, count, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                           (6, 160, 3, 2), (6, 320, 1, 1)]:
        for i in range(count):
            layers.append(Inverted(inputs, outputs, stride if i == 0 else 1, factor))
            inputs = outputs
    layers += [nn.Conv2d(320, 1280, 1, bias=False), nn.BatchNorm2d(1280), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
               nn.Linear(1280, 1000)]
    return nn.Sequential(*layers)


def quantized(module, inputs):
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (XNNPACKQuantizer,
                                                                         get_symmetric_quantization_config)
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(torch.export.export(module, inputs).module(), quantizer)
    prepared(*inputs)
    return convert_pt2e(prepared)


def main():
    folder, large = sys.argv[1], "--large" in sys.argv
    torch.manual_seed(1)
    image = (torch.randn(1, 3, 16, 16),)
    batch = torch.export.Dim("batch", min=1, max=16)
    plain, xnnpack, int8 = "portable", "xnnpack", "int8"
    cases = [("image", Image(), image, (plain, xnnpack, int8), None),
             ("words", Words(), (torch.randint(0, 12, (1, 5)),), (plain, xnnpack), None),
             ("open", Open(), (torch.randn(16, 8),), (plain, xnnpack), {"x": {0: batch}}),
             ("branches", Branches(), (torch.ones(1, 4),), (plain,), None),
             ("state", State(), (torch.randn(1, 4),), (plain,), None),
             ("lists", Lists(), (torch.randn(2, 4),), (plain,), None),
             ("upsampled", Upsampled(), (torch.randn(1, 4, 8, 8),), (plain, xnnpack), None)]
    if large:
        cases += [("mobilenet", mobilenet(), (torch.randn(1, 3, 224, 224),), (plain, xnnpack, int8), None),
                  ("large_words", Words(1000, 64, 4, 3), (torch.randint(0, 1000, (1, 32)),), (plain, xnnpack), None)]
    # A delegate that strata does not open, with nothing to expect.
    edge = to_edge_transform_and_lower(torch.export.export(Image().eval(), image), partitioner=[VulkanPartitioner()])
    open(f"{folder}/image_vulkan.pte", "wb").write(edge.to_executorch().buffer)
    rows = []
    for name, module, inputs, forms, dynamic in cases:
        module.eval()
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            (module.linear if name == "branches" else module)(*inputs)  # both branches count
        parameters = sum(p.numel() for p in module.parameters())
        # XNNPACK has batch norms inside of the convolutions before them, which get a bias if they have none.
        biased = any(m.bias is not None for m in module.modules() if isinstance(m, nn.Conv2d))
        norms = sum(m.weight.numel() * (2 if biased else 1) for m in module.modules()
                    if isinstance(m, nn.BatchNorm2d))
        for form in forms:
            # Nothing is changed in a network that has been exported with gradients.
            given = module.requires_grad_(name != "state")
            if form == int8:
                given = quantized(module, inputs)
            program = torch.export.export(given, inputs, dynamic_shapes=dynamic)
            if form == plain:
                edge = to_edge(program, compile_config=EdgeCompileConfig(_check_ir_validity=False))
            else:
                edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
            data = edge.to_executorch(ExecutorchBackendConfig()).buffer
            open(f"{folder}/{name}_{form}.pte", "wb").write(data)
            read = deserialize_pte_binary(data)
            plan = getattr(read, "program", read).execution_plan[0]
            stored = parameters if form == plain else parameters - norms
            rows.append([f"{name}_{form}", stored, counter.get_total_flops() // 2, sum(plan.non_const_buffer_sizes)])
    with open(f"{folder}/expected.csv", "w", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["file", "parameters", "macs", "plan_bytes"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
