#!/usr/bin/env bash
# tests/python/install.sh FOLDER: puts the packages of requirements.txt into FOLDER/packages, if they are
# not there. pip checks them against their hashes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../deps/own_folder.sh"
to=$1

# The list is kept beside what came of it, to install again when it changes.
if cmp -s "$here/requirements.txt" "$to/packages/requirements.txt"; then exit 0; fi

echo "python: installing 90 MB"
mkdir -p "$to"
work=$(mktemp -d "$to/install.XXXXXX")
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 -m pip --quiet --disable-pip-version-check install --no-deps --require-hashes \
  --no-compile --target "$work/packages" --requirement "$here/requirements.txt" \
  >"$work/pip.log" 2>&1 || {
  cat "$work/pip.log" >&2
  echo "python: pip could not install the packages" >&2
  exit 1
}
cp "$here/requirements.txt" "$work/packages"
make_own "$work/packages"
remove_own "$to/packages"
mv "$work/packages" "$to"
