#!/usr/bin/python3
"""The precision that `stat --time` says each layer ran in is that which PyTorch's own hooks see under torch.autocast."""

import argparse
import pathlib
import sys
import tempfile

import torch

from program import Judge, Strata


class Product(torch.nn.Module):
    def forward(self, x):
        return torch.prod(x, 1)


class Layers(torch.nn.Module):
    """Automatic casts leave some of these in fp32."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)
        self.relu = torch.nn.ReLU()
        self.pool = torch.nn.MaxPool2d(2)
        self.larger = torch.nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.second = torch.nn.Conv2d(8, 8, 1)
        self.mean = torch.nn.AdaptiveAvgPool2d(1)
        self.flat = torch.nn.Flatten()
        self.fc = torch.nn.Linear(8, 16)
        self.gelu = torch.nn.GELU()
        self.last = torch.nn.Linear(16, 4)
        self.softmax = torch.nn.Softmax(-1)
        self.product = Product()

    def forward(self, x):
        x = self.larger(self.pool(self.relu(self.norm(self.conv(x)))))
        x = self.fc(self.flat(self.mean(self.second(x))))
        return self.product(self.softmax(self.last(self.gelu(x))))


def seen_by_hooks(network, image):
    names = {torch.float32: "fp32", torch.bfloat16: "bf16"}
    found = {}
    for path, own in network.named_children():
        own.register_forward_hook(lambda _, inputs, output, path=path: found.update({path: names[output.dtype]}))
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        network(image)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strata", required=True)
    parser.add_argument("--engines", required=True)
    parser.add_argument("--models")
    args = parser.parse_args()
    strata, judge = Strata(args.strata, args.engines), Judge()
    torch.manual_seed(0)
    network, image = Layers().eval(), torch.rand(1, 3, 16, 16)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "layers.pt"
        with torch.no_grad():
            torch.jit.script(network).save(str(path))
        words = [str(path), "--input", "x=1x3x16x16", "--engine", "torch", "--time"]
        in_bf16 = seen_by_hooks(network, image)
        judge.equal("precisions under autocast", set(in_bf16.values()), {"fp32", "bf16"})
        for precision in ("fp32", "bf16"):
            rows = {row["layer"]: row for row in strata.rows(*words, "--precision", precision)}
            judge.equal("layers", set(rows) >= set(in_bf16), True)
            for layer, wanted in in_bf16.items():
                if rows.get(layer, {}).get("runs_in"):  # what only changes shapes computes nothing
                    judge.equal(f"{layer} in {precision}", rows[layer]["runs_in"], wanted if precision == "bf16" else "fp32")
            told = [layer for layer in in_bf16 if rows.get(layer, {}).get("runs_in")]
            judge.true(f"precisions of {precision} are told: {told}", len(told) >= len(in_bf16) - 1)
    return judge.finish()


if __name__ == "__main__":
    sys.exit(main())
