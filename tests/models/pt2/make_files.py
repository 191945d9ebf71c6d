"""Makes the small .pt2 files of this folder, and facts.json with what PyTorch itself says.

The files without a version in their names are PyTorch 2.13's. Those of the older containers were made
once with the same networks:

    python3 make_files.py FOLDER              # with PyTorch 2.13
    python3 make_files.py FOLDER _2.8 blocks  # with PyTorch 2.8
    python3 make_files.py FOLDER _2.7 blocks  # with PyTorch 2.7

Stack traces are left out: they name folders of the machine that the file was made on.
"""

import json
import os
import sys

import torch
from torch import nn
from torch.export import Dim


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(4)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class Blocks(nn.Module):
    """Calls a module twice, ties two weights, and owns parameters that nothing reads."""

    def __init__(self):
        super().__init__()
        self.block = Block()
        self.fc = nn.Linear(4, 4)
        self.tied = nn.Linear(4, 4)
        self.tied.weight = self.fc.weight
        self.register_buffer("offset", torch.ones(4))
        self.unused = nn.Linear(2, 3)
        self.drop = nn.Dropout()

    def forward(self, x, *, mask=None, options=None):
        y = self.block(x).mean((2, 3))
        y = self.fc(self.fc(y)) + self.offset
        y = torch.cat([self.drop(y), self.tied(y)], 1)[:, :4]
        return {"y": y * mask + options["scale"] + options["shifts"][0], "flat": y.flatten()}


class Control(nn.Module):
    def __init__(self):
        super().__init__()
        self.left = nn.Linear(4, 4)
        self.right = nn.Linear(4, 4)

    def forward(self, x):
        from torch._higher_order_ops import map as map_over, scan, while_loop

        y = torch.cond(x.sum() > 0, lambda a: self.left(a), lambda a: self.right(a) + 1, (x,))
        last, all_of = scan(lambda c, v: (self.left(c), v * 2), y[0:1].clone(), y, dim=0)
        _, looped = while_loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, self.right(a)), (torch.tensor(0), y)
        )
        mapped = map_over(lambda a, b: a * b, y, y[0].clone())
        return last, all_of, looped, mapped


class Open(nn.Module):
    """Sizes that only the data decide, and sizes that are formulas."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 8)

    def forward(self, x):
        y = self.fc(x)
        with torch.no_grad():
            scaled = y * 2
        half = scaled[: x.shape[0] // 2]
        return half, (y > 0).nonzero(), torch.cat([x, x])


class Custom(nn.Module):
    def forward(self, x):
        return torch.ops.strata_demo.twist(x.relu(), 3) + 1


def without_traces(program):
    for module in program.graph_module.modules():
        for node in getattr(getattr(module, "graph", None), "nodes", []):
            node.meta.pop("stack_trace", None)
    return program


def blocks():
    batch = Dim("batch", min=2, max=64)
    example = {
        "mask": torch.rand(2, 4),
        "options": {"scale": torch.rand(2, 4), "shifts": [torch.rand(4)]},
    }
    shapes = {
        "x": {0: batch, 2: Dim("height", min=2), 3: Dim("width", min=2)},
        "mask": {0: batch},
        "options": {"scale": {0: batch}, "shifts": [None]},
    }
    model = Blocks().eval()
    return model, torch.export.export(model, (torch.rand(2, 3, 8, 6),), example, dynamic_shapes=shapes)


def control():
    model = Control().eval()
    return model, torch.export.export(model, (torch.rand(3, 4),))


def open_sizes():
    model = Open().eval()
    shapes = ({0: 2 * Dim("pairs", min=2, max=256)},)
    return model, torch.export.export(model, (torch.rand(6, 4),), dynamic_shapes=shapes)


def custom():
    @torch.library.custom_op("strata_demo::twist", mutates_args=())
    def twist(x: torch.Tensor, times: int) -> torch.Tensor:
        return x.flip(0)

    twist.register_fake(lambda x, times: torch.empty_like(x))
    model = Custom().eval()
    return model, torch.export.export(model, (torch.rand(3, 4),))


def meta():
    """Weights without memory: their files in the archive are one empty file."""
    with torch.device("meta"):
        model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4)).eval()
        return model, torch.export.export(model, (torch.rand(2, 4),))


NETWORKS = {"blocks": blocks, "control": control, "open": open_sizes, "custom": custom,
            "meta": meta}


def main():
    folder, suffix = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    wanted = sys.argv[3:] or list(NETWORKS)
    torch.manual_seed(0)
    facts = {}
    for name in wanted:
        model, program = NETWORKS[name]()
        torch.export.save(without_traces(program), os.path.join(folder, name + suffix + ".pt2"))
        facts[name] = {
            "parameters": sum(p.numel() for p in model.parameters()),
            "modules": [path for path, _ in model.named_modules() if path],
        }
    if suffix:
        return
    _, program = blocks()
    core = without_traces(program.run_decompositions())
    torch.export.save(core, os.path.join(folder, "blocks_core.pt2"))
    from torch.export.pt2_archive._package import package_pt2

    programs = {"first": without_traces(control()[1]), "second": without_traces(open_sizes()[1])}
    package_pt2(os.path.join(folder, "two_models.pt2"), exported_programs=programs)
    with open(os.path.join(folder, "facts.json"), "w") as file:
        json.dump({"torch": torch.__version__, **facts}, file, indent=1)
        file.write("\n")


main()
