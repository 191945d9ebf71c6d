#!/usr/bin/python3
"""Makes the models the tests read but the repository does not hold.

Does nothing where DIR already holds what these scripts make.
"""

import argparse
import hashlib
import pathlib

NETWORKS = ["alexnet", "vgg16", "resnet18", "resnet50", "mobilenet_v2", "vit_b_16", "swin_t"]


def scripts_hash():
    scripts = sorted(pathlib.Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(script.read_bytes() for script in scripts)).hexdigest()


def make_models(out):
    # Imported here: they take a second, which an up-to-date DIR need not wait for.
    from export_torchvision import export_network
    from special_cases import export_special_cases

    out.mkdir(parents=True, exist_ok=True)
    export_special_cases(out)
    for name in NETWORKS:
        export_network(name, out / f"{name}.onnx", strip=True)
    dynamic = out / "mobilenet_v2_dynamic.onnx"
    export_network("mobilenet_v2", dynamic, strip=True, dynamic_batch=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    out = parser.parse_args().out
    stamp = out / "made_by"
    if stamp.exists() and stamp.read_text() == scripts_hash():
        return
    make_models(out)
    stamp.write_text(scripts_hash())


if __name__ == "__main__":
    main()
