# OpenVINO's engine, built for the release of pip's package that engines/openvino/install.sh brings,
# or that STRATA_OPENVINO names: a folder with the package `openvino` in it.
set(STRATA_OPENVINO ${PROJECT_SOURCE_DIR}/build/openvino/packages CACHE PATH
    "The folder that pip's openvino is installed in, for its engine")
set(openvino_root ${STRATA_OPENVINO}/openvino)
file(GLOB openvino_library ${openvino_root}/libs/libopenvino.so.[0-9]*)
if(NOT openvino_library OR NOT EXISTS ${openvino_root}/include/openvino/openvino.hpp)
  message(STATUS "Engine openvino: not built: no OpenVINO in ${STRATA_OPENVINO}; "
                 "engines/openvino/install.sh build brings one, STRATA_OPENVINO names another")
  return()
endif()
list(GET openvino_library 0 openvino_library)
file(STRINGS ${openvino_root}/include/openvino/core/version.hpp lines
     REGEX "define OPENVINO_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
string(REGEX REPLACE "[^0-9;]" "" openvino_release "${lines}")
string(REPLACE ";" "." openvino_release "${openvino_release}")
message(STATUS "Engine openvino: OpenVINO ${openvino_release}, ${openvino_library}")

set(map ${PROJECT_SOURCE_DIR}/engines/plugin.map)
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/engines/openvino/*.cc)
list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
# The rule that says which source nodes a kernel computes is the same for both engines.
foreach(part IN ITEMS fusion fusion_rest kernel_types source_values)
  list(APPEND sources ${PROJECT_SOURCE_DIR}/engines/onnxruntime/${part}.cc)
endforeach()
add_library(strata_openvino MODULE ${sources} ${STRATA_PLUGIN_SOURCES})
add_library(strata_engine_openvino MODULE ${PROJECT_SOURCE_DIR}/engines/openvino/loader/loader.cc)
cmake_path(GET openvino_library FILENAME soname)
foreach(target IN ITEMS strata_openvino strata_engine_openvino)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_options(${target} PRIVATE -Wl,--version-script=${map})
  target_compile_definitions(${target} PRIVATE STRATA_OPENVINO_RELEASE="${openvino_release}"
    STRATA_OPENVINO_SONAME="${soname}" STRATA_OPENVINO_LIBS="${openvino_root}/libs"
    STRATA_OPENVINO_WORKER="libstrata_openvino.so")
  set_target_properties(${target} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/engines LINK_DEPENDS ${map})
  set_property(GLOBAL APPEND PROPERTY STRATA_ENGINE_TARGETS ${target})
endforeach()
target_include_directories(strata_openvino SYSTEM PRIVATE ${openvino_root}/include)
# The loader has opened the library before, by the name that this one needs. It is not built with
# the sanitizers, so its classes have no type information that they know.
target_link_libraries(strata_openvino PRIVATE strata ${openvino_library})
target_compile_options(strata_openvino PRIVATE -fno-sanitize=vptr)
set_target_properties(strata_openvino PROPERTIES SKIP_BUILD_RPATH ON)
set_target_properties(strata_engine_openvino PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
target_link_libraries(strata_engine_openvino PRIVATE ${CMAKE_DL_LIBS})
install(TARGETS strata_openvino strata_engine_openvino
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/strata/engines)
