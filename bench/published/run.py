#!/usr/bin/python3
"""The published benchmark, redone: makes the models, measures them, and writes docs/published-benchmark.md.

    run.py --strata build/test/strata --torch build/torch/bin/python --out build/published

Each comparison is one `strata bench`, whose document is kept in OUT/runs. The same command does again only
those that are missing or were shorter, or whose command, program, engines or files are others, and writes the
page after each of them. --only PART runs those whose name has PART in it; --most SECONDS shortens all of them.
"""

import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

import page

HERE = pathlib.Path(__file__).parent
SCRIPTS = ["eager", "frozen", "optimized"]
CLASSIFIERS = ["resnet50", "mobilenet_v2", "vit_b_16", "bert"]
DETECTORS = ["retinanet_resnet50_fpn", "fasterrcnn_resnet50_fpn", "maskrcnn_resnet50_fpn"]
OWN_DETECTORS = ["cascadercnn_resnet50_fpn", "maskrcnn_resnet50_c4"]  # traced with one image alone, as published
HYBRIDS = DETECTORS


@dataclasses.dataclass
class Comparison:
    """One run of `strata bench`, in the folder of a network."""

    network: str
    export: str  # traced or scripted
    batch: int = 1
    threads: int = 1
    script: str = ""  # the TorchScript file
    package: bool = False  # whether AOTInductor is
    modes: list = dataclasses.field(default_factory=lambda: SCRIPTS)
    precisions: str = "fp32,bf16,int8"
    seconds: int = 120
    processes: int = 5
    warmup: int = -1  # runs before those that count in each process; -1: until there is no trend
    old_torch: bool = False  # runs on Debian's
    raw: bool = False  # without what follows the network

    @property
    def name(self):
        threads = f".{self.threads}threads" if self.threads > 1 else ""
        return f"{self.network}.{self.export}{'.raw' if self.raw else ''}.b{self.batch}{threads}"

    @property
    def onnx(self):
        return "raw.onnx" if self.raw else f"b{self.batch}.onnx"

    def files(self):
        names = [self.script, self.onnx]
        if self.package:
            names += [f"b{self.batch}.t{self.threads}.{own}.pt2" for own in ("fp32", "bf16")]
        return names + ([f"b{self.batch}.images.npy"] if self.old_torch else [])

    def in_precisions(self, engine, can):
        """The engine, asked for those precisions alone that it can compute in."""
        chosen = [name for name in self.precisions.split(",") if name in can]
        return f"{engine}{',' if ':' in engine else ':'}precision={'+'.join(chosen)}"

    def limit(self, most):
        """Seconds that it may take."""
        return min(self.seconds, most) if most else self.seconds

    def command(self, strata, output, most):
        # Torch quantizes in Python alone, what is optimized for inference stays in fp32, and ONNX Runtime
        # has no bf16 on a CPU.
        engines = [self.in_precisions(f"torch:mode={mode}",
                                      ["fp32"] if mode == "optimized" else ["fp32", "bf16"])
                   for mode in self.modes]
        if self.package:
            start = f"b{self.batch}.t{self.threads}"
            engines.append(self.in_precisions(
                f"torch:package={start}.fp32.pt2,package_bf16={start}.bf16.pt2", ["fp32", "bf16"]))
        engines.append(self.in_precisions("onnxruntime", ["fp32", "int8"]))
        engines.append(self.in_precisions("openvino", ["fp32", "bf16", "int8"]))
        words = [str(strata), "bench", "--pair", f"torch={self.script},onnxruntime={self.onnx},openvino={self.onnx}",
                 "--engine", ",".join(engines), "--threads", str(self.threads),
                 "--processes", str(self.processes), "--min-sqnr", str(page.MIN_SQNR_DB),
                 "--max-time", f"{self.limit(most)}s"]
        if self.warmup >= 0:
            words += ["--warmup", str(self.warmup)]
        if self.old_torch:
            words += ["--input", f"images=b{self.batch}.images.npy"]
        base = f"torch:mode={self.modes[0]}"
        base += f" {self.threads} threads" if self.threads > 1 else ""
        base += f" batch {self.batch}" if self.batch > 1 else ""
        return words + ["--base", base, "-o", str(output)]


def comparisons():
    for name in CLASSIFIERS:
        common = {"network": name, "export": "traced", "script": f"{name}.traced.pt", "package": True}
        yield Comparison(**common)
        yield Comparison(**common, batch=2)
        if name in ("resnet50", "bert"):
            yield Comparison(**common, threads=2)
        yield Comparison(network=name, export="scripted", script=f"{name}.scripted.pt",
                         precisions="fp32,bf16", seconds=75)
    for name in DETECTORS:
        # TorchScript watches the first run and compiles in the second.
        common = {"network": name, "old_torch": True, "processes": 3, "warmup": 2}
        scripted = {**common, "export": "scripted", "script": f"{name}.scripted.pt"}
        slow = 2 if name.startswith("maskrcnn") else 1
        yield Comparison(**scripted, seconds=120 * slow)
        yield Comparison(**scripted, batch=2, precisions="fp32", seconds=240 * slow)
        traced = {**common, "export": "traced", "precisions": "fp32", "modes": ["eager", "frozen"], "seconds": 90 * slow}
        yield Comparison(**traced, script=f"{name}.traced.pt")
        if name.startswith("maskrcnn"):
            yield Comparison(**traced, script="raw.traced.pt", raw=True)
    for name in OWN_DETECTORS:
        yield Comparison(network=name, old_torch=True, processes=3, warmup=2, export="traced", script=f"{name}.traced.pt",
                         precisions="fp32", modes=["eager", "frozen"], seconds=900 if "c4" in name else 180)


def digest(*parts):
    made = hashlib.sha256()
    for part in parts:
        made.update(part.read_bytes() if isinstance(part, pathlib.Path) else str(part).encode())
        made.update(b"\0")
    return made.hexdigest()


class Way:
    """All comparisons, and what came of them."""

    def __init__(self, args):
        self.args = args
        self.runs = args.out / "runs"
        self.runs.mkdir(parents=True, exist_ok=True)
        beside = args.strata.parent
        others = sorted(beside.glob("engines-torch*"))  # the build's second PyTorch
        self.engines = {False: args.engines or beside / "engines",
                        True: args.old_engines or (others or [beside / "engines"])[0]}
        libraries = [file for folder in self.engines.values() for file in sorted(folder.glob("*.so*"))]
        self.program = digest(args.strata, *libraries)

    def make_models(self):
        wanted = {one.network for one in comparisons() if self.args.only in one.name}
        for script, python, names in [("classifiers.py", self.args.torch, CLASSIFIERS),
                                      ("detectors.py", "/usr/bin/python3", DETECTORS + OWN_DETECTORS)]:
            for name in names:
                if name in wanted:
                    subprocess.run([python, "-B", HERE / script, "--out", self.args.out, "--only", name],
                                   check=True)

    def result(self, one):
        """The document of a comparison, if it is there, of this program, and of no shorter run than is asked for."""
        kept = self.runs / f"{one.name}.json"
        known = self.runs / f"{one.name}.key"
        if not kept.exists() or not known.exists() or known.read_text() != self.key(one):
            return None
        document = json.loads(kept.read_text())
        is_long = document["facts"]["method"]["max_seconds"] >= one.limit(self.args.most)
        return document if is_long else None

    def key(self, one):
        """A key of what is measured, whatever the duration."""
        folder = self.args.out / one.network
        sizes = [(folder / name).stat().st_size for name in one.files()]
        return digest(self.program, one.command("strata", "", 1), sizes)

    def run(self, one):
        folder = self.args.out / one.network
        if one.export == "scripted" and not (folder / one.script).exists():
            return  # notes.json has the reason
        if self.result(one) is not None:
            return
        print(f"{time.strftime('%H:%M:%S')} {one.name}", flush=True)
        output = self.runs / f"{one.name}.json"
        output.unlink(missing_ok=True)
        done = subprocess.run(
            one.command(self.args.strata, output, self.args.most), cwd=folder,
            env={**os.environ, "STRATA_ENGINE_PATH": str(self.engines[one.old_torch])})
        if done.returncode in (0, 1) and output.exists():
            (self.runs / f"{one.name}.key").write_text(self.key(one))
        elif done.returncode == 130:
            sys.exit(130)
        else:
            print(f"{one.name}: exit code {done.returncode}", file=sys.stderr)

    def run_hybrids(self):
        """strata.optimize on the detectors, in Debian's torch, if it is told where its packages are."""
        folder = self.args.out / "hybrids"
        if self.args.packages is None:
            return
        folder.mkdir(exist_ok=True)
        for name in HYBRIDS:
            for precision in ("fp32", "bf16", "int8"):
                file = folder / f"{name}.{precision}.json"
                if file.exists() or self.args.only not in f"{name}.hybrid":
                    continue
                print(f"{time.strftime('%H:%M:%S')} {name}.hybrid.{precision}", flush=True)
                done = subprocess.run(
                    ["/usr/bin/python3", "-B", HERE.parent / "optimize" / "detectors.py", "--only", name, "--precisions", precision],
                    stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(self.args.packages),
                                                 "STRATA_NATIVE": str(self.args.strata.parent)})
                if done.returncode == 0:
                    file.write_bytes(done.stdout)

    def write_page(self):
        results, notes = [], {}
        for one in comparisons():
            known = self.args.out / one.network / "notes.json"
            if known.exists():
                notes[one.network] = json.loads(known.read_text())
            if all((self.args.out / one.network / name).exists() for name in one.files()):
                document = self.result(one)
                if document is not None:
                    results.append((one, document))
        if results:
            self.args.page.write_text(page.text_of(results, notes, self.args.out / "hybrids"))


def main():
    root = HERE.parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--strata", type=pathlib.Path, required=True)
    parser.add_argument("--torch", required=True, help="the Python that has torch 2.13")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--engines", type=pathlib.Path, help="with torch 2.13; beside the program")
    parser.add_argument("--old-engines", type=pathlib.Path, help="with Debian's torch 1.13")
    parser.add_argument("--packages", help="PYTHONPATH with strata, onnxruntime and openvino: also measures strata.optimize")
    parser.add_argument("--page", type=pathlib.Path, default=root / "docs" / "published-benchmark.md")
    parser.add_argument("--only", default="", metavar="PART")
    parser.add_argument("--most", type=int, default=0, metavar="SECONDS")
    args = parser.parse_args()
    args.strata, args.out = args.strata.resolve(), args.out.resolve()
    way = Way(args)
    way.make_models()
    for one in comparisons():
        if args.only in one.name:
            way.run(one)
            way.write_page()
    way.run_hybrids()
    way.write_page()


if __name__ == "__main__":
    main()
