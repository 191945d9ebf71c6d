// libzip, opened when the first .npz file is read or written.
#pragma once

#include <zip.h>

#include "base/system_library.h"

namespace strata {

extern SystemLibrary libzip;
inline LibraryFunction<decltype(::zip_close)> zip_close(libzip, "zip_close");
inline LibraryFunction<decltype(::zip_discard)> zip_discard(libzip, "zip_discard");
inline LibraryFunction<decltype(::zip_error_fini)> zip_error_fini(libzip, "zip_error_fini");
inline LibraryFunction<decltype(::zip_error_init_with_code)> zip_error_init_with_code(
    libzip, "zip_error_init_with_code");
inline LibraryFunction<decltype(::zip_error_strerror)> zip_error_strerror(libzip,
                                                                          "zip_error_strerror");
inline LibraryFunction<decltype(::zip_fclose)> zip_fclose(libzip, "zip_fclose");
inline LibraryFunction<decltype(::zip_file_add)> zip_file_add(libzip, "zip_file_add");
inline LibraryFunction<decltype(::zip_file_strerror)> zip_file_strerror(libzip,
                                                                        "zip_file_strerror");
inline LibraryFunction<decltype(::zip_fopen_index)> zip_fopen_index(libzip, "zip_fopen_index");
inline LibraryFunction<decltype(::zip_fread)> zip_fread(libzip, "zip_fread");
inline LibraryFunction<decltype(::zip_fseek)> zip_fseek(libzip, "zip_fseek");
inline LibraryFunction<decltype(::zip_get_name)> zip_get_name(libzip, "zip_get_name");
inline LibraryFunction<decltype(::zip_get_num_entries)> zip_get_num_entries(libzip,
                                                                            "zip_get_num_entries");
inline LibraryFunction<decltype(::zip_name_locate)> zip_name_locate(libzip, "zip_name_locate");
inline LibraryFunction<decltype(::zip_open)> zip_open(libzip, "zip_open");
inline LibraryFunction<decltype(::zip_set_file_compression)> zip_set_file_compression(
    libzip, "zip_set_file_compression");
inline LibraryFunction<decltype(::zip_source_buffer)> zip_source_buffer(libzip,
                                                                        "zip_source_buffer");
inline LibraryFunction<decltype(::zip_source_free)> zip_source_free(libzip, "zip_source_free");
inline LibraryFunction<decltype(::zip_stat_index)> zip_stat_index(libzip, "zip_stat_index");
inline LibraryFunction<decltype(::zip_stat_init)> zip_stat_init(libzip, "zip_stat_init");
inline LibraryFunction<decltype(::zip_strerror)> zip_strerror(libzip, "zip_strerror");

}  // namespace strata
