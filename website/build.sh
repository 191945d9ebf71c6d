#!/usr/bin/env bash
# website/build.sh STRATA FOLDER [EARLIER]: makes the documentation's site in FOLDER/site, with a gallery of pages that
# the program STRATA writes and references made of the docstrings and headers, and fails on any link that leads
# nowhere. Each version of strata has a folder; EARLIER is a site whose other versions are taken over. pip
# checks mkdocs-material against its hashes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../deps/own_folder.sh"
strata=$(realpath "$1")
mkdir -p "$2"
to=$(realpath "$2")

if ! cmp -s "$here/requirements.txt" "$to/packages/requirements.txt"; then
  echo "website: installing 60 MB"
  remove_own "$to/packages"
  make_own "$to/packages"
  /usr/bin/python3 -m pip --quiet --disable-pip-version-check install --no-deps --require-hashes \
    --no-compile --target "$to/packages" --requirement "$here/requirements.txt"
  cp "$here/requirements.txt" "$to/packages"
fi

remove_own "$to/source" "$to/site"
make_own "$to/source"
/usr/bin/python3 -B "$here/pages.py" "$to/source" "$to/mkdocs.yml"
"$here/gallery.sh" "$strata" "$to/source/gallery"
version=$(sed -n 's/^project(strata VERSION \([0-9]*\.[0-9]*\).*/\1/p' "$here/../CMakeLists.txt")
(cd "$to" && NO_MKDOCS_2_WARNING=1 PYTHONPATH=$to/packages /usr/bin/python3 -B -m mkdocs --quiet build \
  --strict --config-file mkdocs.yml --site-dir "site/$version")
touch "$to/site/.made-by-strata"
/usr/bin/python3 -B "$here/versions.py" "$to/site" "$version" ${3:+"$3"}
/usr/bin/python3 -B "$here/check_links.py" "$to/site"
echo "website: $to/site/index.html"
