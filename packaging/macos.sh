#!/usr/bin/env bash
# packaging/macos.sh MACHINE FOLDER: compiles and links the program for macOS on MACHINE (x86_64 or aarch64) in
# FOLDER/MACHINE-macos, without engines. It shows that the code compiles for a system without Linux's own
# calls, with libc++; nothing here can run the program.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../deps/own_folder.sh"
machine=$1
mkdir -p "$2"
to=$(realpath "$2")
own=$to/$machine-macos
jobs=${JOBS:-$(nproc)}

"$here/zig.sh" "$to/zig"
mkdir -p "$own"
"$here/compilers.sh" "$to/zig" "$machine-macos" "$own/compilers"

# Headers alone. The libraries among them are opened at run time, by these names, where they are installed.
remove_own "$own/prefix"
make_own "$own/prefix"
mkdir -p "$own/prefix/include"
headers=$own/prefix/include
for folder in fmt tl nlohmann CLI protozero toml++; do cp -r "/usr/include/$folder" "$headers"; done
for header in zip zipconf zlib zconf jpeglib jmorecfg jerror jconfig png pngconf pnglibconf; do
  cp -L "$(find /usr/include "/usr/include/$(gcc -dumpmachine)" /usr/include/libpng16 -maxdepth 1 \
    -name "$header.h" | head -n 1)" "$headers"
done
libraries=(-DJPEG_LIBRARY=libjpeg.8.dylib -DPNG_LIBRARY=libpng16.16.dylib -DZIP_LIBRARY=libzip.5.dylib
  -DZLIB_LIBRARY=libz.1.dylib -DSTRATA_ZLIB_LIBRARY=libz.1.dylib)

cmake -S "$here/.." -B "$own/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" \
  -DSTRATA_PORTABLE_SYSTEM=Darwin -DSTRATA_PORTABLE_MACHINE="$machine" \
  -DSTRATA_PORTABLE_PREFIX="$own/prefix" -DSTRATA_PORTABLE_COMPILERS="$own/compilers" \
  -DCMAKE_OSX_ARCHITECTURES= -DCMAKE_OSX_SYSROOT= -DCMAKE_INSTALL_NAME_TOOL=true \
  "${libraries[@]}" -DJPEG_INCLUDE_DIR="$headers" -DPNG_PNG_INCLUDE_DIR="$headers" \
  -DZIP_INCLUDE_DIR="$headers" -DZLIB_INCLUDE_DIR="$headers" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O0 -g0 -DNDEBUG" -DCMAKE_CXX_FLAGS=-w \
  -DSTRATA_ENGINES=OFF -DBUILD_TESTING=OFF -DSTRATA_PCH=OFF -DSTRATA_UNITY=ON
cmake --build "$own/build" --parallel "$jobs" --target strata_cli
file "$own/build/strata"
