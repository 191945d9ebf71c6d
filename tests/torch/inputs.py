#!/usr/bin/python3
"""Inputs that are not floats: a scripted network that looks words up takes integers, whose type the file does
not state."""

import argparse
import pathlib
import shutil
import sys
import tempfile

import numpy
import torch

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

from program import Judge, Strata  # noqa: E402

WORDS, WIDTH, CLASSES = 11, 6, 3
BATCH, LENGTH = 2, 7


class Words(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(WORDS, WIDTH)
        self.last = torch.nn.Linear(WIDTH, CLASSES)

    def forward(self, ids, scale):
        return self.last(self.table(ids) * scale)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strata", required=True)
    parser.add_argument("--engines", required=True)
    parser.add_argument("--models", help="not read: the file is made here")
    args = parser.parse_args()
    strata = Strata(args.strata, args.engines)
    judge = Judge()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        words = folder / "words.pt"
        torch.jit.script(Words().eval()).save(str(words))
        scale = ("--input", "scale=1")
        for name in ("int64", "i64", "int32"):
            typed = ("--input", f"ids={BATCH}x{LENGTH}:{name}", *scale)
            rows = {row["layer"]: row for row in strata.rows(str(words), *typed)}
            judge.equal(f"{name}, table: parameters", rows["table"]["params"], WORDS * WIDTH)
            judge.equal(f"{name}, last: parameters", rows["last"]["params"], WIDTH * CLASSES + CLASSES)
            judge.equal(f"{name}, last: products", rows["last"]["macs"], BATCH * LENGTH * WIDTH * CLASSES)
        typed = ("--input", f"ids={BATCH}x{LENGTH}:int64", *scale)
        timed = strata.rows(str(words), *typed, "--time", "--runs", "4")
        judge.true("times", all(row["time"] for row in timed if row["layer"] == "last"))
        quick = ("--max-time", "1s", "--processes", "1", "--engine", "torch:mode=eager")
        row = strata.document("bench", "--pair", f"torch={words}", *typed, *quick)
        row = row["tables"]["variants"]["rows"][0]
        judge.true(f"bench: {row['reason']}", row["median_s"] and not row["reason"])

        # One thread is one, also of the library that multiplies matrices.
        wide = folder / "wide.pt"
        torch.jit.script(torch.nn.Linear(1024, 1024).eval()).save(str(wide))
        timing = strata.document("stat", str(wide), "--input", "input=1024x1024", "--time", "--runs", "20",
                                 "--threads", "1")["facts"]["timing"]
        judge.true(f"processor time {timing['cpu_s']} s in {timing['wall_s']} s",
                   0 < timing["cpu_s"] < 1.1 * timing["wall_s"])

        # The only input of a model needs no name; of two, each does.
        row = strata.rows(str(wide), "--input", "3x1024", "--time", "--runs", "4")[0]
        judge.equal("an input without a name: products", row["macs"], 3 * 1024 * 1024)
        nameless = strata.run("stat", str(words), "--input", "2x7:int64")
        judge.true(f"two inputs, no name: {nameless.stderr!r}", "write NAME=SIZES" in nameless.stderr)

        # A file of elements beside a type that is stated.
        numpy.save(folder / "scale.npy", numpy.full((1,), 2, numpy.float32))
        mixed = ("--input", f"ids={BATCH}x{LENGTH}:int64", "--input", f"scale={folder / 'scale.npy'}")
        done = strata.run("stat", str(words), *mixed, "--memory")
        judge.equal(f"a file beside it: {done.stderr!r}", done.returncode, 0)

        # So it is where nothing is timed: the file has 5 samples, so the last layer does 5 times the products.
        numpy.save(folder / "ids.npy", numpy.zeros((5, LENGTH), numpy.int64))
        five = ("--input", f"ids={folder / 'ids.npy'}", *scale)
        rows = {row["layer"]: row for row in strata.rows(str(words), *five)}
        judge.equal("ids of a file: products", rows["last"]["macs"], 5 * LENGTH * WIDTH * CLASSES)
        crossing = strata.document("payload", str(words), *five, "--boundaries", "--engine-path", args.engines)
        sizes = [row["bytes"] for row in crossing["tables"]["boundaries"]["rows"]
                 if (row["layer"], row["direction"]) == ("last", "out")]
        judge.equal("ids of a file: payload", sizes, [5 * LENGTH * CLASSES * 4])
        unseen = {"STRATA_ENGINE_PATH": str(folder / "nowhere")}
        copied = shutil.copy(args.strata, folder / "strata")  # no engines are beside it
        alone = Strata(copied, str(folder / "nowhere"))
        lost = alone.run("payload", str(words), *five, env=unseen)
        judge.true(f"no engine: {lost.stderr!r}", lost.returncode == 1 and "torch" in lost.stderr)
        given = alone.run("payload", str(words), *five, "--engine-path", args.engines, env=unseen)
        judge.equal(f"an engine by its folder: {given.stderr!r}", given.returncode, 0)

        # Floats are not looked up, and a type that there is not is not a type.
        done = strata.run("stat", str(words), "--input", f"ids={BATCH}x{LENGTH}", *scale)
        judge.equal("floats: exit code", done.returncode, 1)
        judge.true(f"floats: what torch says: {done.stderr!r}", "indices" in done.stderr)
        done = strata.run("stat", str(words), "--input", f"ids={BATCH}x{LENGTH}:long", *scale)
        judge.equal("long: exit code", done.returncode, 2)
        judge.true(f"long: {done.stderr!r}", 'there is no type "long"; there are float32' in done.stderr)
    return judge.finish()


if __name__ == "__main__":
    sys.exit(main())
