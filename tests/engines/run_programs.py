#!/usr/bin/python3
"""The programs that strata optimize writes beside a model do what they say: the one in C++ is compiled by the line in it,
and both run, in ONNX Runtime and in OpenVINO.

    run_programs.py --strata PROGRAM --engine NAME --include FOLDER --library FILE --packages FOLDER
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def ran(words, **how):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300, **how)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for option in ("strata", "engine", "include", "library", "packages"):
        parser.add_argument(f"--{option}", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        words = [args.strata, "optimize", "zoo:squeezenet1_1?resolution=64&classes=7", "-o", folder / "fast.onnx", "--engine",
                 args.engine, "--precision", "fp32", "--threads", "1", "--max-time", "2s"]  # fmt: skip
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300)
        if done.returncode not in (0, 3):  # 3: a slow moment of the machine made the check fail
            sys.exit(done.stdout + done.stderr)
        source = folder / "fast.onnx.run.cc"
        receipt = json.loads((folder / "fast.onnx.receipt.json").read_text())
        assert [pathlib.Path(each).name for each in receipt["facts"]["programs"]] == ["fast.onnx.run.py", "fast.onnx.run.cc"]
        said = re.search(r"g\+\+ -O2 (-std=c\+\+\d+) -I \w+(/include)? \"fast.onnx.run.cc\"", source.read_text())
        assert said, source.read_text()[:400]
        # Without optimization, which is the slowest part of the test.
        library = pathlib.Path(args.library)
        ran(["g++", "-O0", said[1], "-Wall", "-Werror", "-I", args.include, source, library,
             f"-Wl,-rpath,{library.parent}", "-o", folder / "run"])  # fmt: skip
        lines = ran([folder / "run"], cwd=folder).splitlines()
        assert len(lines) == 10 and all(re.fullmatch(r"\d+\.\d{3} ms, 1 outputs", each) for each in lines), lines
        text = ran([sys.executable, folder / "fast.onnx.run.py"], env={**os.environ, "PYTHONPATH": args.packages})
        assert re.fullmatch(r"\S+ float32 \(1, 7\)\n\d+\.\d{3} ms\n", text), text
    print(f"{args.engine}: both programs run")


if __name__ == "__main__":
    main()
