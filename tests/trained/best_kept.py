#!/usr/bin/python3
"""best_kept.py [--strata STRATA] [--pairs] [NAME ...]: which one layer, and which two, are best left in float.

Rounds all layers but one, and all but each pair, by brute force (oracle.py and, for digits,
../oracle/sensitivity_digits.py: neither strata nor an engine), and compares with what
`strata sensitivity --leave-one-out` advises. The gain is the part of the joint drop that goes away.
"""
import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "oracle")]
import oracle  # noqa: E402
import sensitivity_digits  # noqa: E402

SAMPLES = 32
NETWORKS = {"digits": "images.npz", "words": "sounds.npz", "fashion": "images.npz"}


def path_of(name):
    """The name that strata gives a layer: /features/features.1/spatial/spatial.0/Conv is features.1.spatial.0."""
    path, before = [], None
    for part in name.strip("/").split("/")[:-1]:
        nested = before is not None and part.startswith(before + ".")
        path.append(part[len(before) + 1:] if nested else part)
        before = part
    return ".".join(path)


def digits(folder):
    network = sensitivity_digits.Network(str(folder / "digits.onnx"))
    images = next(iter(numpy.load(folder / "images.npz").values()))[:SAMPLES].astype(numpy.float64)
    ranges, exact = {}, []
    for image in images.reshape(len(images), 1, 1, 8, 8):
        seen = {}
        exact.append(network.run(image, seen=seen))
        for name, values in seen.items():
            low, high = ranges.get(name, (0.0, 0.0))
            ranges[name] = (min(low, values.min()), max(high, values.max()))

    def drop(rounded):
        others = [network.run(image, frozenset(rounded), ranges)
                  for image in images.reshape(len(images), 1, 1, 8, 8)]
        return 10 ** (-sensitivity_digits.sqnr(exact, others) / 10)
    return [layer.name() for layer in network.layers], network.layers, drop


def other(folder, name, samples):
    network = oracle.Network(folder / f"{name}.onnx")
    batch = torch.from_numpy(numpy.load(folder / samples)[network.input]).double()[:SAMPLES]
    ranges = {network.input: (float(batch.min()), float(batch.max()))}

    def see(tensor, value):
        if value.numel() and value.is_floating_point():
            ranges[tensor] = (float(value.min()), float(value.max()))
    network.run(batch, seen=see)
    floats = network.run(batch)
    drop = lambda rounded: oracle.figures(floats, network.run(batch, rounded, ranges))["drop"]
    return [path_of(layer["node"].name) for layer in network.layers], network.layers, drop


def advice(strata, folder, name, samples):
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "found.json"
        command = [strata, "sensitivity", folder / f"{name}.onnx", "--batch", "1", "--data", folder / samples,
                   "--samples", str(SAMPLES), "--leave-one-out", "--format", "json", "-o", out]
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
        return json.loads(out.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strata", help="the program; without it only brute force is printed")
    parser.add_argument("--pairs", action="store_true", help="also try every pair of layers")
    parser.add_argument("networks", nargs="*", default=list(NETWORKS))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for name in arguments.networks:
        folder = HERE.parent / "models" / name
        with torch.no_grad():
            names, layers, drop = digits(folder) if name == "digits" else other(folder, name, NETWORKS[name])
            joint = drop(layers)

            def gain(kept):
                return 1 - drop([layer for l, layer in enumerate(layers) if l not in kept]) / joint
            singles = sorted(((gain({l}), names[l]) for l in range(len(layers))), reverse=True)
            print(f"{name}: {len(names)} layers; all rounded, the drop is {joint:.3g}")
            print("  brute force, one layer:", *(f"{n} {100 * g:.1f} %;" for g, n in singles[:4]), flush=True)
            if arguments.strata:
                told = advice(arguments.strata, folder, name, NETWORKS[name])
                whole = 10 ** (-told["facts"]["joint"]["value"] / 10)
                gains = sorted(((1 - 10 ** (-row["left_out"] / 10) / whole, row["layer"])
                                for row in told["tables"]["layers"]["rows"] if row["left_out"] is not None), reverse=True)
                print("  strata:                ", *(f"{n} {100 * g:.1f} %;" for g, n in gains[:4]), flush=True)
            if not arguments.pairs:
                continue
            pairs = sorted(((gain({a, b}), names[a], names[b])
                            for a, b in itertools.combinations(range(len(layers)), 2)), reverse=True)
            print("  brute force, two layers:", *(f"{a} + {b} {100 * g:.1f} %;" for g, a, b in pairs[:4]), flush=True)


if __name__ == "__main__":
    main()
