#!/usr/bin/python3
"""One small network as TorchScript, as AOTInductor's packages and as ONNX: all give Python's answer, one
comparison runs them all, and what a package cannot do is one sentence. Runs in torch 2.13's Python."""

import argparse
import copy
import logging
import pathlib
import sys
import tempfile
import warnings

import numpy
import torch

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

from program import Judge, Strata  # noqa: E402

SHAPE = (2, 3, 20, 24)


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)
        self.second = torch.nn.Conv2d(8, 8, 3, stride=2, groups=8)
        self.last = torch.nn.Linear(8, 5)

    def forward(self, x):
        x = torch.relu(self.norm(self.first(x)))
        return self.last(torch.relu(self.second(x)).mean((2, 3)))


class InBf16(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = copy.deepcopy(network).to(torch.bfloat16)

    def forward(self, x):
        return self.network(x.to(torch.bfloat16)).to(torch.float32)


class Scaled(torch.nn.Module):
    """The network, and its answer a bit wrong."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network(x) * 1.01


def compile_to(path, network, example):
    with torch.no_grad():
        program = torch.export.export(network, example)
        torch._inductor.aoti_compile_and_package(program, package_path=str(path))
    return program


def make(folder):
    torch.manual_seed(0)
    network = Small().eval()
    torch.nn.init.uniform_(network.norm.weight, 0.5, 1.5)
    torch.nn.init.uniform_(network.norm.running_var, 0.5, 1.5)
    image = torch.randn(SHAPE)
    numpy.save(folder / "image.npy", image.numpy())
    with torch.no_grad():
        torch.jit.trace(network, image).save(str(folder / "small.pt"))
        program = compile_to(folder / "fp32.pt2", network, (image,))
        compile_to(folder / "bf16.pt2", InBf16(network).eval(), (image,))
        compile_to(folder / "wrong.pt2", Scaled(network).eval(), (image,))
    torch.export.save(program, folder / "exported.pt2")
    torch.onnx.export(network, (image,), folder / "small.onnx", dynamo=True, verbose=False,
                      input_names=["x"], output_names=["output"], external_data=False)
    torch.onnx.export(network, (image,), folder / "renamed.onnx", dynamo=True, verbose=False,
                      input_names=["picture"], output_names=["scores"], external_data=False)
    return network, image


def ratio_of_bf16(network, image):
    """Signal over noise of the network in bf16, in dB."""
    with torch.no_grad():
        right = network(image).double()
        rounded = InBf16(network)(image).double()
    signal, noise = float((right**2).sum()), float(((rounded - right) ** 2).sum())
    return 10 * numpy.log10(signal / noise)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strata", required=True)
    parser.add_argument("--engines", required=True)
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    strata = Strata(args.strata, args.engines)
    judge = Judge()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        network, image = make(folder)
        script, onnx = folder / "small.pt", folder / "small.onnx"
        pair = ("--pair", f"torch={script},onnxruntime={onnx}", "--input", f"x={folder / 'image.npy'}")
        quick = ("--max-time", "2s", "--processes", "1", "--until", "50%")

        # ----- all of them in one comparison
        packages = f"torch:package={folder / 'fp32.pt2'},package_bf16={folder / 'bf16.pt2'}"
        names = ["torch:mode=eager", "torch:mode=frozen", "torch:mode=optimized", packages, "onnxruntime"]
        document = strata.document("bench", *pair, *quick, "--engine", ",".join(names), "--precision",
                                   "fp32,bf16", "--base", "torch:mode=eager")
        rows = {(row["backend"], row["precision"]): row
                for row in document["tables"]["variants"]["rows"]}
        for name in names:
            row = rows[name, "fp32"]
            judge.true(f"{name} runs: {row['reason']}", row["median_s"] and not row["reason"])
            if not row["base"]:
                judge.true(f"{name}, error {row['relative_error']}", (row["relative_error"] or 0) < 1e-5)
        wanted = ratio_of_bf16(network, image)
        found = rows[packages, "bf16"]
        judge.true(f"bf16's package runs: {found['reason']}", found["median_s"] and not found["reason"])
        judge.true(f"SQNR of bf16: {found['sqnr_db']} dB, in Python {wanted}",
                   found["sqnr_db"] and abs(found["sqnr_db"] - wanted) < 6)
        eager = rows["torch:mode=eager", "bf16"]
        judge.true(f"bf16 by casts rounds, too: {eager['sqnr_db']}",
                   eager["sqnr_db"] and 20 < eager["sqnr_db"] < 90)

        # ----- against a module that holds the answer that Python computed
        class Answer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                with torch.no_grad():
                    self.register_buffer("answer", network(image))

            def forward(self, x):
                return self.answer + 0 * x.mean()

        torch.jit.script(Answer()).save(str(folder / "answer.pt"))
        for name in (packages, "onnxruntime"):
            words = ("bench", "--pair", f"torch={folder / 'answer.pt'},onnxruntime={onnx}", "--input",
                     f"x={folder / 'image.npy'}", *quick, "--base", "torch:mode=eager",
                     "--engine", f"torch:mode=eager,{name}", "--precision", "fp32")
            row = strata.document(*words)["tables"]["variants"]["rows"][1]
            judge.true(f"{name} against Python's own answer: {row['relative_error']}, {row['reason']}",
                       row["relative_error"] is not None and row["relative_error"] < 1e-5)
        wrong = f"torch:package={folder / 'wrong.pt2'}"
        row = strata.document("bench", *pair, *quick, "--engine", f"torch:mode=eager,{wrong}", "--base",
                              "torch:mode=eager")["tables"]["variants"]["rows"][1]
        judge.equal("a package with another answer", row["result"], "wrong answer")
        judge.true(f"its error: {row['relative_error']}", abs((row["relative_error"] or 0) - 0.01) < 1e-4)

        # ----- a package as the file of its engine: its inputs are those of the ONNX file, or as stated
        fp32 = str(folder / "fp32.pt2")
        for other in (onnx, folder / "renamed.onnx"):
            found = strata.document("bench", "--pair", f"torch={fp32},onnxruntime={other}", *quick,
                                    "--base", "torch")["tables"]["variants"]["rows"]
            for row in found:
                judge.true(f"{row['backend']} beside {other.name}: {row['reason']}",
                           row["median_s"] and not row["reason"])
            error = found[1]["relative_error"]
            judge.true(f"{other.name}: error {error}", error is not None and error < 1e-5)
        shape = "x=" + "x".join(map(str, SHAPE))
        for stated in (shape, f"{shape}:float32"):
            row = strata.document("bench", "--pair", f"torch={fp32}", *quick, "--input",
                                  stated)["tables"]["variants"]["rows"][0]
            judge.true(f"{stated}: {row['reason']}", row["median_s"] and not row["reason"])

        # ----- precisions of each engine: nothing is refused
        chosen = ["torch:mode=eager,precision=fp32+bf16", "torch:mode=optimized,precision=fp32",
                  f"{packages},precision=bf16", "onnxruntime:precision=fp32"]
        found = strata.document("bench", *pair, *quick, "--engine", ",".join(chosen), "--base",
                                "torch:mode=eager")["tables"]["variants"]["rows"]
        judge.equal("precisions of each engine", [(row["backend"], row["precision"]) for row in found],
                    [("torch:mode=eager", "fp32"), ("torch:mode=eager", "bf16"),
                     ("torch:mode=optimized", "fp32"), (packages, "bf16"), ("onnxruntime", "fp32")])
        judge.equal("none is refused", [row["reason"] for row in found if row["reason"]], [])

        # ----- what cannot be run is a sentence
        def refused(what, *words, parts, code=1):
            done = strata.run(*words)
            judge.equal(f"{what}: exit code", done.returncode, code)
            said = done.stderr + done.stdout
            for part in parts:
                judge.true(f"{what}: {part!r} in {said!r}", part in said)
            judge.true(f"{what}: a sentence, not a trace: {done.stderr!r}", done.stderr.count("\n") <= 4)

        two = folder / "two.npz"
        numpy.savez(two, x=image.numpy(), y=image.numpy())
        alone = ("bench", "--pair", f"torch={fp32}", *quick)
        refused("two inputs", *alone, "--input", str(two), parts=["tensors given: 2; the package takes 1"])
        numpy.save(folder / "other.npy", numpy.zeros((2, 3, 20, 25), numpy.float32))
        refused("another shape", *alone, "--input", f"x={folder / 'other.npy'}", parts=["25"])
        numpy.save(folder / "double.npy", image.double().numpy())
        refused("no shapes", *alone, code=2,
                parts=["package of AOTInductor", "does not say what shapes", "--input x=1x3x224x224"])
        refused("another shape, stated", *alone, "--input", "x=2x3x20x25", parts=["25"])
        refused("another type, stated", *alone, "--input", f"{shape}:float64", parts=["dtype"])
        refused("another type", *alone, "--input", f"x={folder / 'double.npy'}", parts=["dtype"])
        refused("bf16 of a package in fp32", *alone, "--input", f"x={folder / 'image.npy'}", "--precision",
                "bf16", parts=["in the types that it was compiled for"])
        (folder / "half.pt2").write_bytes(pathlib.Path(fp32).read_bytes()[:2000])
        refused("half a package", "bench", *pair, *quick, "--engine", f"torch:package={folder / 'half.pt2'}",
                parts=["half.pt2"])
        refused("no package", "bench", *pair, *quick, "--engine", f"torch:package={folder / 'none.pt2'}",
                parts=["none.pt2"])
        refused("a package's layers", "stat", fp32, parts=["AOTInductor", "says nothing about layers"])
        refused("their times", "stat", fp32, "--time", "--engine", "torch",
                parts=["AOTInductor", "says nothing about layers"])
        refused("an exported program", "bench", "--pair", f"torch={folder / 'exported.pt2'}", *quick,
                "--input", f"x={folder / 'image.npy'}", parts=["aoti_compile_and_package"])
    return judge.finish()


if __name__ == "__main__":
    sys.exit(main())
