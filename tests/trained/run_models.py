#!/usr/bin/python3
"""Runs the whole way on every trained network and writes a report: profile, time, ranges,
sensitivity, int8 with and without layers kept in float, comparison, and the network's own measure.

    run_models.py --strata build/release/strata --out build/trained [CASE ...]

What a step gave is kept in OUT/runs/CASE with what it was made from: the next run does a step again
only if its command, the network, its samples or strata itself are others. OUT/report.md is written
from all cases that are complete, after every case; --docs puts it into docs/trained.md, too.
"""

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy

import cases
import judge
import places
import report

SENSITIVITY_SAMPLES = 16
BENCH_TIME = "20s"
THREADS = "1"


def digest(*parts):
    made = hashlib.sha256()
    for part in parts:
        made.update(part.read_bytes() if isinstance(part, pathlib.Path) else str(part).encode())
        made.update(b"\0")
    return made.hexdigest()


class Way:
    """The steps of one case."""

    def __init__(self, name, strata, at):
        self.name, self.strata, self.at = name, strata, at
        self.case = cases.load(name)
        self.folder = at.of(name)
        self.model, self.samples = judge.prepare(name, at)
        # Only what is built: other files of the build folder come and go.
        engines = sorted((strata.parent / "engines").glob("*.so*"))
        self.key = digest(strata, *engines, self.model, self.samples)

    def step(self, name, make, *command):
        """The result of `make`, kept from an earlier run of the same command."""
        key = digest(self.key, *map(str, command))
        kept = self.folder / f"{name}.json"
        if kept.exists():
            before = json.loads(kept.read_text())
            if before["key"] == key:
                return before["result"]
        print(f"{self.name}: {name}", flush=True)
        began = time.monotonic()
        result = make(*command)
        text = json.dumps({"key": key, "seconds": time.monotonic() - began, "result": result})
        part = kept.with_suffix(".part")
        part.write_text(text)
        part.rename(kept)
        return result

    def run(self, *command, expected=(0,)):
        done = subprocess.run([str(self.strata), *map(str, command)], capture_output=True, text=True)
        if done.returncode not in expected:
            raise RuntimeError(f"strata {' '.join(map(str, command))}: exit code "
                               f"{done.returncode}\n{done.stderr.strip()}")
        return done

    def read(self, *command, expected=(0,)):
        """The JSON that a command prints; None where it printed none, and what it said instead."""
        done = self.run(*command, "--format", "json", expected=expected)
        if not done.stdout.strip():
            return {"failed": done.stderr.strip().splitlines()[-1], "exit_code": done.returncode}
        return json.loads(done.stdout)

    def one_sample(self):
        """A file with the first sample, to run times on what is real."""
        path = self.folder / "one.npz"
        arrays = dict(numpy.load(self.samples))
        count = self.case.CALIBRATE + self.case.HELD_OUT
        if not path.exists():
            numpy.savez(path, **{key: values[:len(values) // count]
                                 for key, values in arrays.items()})
        return path

    def walk(self):
        case, sizes = self.case, self.case.SIZES
        data = ["--data", self.samples]
        one = self.one_sample()
        ranges = self.folder / "ranges.json"
        held_out = getattr(case, "SENSITIVITY", SENSITIVITY_SAMPLES)
        out = {"stat": self.step("stat", self.read, "stat", self.model, *sizes)}
        out["time"] = self.step("time", self.read, "stat", self.model, *sizes, "--time",
                                "--threads", THREADS, "--input", one)

        def calibrate(*command):
            ranges.unlink(missing_ok=True)
            return self.run(*command).stdout
        self.step("calibrate", calibrate, "calibrate", self.model, *sizes, *data, "--samples",
                  case.CALIBRATE, "-o", ranges)

        def sensitivity(name, *options):
            return self.step(name, lambda *command: slim(self.read(*command)), "sensitivity",
                             self.model, *sizes, *data, "--offset", case.CALIBRATE, "--ranges",
                             ranges, "--plot", self.folder / f"{name}.svg", *options)
        out["sensitivity"] = sensitivity("sensitivity", "--samples", held_out, "--leave-one-out")
        if hasattr(case, "labels"):
            out["own"] = sensitivity("own_measure", "--samples", case.HELD_OUT, "--labels",
                                     case.labels(self.at))
        elif hasattr(case, "agreement"):
            program = f"{sys.executable} -B {judge.__file__} --out {self.at.out} --agreement"
            out["own"] = sensitivity("own_measure", "--samples", case.AGREEMENT, "--metric-cmd",
                                     f'{program} {self.name} "$1" "$2"')

        for kind, options in (("int8", []), ("auto", ["--keep-float", "auto"])):
            written = self.folder / f"{kind}.onnx"
            # 3: a target that cannot be met; 1: the file would not be what was asked for.
            out[kind] = self.step(
                f"quantize_{kind}", lambda *command: self.read(*command, expected=(0, 1, 3)),
                "quantize", self.model, *sizes, *data, "--ranges", ranges, "--held-out",
                case.HELD_OUT, "--threads", THREADS, *options, "-o", written)
            if "failed" in out[kind]:
                continue
            out[f"{kind}_quality"] = self.step(
                f"quality_{kind}", lambda case, path, _: judge.judge(case, path, self.at),
                self.name, written, digest(written))
        out["quality"] = self.step("quality", lambda case, path: judge.judge(case, path, self.at),
                                   self.name, self.model)
        name = f"{self.model.stem}={self.folder / 'int8.onnx'}"
        out["bench"] = self.step("bench", lambda *command: slim(self.read(*command)),
                                 "bench", self.model, *sizes, "--precision", "fp32,int8", "--int8",
                                 name, "--input", one, "--threads", THREADS, "--min-sqnr", "-100",
                                 "--max-time", BENCH_TIME)
        return out


def slim(result):
    """Without the samples behind the figures, which are megabytes."""
    if isinstance(result, dict):
        return {key: slim(value) for key, value in result.items()
                if key not in ("scores", "left_out_scores", "processes", "score_columns")}
    return [slim(value) for value in result] if isinstance(result, list) else result


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strata", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--docs", action="store_true", help="write the tables into docs/trained.md")
    parser.add_argument("names", nargs="*", metavar="CASE", help="of " + ", ".join(cases.NAMES))
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(cases.NAMES)
    if unknown:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    at = places.Places(arguments.out.resolve())
    sys.path.insert(0, str(at.packages))
    failed = []
    for name in arguments.names or cases.NAMES:
        began = time.monotonic()
        try:
            found = Way(name, arguments.strata.resolve(), at).walk()
        except (RuntimeError, OSError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed.append(name)
            continue
        found["strata"] = digest(arguments.strata.resolve())
        (at.of(name) / "result.json").write_text(json.dumps(found))
        print(f"{name}: done in {time.monotonic() - began:.0f} s", flush=True)
        report.write(at)
    print(f"report: {at.out / 'report.md'}")
    if arguments.docs:
        report.put_into(places.SOURCE / "docs/trained.md", at)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
