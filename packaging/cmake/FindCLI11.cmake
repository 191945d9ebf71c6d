# The headers that libraries.sh put into the prefix; Debian's own package file names /usr/include, where the
# headers of another glibc are.
if(NOT TARGET CLI11::CLI11)
  add_library(CLI11::CLI11 INTERFACE IMPORTED)
  target_include_directories(CLI11::CLI11 INTERFACE ${STRATA_PORTABLE_PREFIX}/include)
endif()
set(CLI11_FOUND TRUE)
