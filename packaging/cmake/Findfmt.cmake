# The headers that libraries.sh put into the prefix; Debian's own package file names /usr/include, where the
# headers of another glibc are.
if(NOT TARGET fmt::fmt)
  add_library(fmt::fmt INTERFACE IMPORTED)
  target_include_directories(fmt::fmt INTERFACE ${STRATA_PORTABLE_PREFIX}/include)
endif()
set(fmt_FOUND TRUE)
file(STRINGS ${STRATA_PORTABLE_PREFIX}/include/fmt/core.h version REGEX "^#define FMT_VERSION [0-9]+")
string(REGEX REPLACE ".* ([0-9]+)([0-9][0-9])([0-9][0-9])$" "\\1.\\2.\\3" fmt_VERSION "${version}")
# The engines' plugins have no fmt of their own. For macOS there are none.
if(EXISTS ${STRATA_PORTABLE_PREFIX}/lib/libfmt.a)
  target_link_libraries(fmt::fmt INTERFACE ${STRATA_PORTABLE_PREFIX}/lib/libfmt.a)
endif()
