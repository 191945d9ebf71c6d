#!/usr/bin/env bash
# tests/conformance/make_cases.sh FOLDER: puts the conformance cases that Debian's libonnx-testdata
# does not have into FOLDER/node, if they are not there. pip checks the packages that make them
# against their hashes; they are unpacked into FOLDER, and nothing is installed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../deps/own_folder.sh"
to=$1

# The hash of the script and its packages is kept beside the cases, which are made again when it changes.
made_by=$(cat "$here/requirements.txt" "$here/write_cases.py" | sha256sum)
if [ "$(cat "$to/made_by" 2>/dev/null)" = "$made_by" ]; then exit 0; fi

mkdir -p "$to"
work=$(mktemp -d "$to/make.XXXXXX")
trap 'rm -rf "$work"' EXIT
# Debian's own Python, whose version the packages are made for.
/usr/bin/python3 -m pip --quiet --disable-pip-version-check download --no-deps --require-hashes \
  --only-binary :all: --dest "$work/wheels" --requirement "$here/requirements.txt" \
  >"$work/pip.log" 2>&1 || {
  cat "$work/pip.log" >&2
  echo "conformance: pip could not fetch the packages" >&2
  exit 1
}
for wheel in "$work"/wheels/*.whl; do
  /usr/bin/python3 -m zipfile -e "$wheel" "$work/packages"
done

PYTHONPATH="$work/packages" /usr/bin/python3 -B -W ignore "$here/write_cases.py" \
  --out "$work/node" --have /usr/share/libonnx-testdata/data/node
make_own "$work/node"
remove_own "$to/node"
mv "$work/node" "$to"
echo "$made_by" >"$to/made_by"
