"""Makes the classifiers of the published benchmark with torch 2.13: ResNet-50, MobileNetV2, ViT-B/16
and BERT with random weights, each as TorchScript (traced, and scripted where that works), as AOTInductor's
packages in fp32 and bf16, and as ONNX. All files of a network have the same weights.

    classifiers.py --out FOLDER [--only NAME]

What is there already is not made again.
"""

import argparse
import copy
import json
import logging
import pathlib
import re
import sys
import warnings

import torch

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "tests" / "pt2"))

from convolutional import NETWORKS  # noqa: E402
from kept import Kept, chosen  # noqa: E402

SIDE = 224
# The batches of each network, and the numbers of threads that packages are compiled for. Generated code
# asks OpenMP for as many threads as there were when it was compiled, whatever the engine is told later.
CASES = {
    "resnet50": [(1, 1), (2, 1), (1, 2)],
    "mobilenet_v2": [(1, 1), (2, 1)],
    "vit_b_16": [(1, 1), (2, 1)],
    "bert": [(1, 1), (2, 1), (1, 2)],
}
TOKENS = 128


class Classifier(torch.nn.Module):
    """A network of transformers with one input and one output."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network(pixel_values=x).logits


class Hidden(torch.nn.Module):
    """The same for one that reads tokens."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network(input_ids=x).last_hidden_state


class InBf16(torch.nn.Module):
    """The same weights in bf16, between an input and an output in fp32."""

    def __init__(self, network):
        super().__init__()
        self.network = copy.deepcopy(network).to(torch.bfloat16)

    def forward(self, x):
        x = x.to(torch.bfloat16) if x.is_floating_point() else x
        return self.network(x).to(torch.float32)


def take_statistics(network):
    """Gives batch normalization the statistics of random images: with none, the signal fades from layer
    to layer until the answer is the last layer's bias, which no rounding changes."""
    norms = [own for own in network.modules() if isinstance(own, torch.nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None  # the mean over all that is seen
        norm.train()
    if norms:
        with torch.no_grad():
            network(torch.randn(8, 3, SIDE, SIDE))
    return network.eval()


def make(name):
    torch.manual_seed(0)
    if name in NETWORKS:
        return take_statistics(NETWORKS[name]().eval())
    import transformers

    if name == "bert":
        return Hidden(transformers.BertModel(transformers.BertConfig(), add_pooling_layer=False)).eval()
    network = transformers.ViTForImageClassification(transformers.ViTConfig(num_labels=1000))
    return Classifier(network).eval()


def example(name, batch):
    if name == "bert":
        return torch.randint(0, 30522, (batch, TOKENS))
    return torch.rand(batch, 3, SIDE, SIDE)


def first_line(error):
    """Without addresses, which are others every time."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(error).strip().splitlines()[0].strip())


def scripted(network, path):
    """Empty, or why the network cannot be scripted."""
    try:
        torch.jit.script(network).save(str(path))
        return ""
    except Exception as error:  # whatever the compiler of TorchScript raises
        return first_line(error)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    names, out = chosen(parser, CASES)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    for name in names:
        folder = Kept(pathlib.Path(out), name)
        network = make(name)
        if folder.is_new(f"{name}.traced.pt"):
            with torch.no_grad():
                torch.jit.trace(network, example(name, 1)).save(str(folder / f"{name}.traced.pt"))
        if folder.is_new("notes.json"):
            why = scripted(network, folder / f"{name}.scripted.pt")
            (folder / "notes.json").write_text(json.dumps({"scripted": why}))
        for batch, threads in CASES[name]:
            given = example(name, batch)
            if folder.is_new(f"b{batch}.onnx"):
                torch.onnx.export(network, (given,), folder / f"b{batch}.onnx", dynamo=True, verbose=False,
                                  input_names=["x"], output_names=["output"], external_data=False)
            for precision, own in [("fp32", network), ("bf16", InBf16(network).eval())]:
                package = f"b{batch}.t{threads}.{precision}.pt2"
                if not folder.is_new(package):
                    continue
                torch.set_num_threads(threads)
                with torch.no_grad():
                    program = torch.export.export(own, (given,))
                    torch._inductor.aoti_compile_and_package(
                        program, package_path=str(folder / package),
                        inductor_configs={"freezing": True})


if __name__ == "__main__":
    main()
