# The C interface, include/strata/c.h: libstrata_c.so. The library and the program's commands become
# a part of it and of the engines' plugins.
set_target_properties(strata strata_headers strata_cold strata_commands PROPERTIES
                      POSITION_INDEPENDENT_CODE ON)

file(GLOB c_sources CONFIGURE_DEPENDS src/front/c/*.cc)
list(FILTER c_sources EXCLUDE REGEX "_test\\.cc$")
# An object library of its own, for the tests to link.
add_library(strata_c_objects OBJECT ${c_sources})
set_target_properties(strata_c_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(strata_c_objects PUBLIC strata_commands)
target_precompile_headers(strata_c_objects REUSE_FROM strata_headers)

# Hidden definitions of fmt's come before those of libfmt, which is then not needed, and cannot meet
# that of a process that has another.
set(map ${PROJECT_SOURCE_DIR}/src/front/c/exports.map)
add_library(strata_c SHARED cmake/fmt_inside.cc)
add_library(strata::c ALIAS strata_c)
target_link_libraries(strata_c PRIVATE strata_c_objects strata_commands)
target_include_directories(strata_c INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_options(strata_c PRIVATE -Wl,--version-script=${map})
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")  # whose functions are in the program that opens it
  target_link_options(strata_c PRIVATE -Wl,-z,defs)
endif()
set_target_properties(strata_c PROPERTIES
  LINK_DEPENDS ${map} VERSION ${PROJECT_VERSION} SOVERSION 1 EXPORT_NAME c
  DISABLE_PRECOMPILE_HEADERS ON)
