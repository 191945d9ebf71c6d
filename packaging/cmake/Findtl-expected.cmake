# The headers that libraries.sh put into the prefix; Debian's own package file names /usr/include, where the
# headers of another glibc are.
if(NOT TARGET tl::expected)
  add_library(tl::expected INTERFACE IMPORTED)
  target_include_directories(tl::expected INTERFACE ${STRATA_PORTABLE_PREFIX}/include)
endif()
set(tl-expected_FOUND TRUE)
