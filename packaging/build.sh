#!/usr/bin/env bash
# packaging/build.sh MACHINE FOLDER ONNXRUNTIME: compiles strata for MACHINE (x86_64 or aarch64) in
# FOLDER/MACHINE, with ONNX Runtime's plugin. What comes of it runs with glibc 2.28 and newer. ONNXRUNTIME is a
# folder that engines/onnxruntime/fetch.sh filled, for its headers.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
machine=$1
mkdir -p "$2"
to=$(realpath "$2") runtime=$(realpath "$3")
jobs=${JOBS:-$(nproc)}

"$here/zig.sh" "$to/zig"
"$here/sources.sh" "$to/sources"
"$here/compilers.sh" "$to/zig" "$machine-linux-gnu.2.28" "$to/$machine/compilers"
"$here/libraries.sh" "$to/sources" "$to/$machine/compilers" "$machine" "$to/$machine/prefix"
cmake -S "$here/.." -B "$to/$machine/build" -G Ninja \
  -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" -DSTRATA_PORTABLE_MACHINE="$machine" \
  -DSTRATA_PORTABLE_PREFIX="$to/$machine/prefix" \
  -DSTRATA_PORTABLE_COMPILERS="$to/$machine/compilers" -DSTRATA_CARRIED_LIBRARIES=ON \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O2 -g0 -DNDEBUG" \
  -DCMAKE_CXX_STANDARD_LIBRARIES="$to/$machine/prefix/lib/libolder.a" \
  -DCMAKE_EXE_LINKER_FLAGS=-s -DCMAKE_SHARED_LINKER_FLAGS=-s -DCMAKE_MODULE_LINKER_FLAGS=-s \
  -DCMAKE_CXX_FLAGS=-w -DCMAKE_SKIP_RPATH=ON -DBUILD_TESTING=OFF -DSTRATA_PCH=OFF -DSTRATA_UNITY=ON \
  -DSTRATA_TORCH=OFF -DSTRATA_OPENVINO=OFF -DSTRATA_FETCH=OFF -DSTRATA_ONNXRUNTIME_DIR="$runtime"
cmake --build "$to/$machine/build" --parallel "$jobs" \
  --target strata_cli strata_c strata_engine_onnxruntime strata_guard
