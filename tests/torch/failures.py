#!/usr/bin/python3
"""Files that PyTorch cannot run, and engines that break: one sentence each, and the program goes on."""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

import torch

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

from program import Judge, Strata  # noqa: E402

ENDS = {
    "crash.c": 'extern int raise(int); __attribute__((constructor)) static void end(void) { raise(11); }',
    "leave.c": 'extern void _exit(int); __attribute__((constructor)) static void end(void) { _exit(3); }',
}


class Scaled(torch.nn.Module):
    def forward(self, x, factor: float):
        return x * factor


class Own(torch.nn.Module):
    def forward(self, x):
        return torch.ops.strata_test.twice(x)


def library(folder, name, text):
    source = folder / name
    source.write_text(text)
    made = folder / (source.stem + ".so")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", made, source], check=True)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strata", required=True)
    parser.add_argument("--engines", required=True)
    parser.add_argument("--models", help="not read: the files are made here")
    args = parser.parse_args()
    strata = Strata(args.strata, args.engines)
    judge = Judge()

    def refused(what, words, *parts, code=1, env=None):
        done = strata.run("stat", *words, env=env)
        judge.equal(f"{what}: exit code", done.returncode, code)
        for part in parts:
            judge.true(f"{what}: {part!r} in {done.stderr!r}", part in done.stderr)
        judge.true(f"{what}: a sentence, not a trace: {done.stderr!r}", done.stderr.count("\n") <= 4)

    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        line = folder / "line.pt"
        torch.jit.script(torch.nn.Linear(4, 2).eval()).save(str(line))
        scaled = folder / "scaled.pt"
        torch.jit.script(Scaled()).save(str(scaled))
        judge.equal("a right file", strata.run("stat", str(line), "--input", "input=1x4").returncode, 0)

        refused("no shapes", [str(line)], "--input input=1x3x224x224", code=2)
        refused("a wrong shape", [str(line), "--input", "input=1x5"], "1x5 and 4x2")
        refused("no such input", [str(line), "--input", "y=1x4"], 'no input "y"', '"input" Tensor', code=2)
        refused("a number", [str(scaled), "--input", "x=1x4"], '"factor", a float')
        # Half a file has no directory, so that it is not known what it is.
        (folder / "half.pt").write_bytes(line.read_bytes()[: line.stat().st_size // 2])
        refused("half a file", [str(folder / "half.pt"), "--input", "input=1x4"], "half.pt")

        namespace = torch.library.Library("strata_test", "DEF")
        namespace.define("twice(Tensor x) -> Tensor")
        namespace.impl("twice", lambda x: x + x, "CompositeExplicitAutograd")
        own = folder / "own.pt"
        torch.jit.script(Own()).save(str(own))
        refused("an operator that is not there", [str(own), "--input", "x=1x4"], "strata_test::twice",
                "library=FILE")

        timed = [str(line), "--input", "input=1x4", "--time"]
        crash = library(folder, "crash.c", ENDS["crash.c"])
        refused("a library that crashes", [*timed, "--engine", f"torch:library={crash}"], "crashed")
        leave = library(folder, "leave.c", ENDS["leave.c"])
        refused("a library that leaves", [*timed, "--engine", f"torch:library={leave}"], "exit")

        # The plugin beside a libtorch that is none, as of another version, and beside none at all.
        for name, text, part in [
            ("other", "int strata_nothing;", "another version"),
            ("none", None, "does not find it"),
        ]:
            place = folder / name
            place.mkdir()
            for plugin in pathlib.Path(args.engines).glob("libstrata_*torch.so"):
                shutil.copy(plugin, place)
            worker = place / "libstrata_torch.so"
            if text is None:
                worker.unlink()
            else:
                stand_in = library(folder, "empty.c", text)
                needed = subprocess.run(["readelf", "-d", worker], capture_output=True, text=True)
                for entry in needed.stdout.splitlines():
                    if "NEEDED" in entry and ("torch" in entry or "c10" in entry):
                        shutil.copy(stand_in, place / entry.split("[")[1].rstrip("]"))
            env = {"STRATA_ENGINE_PATH": str(place), "LD_LIBRARY_PATH": str(place)}
            # Beside the program itself there are engines that work.
            alone = Strata(str(shutil.copy(args.strata, place)), str(place))
            done = alone.run("engines", "torch", env=env)
            judge.true(f"{name}: {done.stdout + done.stderr!r}", part in done.stdout + done.stderr)
            judge.true(f"{name}: says the version", "was built for PyTorch" in done.stdout + done.stderr)
        empty = folder / "empty"
        empty.mkdir()
        alone = Strata(str(shutil.copy(args.strata, empty)), str(empty))
        done = alone.run("stat", str(line), "--input", "input=1x4")
        judge.equal("no engine: exit code", done.returncode, 1)
        for part in ["the engine torch", "not on this machine", "torch.export.save(torch.export.export("]:
            judge.true(f"no engine: {part!r} in {done.stderr!r}", part in done.stderr)
        judge.equal(f"no engine, lines: {done.stderr!r}", done.stderr.count("\n"), 2)
    return judge.finish()


if __name__ == "__main__":
    sys.exit(main())
