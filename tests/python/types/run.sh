#!/usr/bin/env bash
# tests/python/types/run.sh FOLDER: checks the package's types with mypy and pyright, both strict, on the package
# and on usage.py. They are installed into FOLDER, if they are not there; pip and npm check them against their
# hashes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../../deps/own_folder.sh"
mkdir -p "$1"
to=$(realpath "$1")

if ! cmp -s "$here/requirements.txt" "$to/tools/requirements.txt" ||
  ! cmp -s "$here/package-lock.json" "$to/tools/package-lock.json"; then
  echo "types: installing 60 MB"
  remove_own "$to/tools"
  make_own "$to/tools"
  /usr/bin/python3 -m pip --quiet --disable-pip-version-check install --no-deps --require-hashes \
    --no-compile --target "$to/tools/packages" --requirement "$here/requirements.txt"
  cp "$here/package.json" "$to/tools"
  cp "$here/package-lock.json" "$to/tools/package-lock.json.new"
  (cd "$to/tools" && mv package-lock.json.new package-lock.json && npm ci --ignore-scripts --no-audit --no-fund --silent)
  cp "$here/requirements.txt" "$to/tools"
fi

cd "$here"
PYTHONPATH=$to/tools/packages MYPYPATH=../../../python /usr/bin/python3 -B -m mypy --config-file mypy.ini \
  --cache-dir "$to/mypy" ../../../python/strata usage.py
node "$to/tools/node_modules/pyright/index.js" --project .
