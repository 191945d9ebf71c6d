#!/usr/bin/env bash
# packaging/zig.sh VENV: puts zig, whose compiler links against an older glibc than Debian's, and
# what checks and packs wheels into VENV, if they are not there. pip checks them against their hashes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../deps/own_folder.sh"
to=$1

if cmp -s "$here/requirements.txt" "$to/requirements.txt"; then exit 0; fi
remove_own "$to"
make_own "$to"
/usr/bin/python3 -m venv "$to"
"$to/bin/python" -m pip --quiet --disable-pip-version-check install --no-deps --require-hashes \
  --requirement "$here/requirements.txt"
cp "$here/requirements.txt" "$to"
