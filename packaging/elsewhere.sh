#!/usr/bin/env bash
# packaging/elsewhere.sh SYSTEM MACHINE FOLDER: compiles and links the program for macos or windows on MACHINE (x86_64
# or aarch64) in FOLDER/MACHINE-SYSTEM, without engines. It shows that the code compiles for a system without
# Linux's own calls, with libc++. Where there is Wine, the program for Windows has to answer.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../deps/own_folder.sh"
system=$1 machine=$2
mkdir -p "$3"
to=$(realpath "$3")
own=$to/$machine-$system
jobs=${JOBS:-$(nproc)}
case $system in
  macos) target=$machine-macos name=Darwin libraries=(libjpeg.8.dylib libpng16.16.dylib libzip.5.dylib libz.1.dylib) ;;
  windows) target=$machine-windows-gnu name=Windows libraries=(jpeg62.dll libpng16.dll zip.dll zlib1.dll) ;;
  *) echo "packaging: macos or windows, not $system" >&2; exit 1 ;;
esac

"$here/zig.sh" "$to/zig"
mkdir -p "$own"
"$here/compilers.sh" "$to/zig" "$target" "$own/compilers"

# Headers alone. The libraries among them are opened at run time, by these names, where they are installed.
remove_own "$own/prefix"
make_own "$own/prefix"
mkdir -p "$own/prefix/include"
headers=$own/prefix/include
for folder in fmt tl nlohmann CLI protozero toml++; do cp -rp "/usr/include/$folder" "$headers"; done
for header in zip zipconf zlib zconf jpeglib jmorecfg jerror jconfig png pngconf pnglibconf; do
  cp -Lp "$(find /usr/include "/usr/include/$(gcc -dumpmachine)" /usr/include/libpng16 -maxdepth 1 \
    -name "$header.h" | head -n 1)" "$headers"
done
[ "$machine" != x86_64 ] || "$own/compilers/c++" -c -O2 -o "$own/processor.o" "$here/processor.cc"
cmake -S "$here/.." -B "$own/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" \
  -DSTRATA_PORTABLE_SYSTEM="$name" -DSTRATA_PORTABLE_MACHINE="$machine" \
  -DSTRATA_PORTABLE_PREFIX="$own/prefix" -DSTRATA_PORTABLE_COMPILERS="$own/compilers" \
  -DCMAKE_OSX_ARCHITECTURES= -DCMAKE_OSX_SYSROOT= -DCMAKE_INSTALL_NAME_TOOL=true -DCMAKE_RC_COMPILER=true \
  -DJPEG_LIBRARY="${libraries[0]}" -DPNG_LIBRARY="${libraries[1]}" -DZIP_LIBRARY="${libraries[2]}" \
  -DZLIB_LIBRARY="${libraries[3]}" -DSTRATA_ZLIB_LIBRARY="${libraries[3]}" \
  -DJPEG_INCLUDE_DIR="$headers" -DPNG_PNG_INCLUDE_DIR="$headers" \
  -DZIP_INCLUDE_DIR="$headers" -DZLIB_INCLUDE_DIR="$headers" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O0 -g0 -DNDEBUG" -DCMAKE_CXX_FLAGS=-w \
  -DCMAKE_CXX_STANDARD_LIBRARIES="$(ls "$own"/processor.o 2>/dev/null)" -DSTRATA_ENGINES=OFF -DBUILD_TESTING=OFF -DSTRATA_PCH=OFF -DSTRATA_UNITY=ON
cmake --build "$own/build" --parallel "$jobs" --target strata_cli
file "$own"/build/strata*
