#!/usr/bin/python3
"""Exports two networks of torchvision that compute on constants, without weights, and prints what
torch itself says of them: parameters, and the MACs of every product that it runs.

    make_load_work.py DIR

The printed numbers are those of tests/golden/load_work_test.cc.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

import torch
from torch.onnx.symbolic_opset9 import zeros_like
from torch.utils._python_dispatch import TorchDispatchMode
from torchvision.models.optical_flow import raft_small
from torchvision.models.swin_transformer import (
    PatchMergingV2,
    SwinTransformer,
    SwinTransformerBlockV2,
)

from export_torchvision import OPSET, SEED, make_weights_differ, strip_weights


class Macs(TorchDispatchMode):
    """Adds up the products of all matrices and convolutions that torch runs."""

    def __init__(self):
        super().__init__()
        self.total = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        name = function._schema.name
        if name in ("aten::mm", "aten::bmm"):
            self.total += args[0].numel() * args[1].shape[-1]
        elif name in ("aten::addmm", "aten::baddbmm"):
            self.total += args[1].numel() * args[2].shape[-1]
        elif name == "aten::convolution":
            self.total += out.numel() * args[1][0].numel()
        return out


class Flow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.raft = raft_small()

    def forward(self, first, second):
        return self.raft(first, second, num_flow_updates=2)[-1]


def swin_v2():
    """One stage of two blocks and one of one, on windows of 4×4."""
    return SwinTransformer(
        patch_size=[4, 4],
        embed_dim=24,
        depths=[2, 1],
        num_heads=[3, 6],
        window_size=[4, 4],
        num_classes=10,
        block=SwinTransformerBlockV2,
        downsample_layer=PatchMergingV2,
    )


def main():
    import io

    import onnx

    torch.manual_seed(SEED)
    # Swin V2 sets the bias of its keys to zero in place.
    torch.onnx.register_custom_op_symbolic("aten::zero", lambda g, x: zeros_like(g, x), OPSET)
    image = torch.rand(1, 3, 128, 128)
    for name, model, inputs in (
        ("swin_v2", swin_v2(), (torch.rand(1, 3, 64, 64),)),
        ("raft_small", Flow(), (image, image)),
    ):
        make_weights_differ(model)
        model.eval()
        with torch.no_grad(), Macs() as macs:
            model(*inputs)
        buffer = io.BytesIO()
        torch.onnx.export(model, inputs, buffer, opset_version=OPSET)
        exported = onnx.load_model_from_string(buffer.getvalue())
        strip_weights(exported)
        path = pathlib.Path(sys.argv[1]) / f"{name}.onnx"
        onnx.save(exported, str(path))
        parameters = sum(p.numel() for p in model.parameters())
        size = path.stat().st_size
        print(f"{path}: {size} bytes, {parameters} parameters, {macs.total} MACs")


if __name__ == "__main__":
    main()
