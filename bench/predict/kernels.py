#!/usr/bin/env python3
"""Turns recordings (record.py) into tables of kernels, as the program itself classes and fuses them.

    python kernels.py --strata build/release/strata --recordings FOLDER --out kernels.npz

For each network, runtime and kernel: the class, and work and bytes as an offset and a slope in the
batch, from the recordings at two batches.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import pathlib
import subprocess
import sys

import numpy

BATCHES = (2, 4)
RUNTIMES = ("eager", "compiled")
FIGURES = ("macs", "flops", "read_bytes", "write_bytes", "outputs", "runs", "weight_bytes")


def table(strata: str, recording: bytes, runtime: str) -> list[dict[str, str]]:
    words = [strata, "predict", "-", "--on", "rtx-4090", "--precision", "fp32", "--runtime", runtime, "--format", "csv"]
    made = subprocess.run(words, input=recording, capture_output=True, check=True)
    return list(csv.DictReader(io.StringIO(made.stdout.decode())))


def affine(strata: str, folder: pathlib.Path, stem: str, runtime: str):
    """Classes, phases, and an array [kernel, figure, (at no batch, per item)]."""
    rows = [table(strata, gzip.decompress((folder / f"{stem}.{batch}.gz").read_bytes()), runtime) for batch in BATCHES]
    one, two = ([[float(row[name]) for name in FIGURES] for row in each] for each in rows)
    classes, phases = ([row[key] for row in rows[0]] for key in ("class", "phase"))
    if classes != [row["class"] for row in rows[1]]:
        raise ValueError("other kernels at another batch")
    one, two = numpy.array(one), numpy.array(two)
    slope = (two - one) / (BATCHES[1] - BATCHES[0])
    return classes, phases, numpy.stack([one - slope * BATCHES[0], slope], axis=2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strata", required=True)
    parser.add_argument("--recordings", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--runtime", action="append")
    options = parser.parse_args()
    stems = sorted(path.name[: -len(f".{BATCHES[1]}.gz")] for path in options.recordings.glob(f"*.{BATCHES[1]}.gz"))
    for runtime in options.runtime or RUNTIMES:
        names, counts, classes, phases, figures = [], [], [], [], []
        for stem in stems:
            try:
                kinds, when, numbers = affine(options.strata, options.recordings, stem, runtime)
            except (subprocess.CalledProcessError, ValueError) as error:
                print(stem, runtime, str(getattr(error, "stderr", error))[:200], sep="\t", file=sys.stderr)
                continue
            names.append(stem)
            counts.append(len(kinds))
            classes += kinds
            phases += when
            figures.append(numbers)
        numpy.savez_compressed(
            options.out.with_suffix(f".{runtime}.npz"), names=names, counts=counts, classes=classes, phases=phases,
            figures=numpy.concatenate(figures), columns=FIGURES,
        )  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
