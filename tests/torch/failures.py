#!/usr/bin/python3
"""Files that PyTorch cannot run, and engines that break: one sentence each, and the program goes on."""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

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


class Writes(torch.nn.Module):
    """Saves a file whenever it is run."""

    def __init__(self, path: str):
        super().__init__()
        self.path = path

    def forward(self, x):
        torch.save(x, self.path)
        return x + 1


class Endless(torch.nn.Module):
    def forward(self, x):
        while True:
            x = x + 1
        return x


class Waiting(torch.nn.Module):
    """Opens a pipe that nobody writes to: its run does not end either, and takes no processor meanwhile."""

    def __init__(self, path: str):
        super().__init__()
        self.path = path

    def forward(self, x):
        return x + torch.from_file(self.path, size=1)


class EndlessCalls(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.ReLU()

    def forward(self, x):
        while True:
            x = self.inner(x)
        return x


class WaitingFromTheSecond(torch.nn.Module):
    """Its first call ends."""

    def __init__(self, path: str):
        super().__init__()
        self.path = path
        self.calls = 0

    def forward(self, x):
        self.calls = self.calls + 1
        if self.calls > 1:
            x = x + torch.from_file(self.path, size=1)
        return x.mean(-1)


def library(folder, name, text):
    source = folder / name
    source.write_text(text)
    made = folder / (source.stem + ".so")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", made, source], check=True)
    return made


def is_alive(process):
    """True if a process is there that has not ended."""
    try:
        return "\nState:\tZ" not in pathlib.Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False


def children_of(process):
    listed = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(child) for child in listed.split()]


def interrupt(strata, words, patience=30):
    """Sends what Ctrl-C sends after a while in which nothing happens; the processes that the program had
    started by then, its exit code, and what it wrote to stderr."""
    run = subprocess.Popen(
        [strata.program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "STRATA_ENGINE_PATH": strata.engines})
    time.sleep(12)  # longer than any run that ends
    children = children_of(run.pid)
    run.send_signal(signal.SIGINT)
    try:
        said = run.communicate(timeout=patience)[1]
    except subprocess.TimeoutExpired:
        run.kill()
        said = run.communicate()[1]
    return children, run.returncode, said


def judge_writing(strata, judge, folder):
    """A model that writes files writes none, in every command that runs it, unless the user trusts it."""
    script, file = folder / "writes.pt", folder / "written_by_the_model"
    torch.jit.script(Writes(str(file))).save(str(script))
    shape = ("--input", "x=1x4")
    short = ("--max-time", "1s")
    for words in [("stat", str(script)), ("stat", str(script), "--time", *short), ("stat", str(script), "--memory"),
                  ("explain", str(script), "add"), ("payload", str(script)), ("diff", str(script), str(script)),
                  ("check", str(script), "--budget", "params=1"),
                  ("bench", str(script), "--engine", "torch:mode=eager", "--processes", "1", *short)]:
        done = strata.run(*words, *shape)
        judge.true(f"{words}: {done.stderr!r}", done.returncode in (0, 1))
        judge.true(f"{words}: writes nothing", not file.exists())
    done = strata.run("stat", str(script), *shape, "--trust-model")
    judge.equal(f"a trusted model: {done.stderr!r}", done.returncode, 0)
    judge.true("a trusted model writes its file", file.exists())


def judge_hanging(strata, judge, folder):
    """Models whose run does not end: a limit ends them, or Ctrl-C, and other variants are measured."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    endless, waiting, second = (folder / name for name in ("endless.pt", "waiting.pt", "second.pt"))
    torch.jit.script(Endless()).save(str(endless))
    torch.jit.script(Waiting(str(pipe))).save(str(waiting))
    torch.jit.script(WaitingFromTheSecond(str(pipe))).save(str(second))
    shape = ("--input", "x=1x3x32x32")
    limit = ("--max-wait", "8s")

    def ended(what, *words):
        done = strata.run(*words, *limit)
        judge.equal(f"{what}: exit code", done.returncode, 1)
        judge.true(f"{what}: says so: {done.stderr!r}",
                   "engine torch gave no answer in 8 s and was killed" in done.stderr)
        judge.true(f"{what}: says what helps: {done.stderr!r}", "--max-wait" in done.stderr)
        judge.equal(f"{what}: lines: {done.stderr!r}", done.stderr.count("\n"), 1)

    def both():
        done = strata.run("stat", str(waiting), str(second), *shape, *limit)
        judge.equal("beside another: exit code", done.returncode, 1)
        judge.true(f"beside another: its sentence: {done.stdout!r}", "gave no answer in 8 s" in done.stdout)

    def endless_calls():
        # A recording that grows without end would take all the memory that there is.
        calls = folder / "calls.pt"
        torch.jit.script(EndlessCalls()).save(str(calls))
        done = strata.run("stat", str(calls), "--input", "x=1")
        judge.equal("endless calls: exit code", done.returncode, 1)
        judge.true(f"endless calls: {done.stderr!r}", "calls more than 1000000 modules or operators" in done.stderr)

    def interrupted(what, *words):
        children, code, said = interrupt(strata, words)
        judge.equal(f"Ctrl-C, {what}: exit code", code, 130)
        judge.equal(f"Ctrl-C, {what}: lines: {said!r}", said.count("\n"), 1)
        judge.equal(f"Ctrl-C, {what}: processes at work", len(children), 1)
        judge.equal(f"Ctrl-C, {what}: left behind", [one for one in children if is_alive(one)], [])

    onnx = folder / "small.onnx"

    def benched(what, script):
        document = strata.document(
            "bench", "--pair", f"torch={script},onnxruntime={onnx}", "--engine",
            "torch:mode=eager,onnxruntime", "--max-wait", "8s", "--max-time", "2s", "--processes", "1")
        hangs, works = document["tables"]["variants"]["rows"]
        judge.equal(f"bench, {what}: result", hangs["result"], "timed out")
        judge.true(f"bench, {what}: {hangs['reason']!r}", "gave no answer in 8 s" in hangs["reason"])
        judge.true(f"bench, {what}: the other one: {works['reason']!r}",
                   works["median_s"] and not works["reason"])

    def benched_alone():
        alone = strata.run("bench", "--pair", f"torch={waiting}", "--engine", "torch:mode=eager", *shape,
                           "--max-wait", "8s", "--max-time", "2s")
        judge.equal(f"bench alone: exit code, {alone.stderr!r}", alone.returncode, 1)
        judge.true(f"bench alone: {alone.stdout!r}", "gave no answer in 8 s" in alone.stdout)

    once = strata.run("stat", str(second), *shape, *limit)
    judge.equal(f"once: exit code, {once.stderr!r}", once.returncode, 0)
    made = strata.run("zoo", "export", "squeezenet1_1?resolution=32", "-o", str(onnx))
    judge.equal(f"an ONNX file: {made.stderr!r}", made.returncode, 0)
    # One of them computes without end; the others wait, so that they can do so at the same time.
    ended("recording", "stat", str(endless), *shape)
    endless_calls()
    waits = [lambda: ended("recording to time", "stat", str(waiting), *shape, "--time"),
             lambda: ended("explaining", "explain", str(waiting), "x", *shape),
             lambda: ended("timing", "stat", str(second), *shape, "--time"),
             both,
             lambda: interrupted("recording", "stat", str(waiting), *shape),
             lambda: interrupted("timing", "stat", str(second), *shape, "--time", "--engine", "torch"),
             lambda: benched("the first run", waiting),
             lambda: benched("the second run", second),
             benched_alone]
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for wait in [pool.submit(one) for one in waits]:
            wait.result()


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

        # Engines and jobs that take ONNX alone.
        shape = ["--input", "input=1x4"]
        other = strata.run("bench", str(line), "--engine", "onnxruntime", "--max-time", "1s", *shape)
        judge.true(f"another engine: {other.stdout!r}", "onnxruntime opens onnx, not torchscript" in other.stdout)
        other = strata.run("calibrate", str(line), "--random", *shape)
        said = "it is a TorchScript file; write one with torch.onnx.export"
        judge.true(f"another job: {other.stderr!r}", said in other.stderr)

        judge_writing(strata, judge, folder)
        judge_hanging(strata, judge, folder)

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
