#!/usr/bin/python3
"""Counts by other tools of the networks of the tests: the tools themselves, run on the modules.

Writes a CSV file with the columns network, convention, metric and count. Does nothing where FILE is
already what these scripts, these tools and this torch make.
"""

import argparse
import contextlib
import copy
import csv
import hashlib
import importlib.metadata
import io
import logging
import pathlib
import sys
import types
import warnings

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE.parent / "models"
NETWORKS = ["resnet18", "mobilenet_v2", "convnext_tiny", "swin_t", "vit_b_16", "maxvit_t"]


def wanted_stamp():
    """Changes with everything that the counts depend on."""
    text = hashlib.sha256()
    for path in (pathlib.Path(__file__), HERE / "requirements.txt", MODELS / "tool_cases.py"):
        text.update(path.read_bytes())
    for package in ("torch", "torchvision", "numpy"):
        text.update(importlib.metadata.version(package).encode())
    return text.hexdigest()


def ptflops(module, inputs, backend):
    import ptflops

    # Its own input is one tensor of batch 1, and modules may have several.
    names = list(module.forward.__code__.co_varnames[1:])

    def give(_):
        if len(inputs) == 1:
            return inputs[0]
        return dict(zip(names, inputs))

    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        macs, _ = ptflops.get_model_complexity_info(
            module,
            tuple(inputs[0].shape[1:]),
            input_constructor=give,
            as_strings=False,
            print_per_layer_stat=False,
            backend=backend,
        )
    return {"macs": macs}


def fvcore(module, inputs):
    from fvcore.nn import FlopCountAnalysis

    analysis = FlopCountAnalysis(module, inputs)
    analysis.unsupported_ops_warnings(False).uncalled_modules_warnings(False)
    return {"macs": analysis.total()}


def thop(module, inputs):
    import thop

    return {"macs": thop.profile(module, inputs, verbose=False)[0]}


def torchinfo(module, inputs):
    import torchinfo

    summary = torchinfo.summary(module, input_data=list(inputs), verbose=0)
    return {"macs": summary.total_mult_adds}


def torchinfo_main(module, inputs):
    """The rule that follows 1.8.0, on what 1.8.0 records: a Linear counts at every position."""
    import torchinfo

    macs = 0
    summary = torchinfo.summary(module, input_data=list(inputs), verbose=0)
    for layer in summary.summary_list:
        if not layer.is_leaf_layer:
            continue
        positions = 1
        for size in layer.output_size[1:-1]:
            positions *= size
        macs += layer.macs * (positions if "Linear" in layer.class_name else 1)
    return {"macs": macs}


def torchprofile(module, inputs):
    """`sizes`: how much of the count is products of sizes, which are numbers and not tensors."""
    import torchprofile

    counts = torchprofile.profile_macs(module, inputs, reduction=None)
    sizes = [
        count
        for node, count in counts.items()
        if node.operator == "aten::mul" and not node.outputs[0].shape
    ]
    return {"macs": sum(counts.values()), "sizes": sum(sizes)}


def calflops(module, inputs):
    # It imports these for models of a hub, and has no use for them here.
    for name, members in {
        "accelerate": ["init_empty_weights"],
        "accelerate.utils": ["is_timm_available", "is_transformers_available"],
        "huggingface_hub": ["model_info"],
        "huggingface_hub.utils": ["GatedRepoError", "RepositoryNotFoundError"],
        "transformers": ["AutoTokenizer"],
    }.items():
        package = sys.modules.setdefault(name, types.ModuleType(name))
        for member in members:
            setattr(package, member, lambda *arguments: False)
    from calflops import calculate_flops

    flops, macs, _ = calculate_flops(
        module, args=list(inputs), print_results=False, output_as_string=False
    )
    return {"flops": flops, "macs": macs}


TOOLS = {
    "calflops": calflops,
    "fvcore": fvcore,
    "ptflops": lambda module, inputs: ptflops(module, inputs, "pytorch"),
    "ptflops-aten": lambda module, inputs: ptflops(module, inputs, "aten"),
    "thop": thop,
    "torchinfo": torchinfo,
    "torchinfo-main": torchinfo_main,
    "torchprofile": torchprofile,
}


def call_attention_by_position():
    """Calls modules as later versions of torchvision do: hooks of modules see no named arguments."""
    from torchvision.models.vision_transformer import EncoderBlock

    def forward(self, x):
        y = self.ln_1(x)
        y, _ = self.self_attention(y, y, y, need_weights=False)
        x = x + self.dropout(y)
        return x + self.mlp(self.ln_2(x))

    EncoderBlock.forward = forward


def count(rows):
    sys.path.insert(0, str(MODELS))
    import torch
    import torchvision
    from tool_cases import tool_cases

    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.manual_seed(1)
    torch.set_num_threads(1)  # threads that wait for each other spin
    call_attention_by_position()

    def add(name, module, inputs):
        for tool, run in TOOLS.items():
            try:
                counts = run(copy.deepcopy(module).eval(), inputs)
            except Exception as problem:
                raise RuntimeError(f"{tool} on {name}: {problem}") from problem
            for metric, number in counts.items():
                rows.writerow([name, tool, metric, "" if number is None else round(float(number))])

    for name in NETWORKS:
        network = torchvision.models.get_model(name, weights=None)
        add(name, network, (torch.randn(1, 3, 224, 224),))
    for name, (module, inputs) in tool_cases().items():
        add(f"cases/{name}", module, inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packages", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="FILE")
    args = parser.parse_args()
    stamp = args.out.with_suffix(".made_by")
    if args.out.exists() and stamp.exists() and stamp.read_text() == wanted_stamp():
        return
    sys.path.insert(0, str(args.packages))
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["network", "convention", "metric", "count"])
    count(rows)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(text.getvalue())
    stamp.write_text(wanted_stamp())


if __name__ == "__main__":
    main()
