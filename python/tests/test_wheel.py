"""The native parts where no library of Debian's is visible but glibc and the compiler's own."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from strata import _native

pytestmark = pytest.mark.skipif(
    "STRATA_TEST_ENVIRONMENT" not in os.environ, reason="no wheel is installed"
)

# glibc, and the runtime of g++, which comes with libstdc++.
SYSTEM = ("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libstdc++.so.6",
          "libgcc_s.so.1")  # fmt: skip
LOADER = "/lib64/ld-linux-x86-64.so.2"


class Root:
    """A folder that programs take for the whole system."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        libraries = folder / "lib/x86_64-linux-gnu"
        libraries.mkdir(parents=True)
        (folder / "lib64").mkdir()
        (folder / "tmp").mkdir()
        shutil.copy(LOADER, folder / "lib64")
        for name in SYSTEM:
            shutil.copy(Path("/lib/x86_64-linux-gnu") / name, libraries)
        shutil.copytree(_native.folders()[0], folder / "strata")
        # The dynamic linker and strata read this link to find the program's folder.
        (folder / "proc/self").mkdir(parents=True)
        (folder / "proc/self/exe").symlink_to("/strata/strata")

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = ["chroot", str(self.folder), *words]
        if os.geteuid() != 0:
            command = ["unshare", "--map-root-user", *command]
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **environment}
        return subprocess.run(command, capture_output=True, text=True, env=env)

    def strata(self, *words: str, **environment: str) -> str:
        done = self.run("/strata/strata", *words, **environment)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path / "root")


def test_all_that_is_linked_is_carried(root: Root) -> None:
    parts = [part.name for part in (root.folder / "strata").iterdir() if part.is_file()]
    assert sorted(parts) == ["libstrata_c.so", "libstrata_engine_onnxruntime.so", "libstrata_guard.so", "strata"]
    for part in parts:
        listed = root.run(LOADER, "--list", f"/strata/{part}")
        assert listed.returncode == 0, listed.stderr
        for line in listed.stdout.splitlines():
            name, _, place = line.strip().partition(" => ")
            own = place.startswith("/strata/libraries/")
            assert own or name.split()[0].rsplit("/")[-1] in (
                *SYSTEM, "linux-vdso.so.1", "ld-linux-x86-64.so.2"
            ), line  # fmt: skip


def test_counts_and_draws(root: Root, models: Path) -> None:
    shutil.copy(models / "mobilenet_v2.onnx", root.folder / "m.onnx")
    assert "300.8 M" in root.strata("stat", "/m.onnx")
    root.strata("stat", "/m.onnx", "--format", "png", "-o", "/tmp/chart.png")  # libcairo
    assert (root.folder / "tmp/chart.png").read_bytes().startswith(b"\x89PNG")
    # Without the wheel's libraries it fails: the root indeed hides Debian's.
    shutil.rmtree(root.folder / "strata/libraries")
    assert root.run("/strata/strata", "stat", "/m.onnx", "--format", "png").returncode != 0


def test_reads_compressed_parts_of_exported_programs(root: Root, models: Path) -> None:
    path = sorted((models / "pt2").glob("*.pt2"))[0]
    packed = io.BytesIO()
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as to:
        for name in source.namelist():
            to.writestr(name, source.read(name))
    (root.folder / "packed.pt2").write_bytes(packed.getvalue())
    (root.folder / "plain.pt2").write_bytes(path.read_bytes())
    words = ("--format", "csv", "--columns", "layer,macs")
    assert root.strata("stat", "/packed.pt2", *words) == root.strata("stat", "/plain.pt2", *words)


def test_reads_samples_and_runs_an_engine(root: Root, models: Path) -> None:
    """libjpeg, libpng and libzip, and pip's ONNX Runtime where the package says it is."""
    import numpy

    runtime = _native.environment()["STRATA_ONNXRUNTIME"]
    shutil.copy(runtime, root.folder / "libonnxruntime.so")
    network = "zoo:squeezenet1_1?resolution=32"
    samples = root.folder / "samples"
    samples.mkdir()
    numpy.savez(samples / "a.npz", input=numpy.zeros((1, 3, 32, 32), numpy.float32))
    words = ("--format", "csv")
    env = {"STRATA_ONNXRUNTIME": "/libonnxruntime.so"}
    assert root.strata("calibrate", network, "--data", "/samples", *words, **env)
    (samples / "a.npz").unlink()
    for picture in ("color.jpg", "palette.png"):
        shutil.copy(models.parent / "data/images" / picture, samples)
        assert root.strata("calibrate", network, "--data", "/samples", *words, **env)
        (samples / picture).unlink()


def test_libraries_in_this_process_are_the_wheels(tmp_path: Path) -> None:
    code = f"""
import strata
strata.stat("zoo:alexnet").save({str(tmp_path / "chart.png")!r})
print(open("/proc/self/maps").read())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    mapped = {line.split()[-1] for line in done.stdout.splitlines() if ".so" in line}
    own = str(_native.folders()[0] / "libraries")
    for name in ("libfmt", "libcairo", "libpixman"):
        places = [place for place in mapped if f"/{name}" in place]
        assert all(place.startswith(own) for place in places), places
    assert any("/libcairo" in place for place in mapped)
