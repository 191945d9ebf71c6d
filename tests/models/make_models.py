#!/usr/bin/python3
"""Makes the models the tests read but the repository does not hold.

Does nothing where DIR already holds what these scripts make.
"""

import argparse
import concurrent.futures
import csv
import hashlib
import pathlib

DETECTORS = ["fasterrcnn_resnet50_fpn", "maskrcnn_resnet50_fpn", "retinanet_resnet50_fpn"]
# Newer networks of the zoo: one of each kind. tests/zoo/sources.csv has their other sizes.
NEWER = ["efficientnet_b0", "mobilenet_v3_large", "mobilenet_v3_small", "regnet_y_400mf"]
NETWORKS = ["alexnet", "vgg16", "resnet18", "resnet50", "mobilenet_v2", "vit_b_16", "swin_t"]
# Networks that other tools count beside these (tests/tools/); their weights are not needed.
SKETCHED = ["convnext_tiny", "maxvit_t"]


def scripts_hash():
    scripts = sorted(pathlib.Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(script.read_bytes() for script in scripts)).hexdigest()


# Torch is imported where it is used: it takes a second, which an up-to-date DIR
# need not wait for.
def make_models(out):
    from export_torchvision import export, export_network, sketch_network
    from script_cases import export_script
    from special_cases import export_special_cases
    from tool_cases import tool_cases

    export_special_cases(out)
    for name in NETWORKS:
        export_network(name, out / f"{name}.onnx", strip=True)
    for name in SKETCHED:
        sketch_network(name, out / f"{name}.onnx")
    export_script(out / "small_script.pt")
    (out / "cases").mkdir(exist_ok=True)
    for name, (module, inputs) in tool_cases().items():
        export(module, inputs, out / "cases" / f"{name}.onnx")
    dynamic = out / "mobilenet_v2_dynamic.onnx"
    export_network("mobilenet_v2", dynamic, strip=True, dynamic_batch=True)


def sketch(name, path):
    import torch
    from export_torchvision import sketch_network

    torch.set_num_threads(1)
    sketch_network(name, path)


def make_sketches(out):
    """The other networks that the zoo has, without weights."""
    table = pathlib.Path(__file__).parent.parent / "golden" / "rasp_torchvision_models.csv"
    with table.open() as rows:
        names = DETECTORS + NEWER + [row["model"] for row in csv.DictReader(rows)]
    with concurrent.futures.ProcessPoolExecutor(max_workers=2) as pool:
        made = [
            pool.submit(sketch, name, out / f"{name}.onnx")
            for name in names
            if name not in NETWORKS
        ]
        for one in made:
            one.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--sketches", action="store_true", help="those for tests/zoo/")
    args = parser.parse_args()
    stamp = args.out / ("sketches_made_by" if args.sketches else "made_by")
    if stamp.exists() and stamp.read_text() == scripts_hash():
        return
    args.out.mkdir(parents=True, exist_ok=True)
    if args.sketches:
        make_sketches(args.out)
    else:
        make_models(args.out)
    stamp.write_text(scripts_hash())


if __name__ == "__main__":
    main()
