#!/usr/bin/env bash
# packaging/dist.sh FOLDER MACHINE...: compiles strata for each MACHINE (x86_64, aarch64) below FOLDER, and makes
# FOLDER/dist/: a tarball that runs from anywhere, a .deb, and their checksums. The program for another machine
# has to answer under qemu first (smoke.sh).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../deps/own_folder.sh"
mkdir -p "$1"
to=$(realpath "$1")
shift
version=$(sed -n 's/^project(strata VERSION \([0-9.]*\).*/\1/p' "$here/../CMakeLists.txt")
remove_own "$to/dist"
make_own "$to/dist"
for machine in "$@"; do
  "$here/../engines/onnxruntime/fetch.sh" "$to/onnxruntime_$machine" "$machine"
  "$here/build.sh" "$machine" "$to" "$to/onnxruntime_$machine"
  "$here/tree.sh" "$machine" "$to" "$to/onnxruntime_$machine" "$to/$machine/tree"
  [ "$machine" = "$(uname -m)" ] || "$here/smoke.sh" "$machine" "$to/$machine/tree"
  cmake -S "$here" -B "$to/$machine/packages" -DTREE="$to/$machine/tree" -DMACHINE="$machine" \
    -DVERSION="$version" >/dev/null
  (cd "$to/$machine/packages" && cpack -B "$to/$machine/packed" >cpack.log || { cat cpack.log >&2; exit 1; })
  cp "$to/$machine"/packed/*.tar.gz "$to/$machine"/packed/*.deb "$to/dist"
  cp "$to/$machine/tree/share/doc/strata/sbom.cdx.json" "$to/dist/strata-$version-linux-$machine.cdx.json"
done
(cd "$to/dist" && sha256sum -- *.tar.gz *.deb *.json >SHA256SUMS)
ls -l "$to/dist"
