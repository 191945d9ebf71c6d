#!/usr/bin/env bash
# packaging/libraries.sh SOURCES COMPILERS MACHINE PREFIX: builds the libraries that strata opens at run time for
# MACHINE into PREFIX/lib and PREFIX/include, if they are not there: zlib, libpng, libjpeg-turbo, libzip
# without cryptography, and libseccomp.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../deps/own_folder.sh"
sources=$(realpath "$1") compilers=$(realpath "$2") machine=$3 to=$4
if [ -f "$to/versions.txt" ] && cmp -s "$sources/versions.txt" "$to/versions.txt"; then exit 0; fi
remove_own "$to"
make_own "$to"
to=$(realpath "$to")
work=$to/work
mkdir -p "$work" "$to/lib" "$to/include" "$to/licenses"
trap 'cat "$work/log" >&2' ERR
flags="-w -O2 -g0 -fPIC -DNDEBUG"

# shared SONAME FILE...: links objects of the current folder's sources.
shared() {
  "$compilers/cc" -shared -s -Wl,-soname,"$1" -o "$to/lib/$1" "${@:2}"
  ln -sf "$1" "$to/lib/${1%.so*}.so"
}

cp -a "$sources/zlib" "$work/zlib"
cd "$work/zlib"
# shellcheck disable=SC2086
shared libz.so.1 $flags -DHAVE_UNISTD_H -D_LARGEFILE64_SOURCE=1 -Wl,--version-script,zlib.map -Wl,--undefined-version \
  adler32.c compress.c crc32.c deflate.c gzclose.c gzlib.c gzread.c gzwrite.c infback.c inffast.c \
  inflate.c inftrees.c trees.c uncompr.c zutil.c >"$work/log" 2>&1
cp zlib.h zconf.h "$to/include"

cp -a "$sources/libpng1.6" "$work/png"
cd "$work/png"
cp scripts/pnglibconf.h.prebuilt pnglibconf.h
echo "PNG16_0 { global: png_*; local: *; };" >png.map
# shellcheck disable=SC2086
shared libpng16.so.16 $flags -I"$to/include" -Wl,--version-script,png.map -DPNG_ARM_NEON_OPT=0 -DPNG_INTEL_SSE_OPT=0 \
  png.c pngerror.c pngget.c pngmem.c pngpread.c pngread.c pngrio.c pngrtran.c pngrutil.c pngset.c \
  pngtrans.c pngwio.c pngwrite.c pngwtran.c pngwutil.c -Wl,-rpath,\$ORIGIN -L"$to/lib" -lz -lm \
  >"$work/log" 2>&1
cp png.h pngconf.h pnglibconf.h "$to/include"
ln -sf libpng16.so.16 "$to/lib/libpng.so"

cmake_for() {
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$machine" \
    -DCMAKE_C_COMPILER="$compilers/cc" -DCMAKE_AR="$compilers/ar" -DCMAKE_RANLIB="$compilers/ranlib" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O2 -g0 -DNDEBUG" \
    -DCMAKE_INSTALL_PREFIX="$to" -DCMAKE_INSTALL_LIBDIR="$to/lib" -DCMAKE_PREFIX_PATH="$to" \
    -DCMAKE_FIND_ROOT_PATH="$to" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
    -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_SHARED_LINKER_FLAGS=-s "${@:3}" >"$work/log" 2>&1
  cmake --build "$2" --parallel 2 >"$work/log" 2>&1
  cmake --install "$2" >"$work/log" 2>&1
}
cmake_for "$sources/libjpeg-turbo" "$work/jpeg" -DWITH_SIMD=OFF -DENABLE_STATIC=OFF -DWITH_TURBOJPEG=OFF
cmake_for "$sources/libzip" "$work/zip" -DENABLE_OPENSSL=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF \
  -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF \
  -DBUILD_DOC=OFF -DCMAKE_INSTALL_RPATH=\$ORIGIN

cp -a "$sources/libseccomp" "$work/seccomp"
cd "$work/seccomp"
./configure --host="$machine-linux-gnu" --prefix="$to" --disable-static CC="$compilers/cc" \
  AR="$compilers/ar" RANLIB="$compilers/ranlib" CFLAGS="-w -O2 -g0 -DNDEBUG" \
  ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: >"$work/log" 2>&1
make -j2 -C include >"$work/log" 2>&1
make -j2 -C src libseccomp.la >"$work/log" 2>&1
cp src/.libs/libseccomp.so.2.* "$to/lib/libseccomp.so.2"
ln -sf libseccomp.so.2 "$to/lib/libseccomp.so"
cp include/seccomp.h include/seccomp-syscalls.h "$to/include"

# Headers alone, and fmt, which has one file.
for folder in fmt tl nlohmann CLI protozero toml++; do cp -r "/usr/include/$folder" "$to/include"; done
"$compilers/c++" -c -std=c++20 -O2 -g0 -fPIC -DNDEBUG -I"$to/include" -o "$work/fmt.o" "$here/../cmake/fmt_inside.cc"
"$compilers/ar" rcs "$to/lib/libfmt.a" "$work/fmt.o"

# Functions that glibc 2.28 does not have; and which instructions a processor has, of which zig's own
# compiler-rt knows nothing: g++'s libgcc does (GPL with the runtime library exception).
"$compilers/c++" -c -std=c++20 -O2 -g0 -fPIC -o "$work/older.o" "$here/older_glibc.cc"
objects=("$work/older.o")
if [ "$machine" = x86_64 ]; then
  (cd "$work" && ar x "$(g++ -print-libgcc-file-name)" cpuinfo.o)
  objects+=("$work/cpuinfo.o")
fi
"$compilers/ar" rcs "$to/lib/libolder.a" "${objects[@]}"

for package in zlib libpng1.6 libjpeg-turbo libzip libseccomp; do
  cp "$sources/$package/debian/copyright" "$to/licenses/$package.txt"
done
rm -rf "$work" "$to/bin" "$to/share"
cp "$sources/versions.txt" "$to/versions.txt"
