#!/usr/bin/env bash
# tests/pt2/install.sh FOLDER: makes FOLDER/torch, a Python environment with the packages of
# requirements.txt, if it is not there. pip checks them against their hashes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../deps/own_folder.sh"
to=$1/torch

# The list is kept beside what came of it, to install again when it changes.
if cmp -s "$here/requirements.txt" "$to/requirements.txt"; then exit 0; fi

echo "torch: installing 0.8 GB"
remove_own "$to"
make_own "$to"
# Without Debian's packages: its torchvision does not fit this torch.
/usr/bin/python3 -m venv --without-pip "$to"
/usr/bin/python3 -m pip --quiet --disable-pip-version-check --python "$to/bin/python" install \
  --no-deps --require-hashes --no-compile --requirement "$here/requirements.txt" \
  >"$to/pip.log" 2>&1 || {
  cat "$to/pip.log" >&2
  echo "torch: pip could not install the packages" >&2
  exit 1
}
cp "$here/requirements.txt" "$to"
