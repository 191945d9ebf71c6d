// libpng, opened when the first PNG image is read or written.
#pragma once

#include <png.h>

#include "base/system_library.h"

namespace strata {

extern SystemLibrary libpng;
inline LibraryFunction<decltype(::png_create_info_struct)> png_create_info_struct(
    libpng, "png_create_info_struct");
inline LibraryFunction<decltype(::png_create_read_struct)> png_create_read_struct(
    libpng, "png_create_read_struct");
inline LibraryFunction<decltype(::png_destroy_read_struct)> png_destroy_read_struct(
    libpng, "png_destroy_read_struct");
inline LibraryFunction<decltype(::png_get_color_type)> png_get_color_type(libpng,
                                                                          "png_get_color_type");
inline LibraryFunction<decltype(::png_get_error_ptr)> png_get_error_ptr(libpng,
                                                                        "png_get_error_ptr");
inline LibraryFunction<decltype(::png_get_image_height)> png_get_image_height(
    libpng, "png_get_image_height");
inline LibraryFunction<decltype(::png_get_image_width)> png_get_image_width(libpng,
                                                                            "png_get_image_width");
inline LibraryFunction<decltype(::png_get_io_ptr)> png_get_io_ptr(libpng, "png_get_io_ptr");
inline LibraryFunction<decltype(::png_get_rowbytes)> png_get_rowbytes(libpng, "png_get_rowbytes");
inline LibraryFunction<decltype(::png_image_write_to_memory)> png_image_write_to_memory(
    libpng, "png_image_write_to_memory");
// Written out: to clang, its type says that it does not return.
inline LibraryFunction<void(png_const_structrp, int)> png_longjmp(libpng, "png_longjmp");
inline LibraryFunction<decltype(::png_read_info)> png_read_info(libpng, "png_read_info");
inline LibraryFunction<decltype(::png_read_row)> png_read_row(libpng, "png_read_row");
inline LibraryFunction<decltype(::png_read_update_info)> png_read_update_info(
    libpng, "png_read_update_info");
inline LibraryFunction<decltype(::png_set_chunk_malloc_max)> png_set_chunk_malloc_max(
    libpng, "png_set_chunk_malloc_max");
inline LibraryFunction<decltype(::png_set_expand_gray_1_2_4_to_8)> png_set_expand_gray_1_2_4_to_8(
    libpng, "png_set_expand_gray_1_2_4_to_8");
inline LibraryFunction<decltype(::png_set_gray_to_rgb)> png_set_gray_to_rgb(libpng,
                                                                            "png_set_gray_to_rgb");
inline LibraryFunction<decltype(::png_set_interlace_handling)> png_set_interlace_handling(
    libpng, "png_set_interlace_handling");
inline LibraryFunction<decltype(::png_set_keep_unknown_chunks)> png_set_keep_unknown_chunks(
    libpng, "png_set_keep_unknown_chunks");
inline LibraryFunction<decltype(::png_set_longjmp_fn)> png_set_longjmp_fn(libpng,
                                                                          "png_set_longjmp_fn");
inline LibraryFunction<decltype(::png_set_palette_to_rgb)> png_set_palette_to_rgb(
    libpng, "png_set_palette_to_rgb");
inline LibraryFunction<decltype(::png_set_read_fn)> png_set_read_fn(libpng, "png_set_read_fn");
inline LibraryFunction<decltype(::png_set_strip_16)> png_set_strip_16(libpng, "png_set_strip_16");
inline LibraryFunction<decltype(::png_set_strip_alpha)> png_set_strip_alpha(libpng,
                                                                            "png_set_strip_alpha");
inline LibraryFunction<decltype(::png_set_user_limits)> png_set_user_limits(libpng,
                                                                            "png_set_user_limits");

}  // namespace strata
