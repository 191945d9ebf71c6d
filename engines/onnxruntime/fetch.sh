#!/usr/bin/env bash
# engines/onnxruntime/fetch.sh FOLDER: puts ONNX Runtime into FOLDER, if it is not there:
# lib/libonnxruntime.so.1 and the four headers that the plugin needs in include/.
#
# npm brings two packages and checks them against package-lock.json: one that ships the
# library, one that ships the headers. Of the lock file their dependencies are left out,
# since nothing of them is run; nor are their install scripts, which would download more.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
to=$1

case $(uname -s)-$(uname -m) in
  Linux-x86_64) machine=linux/x64 ;;
  Linux-aarch64) machine=linux/arm64 ;;
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

# The lock file is kept beside what came of it, to fetch again when it changes.
if cmp -s "$here/package-lock.json" "$to/package-lock.json"; then exit 0; fi
if ! command -v npm >/dev/null; then
  echo "onnxruntime: npm is not installed" >&2
  exit 1
fi

echo "onnxruntime: fetching 140 MB"
mkdir -p "$to"
work=$(mktemp -d "$to/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp "$here/package.json" "$here/package-lock.json" "$work"
(cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) || {
  cat "$work/npm.log" >&2
  echo "onnxruntime: npm could not fetch the packages" >&2
  exit 1
}

mkdir "$work/include" "$work/lib"
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
mv "$work/node_modules/onnxruntime-node/bin/napi-v6/$machine/libonnxruntime.so.1" "$work/lib"

rm -rf "$to/include" "$to/lib"
mv "$work/include" "$work/lib" "$to"
cp "$here/package-lock.json" "$to"
