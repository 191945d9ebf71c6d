# Windows' C library lacks a part of POSIX. src/core/base/posix_windows.h has the names that strata calls, for
# every file, and the headers that would declare them are empty.
set(posix ${PROJECT_BINARY_DIR}/posix)
foreach(header dlfcn.h poll.h sys/file.h sys/ioctl.h sys/mman.h sys/resource.h sys/socket.h sys/utsname.h
        sys/wait.h)
  file(CONFIGURE OUTPUT ${posix}/${header} CONTENT "")
endforeach()
include_directories(SYSTEM ${posix})
add_compile_definitions(_FILE_OFFSET_BITS=64)
add_compile_options(-include ${PROJECT_SOURCE_DIR}/src/core/base/posix_windows.h)
