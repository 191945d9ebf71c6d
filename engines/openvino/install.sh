#!/usr/bin/env bash
# engines/openvino/install.sh FOLDER: makes FOLDER/openvino, which holds pip's OpenVINO of
# requirements.txt, if it is not there. pip checks it against its hashes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../deps/own_folder.sh"
to=$1/openvino

# The list is kept beside what came of it, to install again when it changes.
if cmp -s "$here/requirements.txt" "$to/requirements.txt"; then exit 0; fi

echo "OpenVINO: installing 0.2 GB"
remove_own "$to"
make_own "$to"
/usr/bin/python3 -m pip --quiet --disable-pip-version-check install --target "$to/packages" \
  --no-deps --require-hashes --no-compile --requirement "$here/requirements.txt" \
  >"$to/pip.log" 2>&1 || {
  cat "$to/pip.log" >&2
  echo "OpenVINO: pip could not install it; strata is built without this engine" >&2
  exit 1
}
cp "$here/requirements.txt" "$to"
