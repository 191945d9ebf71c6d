// libjpeg, opened when the first JPEG image is read.
#pragma once

#include <cstdio>

#include <jpeglib.h>
// After jpeglib.h, which it needs.
#include <jerror.h>

#include "base/system_library.h"

namespace strata {

extern SystemLibrary libjpeg;
// NOLINTNEXTLINE(readability-identifier-naming): a macro of jpeglib.h calls it by this name
inline LibraryFunction<decltype(::jpeg_CreateDecompress)> jpeg_CreateDecompress(
    libjpeg, "jpeg_CreateDecompress");
inline LibraryFunction<decltype(::jpeg_destroy_decompress)> jpeg_destroy_decompress(
    libjpeg, "jpeg_destroy_decompress");
inline LibraryFunction<decltype(::jpeg_mem_src)> jpeg_mem_src(libjpeg, "jpeg_mem_src");
inline LibraryFunction<decltype(::jpeg_read_header)> jpeg_read_header(libjpeg, "jpeg_read_header");
inline LibraryFunction<decltype(::jpeg_read_scanlines)> jpeg_read_scanlines(libjpeg,
                                                                            "jpeg_read_scanlines");
inline LibraryFunction<decltype(::jpeg_start_decompress)> jpeg_start_decompress(
    libjpeg, "jpeg_start_decompress");
inline LibraryFunction<decltype(::jpeg_std_error)> jpeg_std_error(libjpeg, "jpeg_std_error");

}  // namespace strata
