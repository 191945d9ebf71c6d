#!/usr/bin/env bash
# tests/page/install.sh FOLDER: puts axe-core, which judges whether everybody can use a page, into
# FOLDER/node_modules, if it is not there. npm checks it against the hash in package-lock.json.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../deps/own_folder.sh"
to=$1

# The lock file is kept beside what came of it, to install again when it changes.
if cmp -s "$here/package-lock.json" "$to/axe/package-lock.json"; then exit 0; fi

echo "page: installing 3 MB"
mkdir -p "$to"
work=$(mktemp -d "$to/install.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/axe"
cp "$here/package.json" "$here/package-lock.json" "$work/axe"
(cd "$work/axe" && npm ci --ignore-scripts --no-audit --no-fund --silent) >"$work/npm.log" 2>&1 || {
  cat "$work/npm.log" >&2
  echo "page: npm could not install axe-core" >&2
  exit 1
}
make_own "$work/axe"
remove_own "$to/axe"
mv "$work/axe" "$to"
