#!/usr/bin/env bash
# packaging/compilers.sh VENV TARGET FOLDER: writes FOLDER/cc, FOLDER/c++, FOLDER/ar and FOLDER/ranlib,
# which compile for TARGET (x86_64-linux-gnu.2.28, aarch64-macos, …) with the zig of VENV. What they link needs
# no libstdc++.
set -euo pipefail
venv=$(realpath "$1") target=$2 to=$3
mkdir -p "$to"
to=$(realpath "$to")
write() {
  printf '#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR=%q ZIG_LOCAL_CACHE_DIR=%q\nexec %q -m ziglang %s "$@"\n' \
    "$venv/cache" "$to/cache" "$venv/bin/python" "$2" >"$to/$1.new"
  chmod +x "$to/$1.new"
  mv "$to/$1.new" "$to/$1"
}
write cc "cc -target $target"
write c++ "c++ -target $target"
write ar ar
write ranlib ranlib
