# Libraries that src/run/data, src/model/read and src/run/engine open when they need them (src/core/base/system_library.h). Only
# their headers are used at build time, and the name by which the dynamic linker will find them.

option(STRATA_CARRIED_LIBRARIES "The libraries will be beside the program, wherever they are now" OFF)

# Sets `out` to the library's SONAME, or to its path where the dynamic linker does not look.
function(strata_name_at_run_time out library)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux)  # where they are found by their names, if at all: compiling needs only headers
    cmake_path(GET library FILENAME name)
    set(${out} ${name} PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE dynamic ERROR_QUIET)
  if(NOT dynamic MATCHES "SONAME[^[]*\\[([^]]+)\\]")
    message(FATAL_ERROR "${library} is not a shared library, so strata cannot open it")
  endif()
  set(name ${CMAKE_MATCH_1})
  cmake_path(GET library PARENT_PATH folder)
  if(NOT STRATA_CARRIED_LIBRARIES AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    set(name ${folder}/${name})
  endif()
  set(${out} ${name} PARENT_SCOPE)
endfunction()

find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
# Debian's own package file for libzip asks for programs that this does not need.
find_path(ZIP_INCLUDE_DIR zip.h REQUIRED)
find_library(ZIP_LIBRARY zip REQUIRED)
target_include_directories(strata SYSTEM PRIVATE
  ${JPEG_INCLUDE_DIR} ${PNG_PNG_INCLUDE_DIR} ${ZIP_INCLUDE_DIR})
foreach(library JPEG PNG ZIP)
  strata_name_at_run_time(name ${${library}_LIBRARY})
  set_property(SOURCE src/run/data/system_libraries.cc APPEND PROPERTY
               COMPILE_DEFINITIONS STRATA_LIB${library}="${name}")
endforeach()

# Parts of .pt2 files that are compressed; PyTorch itself does not compress them.
find_package(ZLIB REQUIRED)
find_library(STRATA_ZLIB_LIBRARY z REQUIRED)
target_include_directories(strata SYSTEM PRIVATE ${ZLIB_INCLUDE_DIRS})
strata_name_at_run_time(name ${STRATA_ZLIB_LIBRARY})
set_property(SOURCE src/model/read/zip/inflate.cc APPEND PROPERTY
             COMPILE_DEFINITIONS STRATA_LIBZ="${name}")

# Confines processes that run a model, which only Linux can do.
if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux)
  return()
endif()
find_path(SECCOMP_INCLUDE_DIR seccomp.h REQUIRED)
find_library(SECCOMP_LIBRARY seccomp REQUIRED)
target_include_directories(strata SYSTEM PRIVATE ${SECCOMP_INCLUDE_DIR})
strata_name_at_run_time(name ${SECCOMP_LIBRARY})
set_property(SOURCE src/run/engine/confine_linux.cc APPEND PROPERTY
             COMPILE_DEFINITIONS STRATA_LIBSECCOMP="${name}")
