"""Writes what a tree consists of: share/doc/strata/sbom.cdx.json (CycloneDX 1.5), and the licences beside it.

Every compiled file belongs to a component; one that none claims is an error.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

# The libraries that lie beside the program: the name of Debian's source, and the licence.
CARRIED = {
    "libz.so.1": ("zlib", "Zlib"),
    "libpng16.so.16": ("libpng1.6", "libpng-2.0"),
    "libjpeg.so.62": ("libjpeg-turbo", "IJG AND BSD-3-Clause AND Zlib"),
    "libzip.so.4": ("libzip", "BSD-3-Clause"),
    "libseccomp.so.2": ("libseccomp", "LGPL-2.1-only"),
}
# Debian's header packages that are compiled into the program, the C interface and the engine's plugin.
INSIDE = {
    "libfmt-dev": ("fmt", "MIT"),
    "libexpected-dev": ("tl-expected", "CC0-1.0"),
    "nlohmann-json3-dev": ("nlohmann-json", "MIT"),
    "libprotozero-dev": ("protozero", "BSD-2-Clause AND Apache-2.0"),
    "libcli11-dev": ("CLI11", "BSD-3-Clause"),
    "libtomlplusplus-dev": ("toml++", "MIT"),
}
OWN = ("bin/strata", "lib/libstrata_c.so.", "lib/strata/engines/libstrata_engine_")


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def component(name: str, version: str, licence: str, files: list[Path], root: Path, kind: str = "library") -> dict[str, Any]:
    made: dict[str, Any] = {
        "type": kind, "bom-ref": f"{name}@{version}", "name": name, "version": version,
        "licenses": [{"expression": licence}],
    }  # fmt: skip
    if files:
        made["components"] = [
            {"type": "file", "name": file.relative_to(root).as_posix(),
             "hashes": [{"alg": "SHA-256", "content": sha256(file)}]}
            for file in sorted(files)
        ]  # fmt: skip
    return made


def debian_version(package: str) -> str:
    command = ["dpkg-query", "-W", "-f", "${Version}", package]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def pinned(requirements: Path, name: str) -> str:
    found = re.search(rf"^{name}==(\S+)", requirements.read_text(), re.M)
    assert found is not None, f"{requirements} does not name {name}"
    return found[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path)
    for name in ("version", "machine"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("libraries", "licenses", "zig", "onnxruntime"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()

    tree = given.tree.resolve()
    unclaimed = {path for path in tree.rglob("*") if path.is_file() and not path.is_symlink() and is_elf(path)}

    def claim(test: Any) -> list[Path]:
        mine = [path for path in unclaimed if test(path.relative_to(tree).as_posix())]
        unclaimed.difference_update(mine)
        return mine

    versions = dict(line.split() for line in given.libraries.read_text().splitlines())
    parts = [
        component(source, versions[source], licence, claim(lambda name, file=file: name.endswith("/" + file)), tree)
        for file, (source, licence) in CARRIED.items()
    ]
    parts.append(component("onnxruntime", pinned(given.onnxruntime, "onnxruntime"), "MIT",
                           claim(lambda name: "libonnxruntime.so" in name), tree))  # fmt: skip
    parts += [component(name, debian_version(package), licence, [], tree)
              for package, (name, licence) in INSIDE.items()]  # fmt: skip
    # The compiler's own libraries, which are linked in.
    parts.append(component("libc++, libunwind and compiler-rt of zig", pinned(given.zig, "ziglang"),
                           "Apache-2.0 WITH LLVM-exception", [], tree))  # fmt: skip
    own = component("strata", given.version, "Apache-2.0", claim(lambda name: name.startswith(OWN)), tree, "application")
    if unclaimed:
        raise SystemExit(f"no component has {', '.join(sorted(str(path) for path in unclaimed))}")

    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": own, "properties": [{"name": "machine", "value": given.machine}]},
        "components": parts,
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": [part["bom-ref"] for part in parts]}],
    }  # fmt: skip
    docs = tree / "share/doc/strata"
    (docs / "sbom.cdx.json").write_text(json.dumps(document, indent=1) + "\n")
    licences = docs / "licenses"
    for file in given.licenses.glob("*.txt"):
        shutil.copy(file, licences)
    for package in INSIDE:
        shutil.copy(f"/usr/share/doc/{package}/copyright", licences / f"{package}.txt")


if __name__ == "__main__":
    main()
