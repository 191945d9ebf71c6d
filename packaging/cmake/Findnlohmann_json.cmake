# The headers that libraries.sh put into the prefix; Debian's own package file names /usr/include, where the
# headers of another glibc are.
if(NOT TARGET nlohmann_json::nlohmann_json)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
  target_include_directories(nlohmann_json::nlohmann_json INTERFACE ${STRATA_PORTABLE_PREFIX}/include)
endif()
set(nlohmann_json_FOUND TRUE)
