# The plugins: engines/<name>/*.cc become <build>/engines/libstrata_engine_<name>.so.
set(STRATA_PLUGIN_SOURCES ${PROJECT_SOURCE_DIR}/engines/plugin_inputs.cc
                          ${PROJECT_SOURCE_DIR}/engines/plugin_probe.cc)
option(STRATA_TORCH "Build PyTorch's engine where libtorch is found" ON)
option(STRATA_FETCH "Fetch ONNX Runtime where the machine has none" OFF)
set(STRATA_ONNXRUNTIME_DIR ${PROJECT_BINARY_DIR}/onnxruntime CACHE PATH
    "Where ONNX Runtime is fetched to")

# strata_add_engine(<name> [FOR_TESTS]): what is for tests is not installed.
function(strata_add_engine name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/engines/${name}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  set(target strata_engine_${name})
  add_library(${target} MODULE ${sources} ${STRATA_PLUGIN_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  # One name goes out, so that no symbol meets another strata's.
  set(map ${PROJECT_SOURCE_DIR}/engines/plugin.map)
  target_link_options(${target} PRIVATE -Wl,--version-script=${map})
  set_target_properties(${target} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/engines LINK_DEPENDS ${map})
  target_link_libraries(${target} PRIVATE strata)
  target_precompile_headers(${target} REUSE_FROM strata_headers)
  set_property(GLOBAL APPEND PROPERTY STRATA_ENGINE_TARGETS ${target})
  if(NOT "FOR_TESTS" IN_LIST ARGN)
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/strata/engines)
  endif()
endfunction()

# The user's own ONNX Runtime: -Donnxruntime_ROOT=…, a CMake or pkg-config package, or
# one in the system's folders. Sets onnxruntime_INCLUDE_DIR and onnxruntime_LIBRARY.
macro(strata_find_onnxruntime)
  find_package(onnxruntime CONFIG QUIET)
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(onnxruntime_PC QUIET libonnxruntime)
  endif()
  set(hints ${onnxruntime_ROOT} $ENV{onnxruntime_ROOT})
  if(TARGET onnxruntime::onnxruntime)
    get_target_property(folders onnxruntime::onnxruntime INTERFACE_INCLUDE_DIRECTORIES)
    list(APPEND hints ${folders})
    foreach(folder IN LISTS folders)
      cmake_path(GET folder PARENT_PATH folder)
      list(APPEND hints ${folder})
    endforeach()
  endif()
  find_path(onnxruntime_INCLUDE_DIR onnxruntime_cxx_api.h
            HINTS ${hints} ${onnxruntime_PC_INCLUDE_DIRS}
            PATH_SUFFIXES include include/onnxruntime include/onnxruntime/core/session
                          onnxruntime onnxruntime/core/session)
  find_library(onnxruntime_LIBRARY onnxruntime
               HINTS ${hints} ${onnxruntime_PC_LIBRARY_DIRS} PATH_SUFFIXES lib lib64)
  find_file(onnxruntime_LIBRARY libonnxruntime.so.1  # where there is no link for linkers
            HINTS ${hints} PATH_SUFFIXES lib lib64)
endmacro()

# Sets onnxruntime_INCLUDE_DIR and onnxruntime_LIBRARY, or `why` they are not there.
macro(strata_fetch_onnxruntime)
  set(fetched ${STRATA_ONNXRUNTIME_DIR})
  set(why "no ONNX Runtime found; set onnxruntime_ROOT to one, or STRATA_FETCH=ON")
  if(STRATA_FETCH)
    execute_process(COMMAND ${PROJECT_SOURCE_DIR}/engines/onnxruntime/fetch.sh ${fetched}
                    RESULT_VARIABLE failed)
    set(why "ONNX Runtime could not be fetched; set onnxruntime_ROOT to one of your own")
  endif()
  if(EXISTS ${fetched}/lib/libonnxruntime.so.1)
    set(onnxruntime_INCLUDE_DIR ${fetched}/include)
    set(onnxruntime_LIBRARY ${fetched}/lib/libonnxruntime.so.1)
    # The plugin looks beside itself first: here, and where both are installed.
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/engines)
    file(CREATE_LINK ${onnxruntime_LIBRARY} ${PROJECT_BINARY_DIR}/engines/libonnxruntime.so.1
         SYMBOLIC)
    install(FILES ${onnxruntime_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR}/strata/engines)
  endif()
endmacro()

if(BUILD_TESTING OR STRATA_BENCH)
  strata_add_engine(fake FOR_TESTS)
  target_compile_definitions(strata_engine_fake PRIVATE STRATA_VERSION="${PROJECT_VERSION}")
endif()

strata_find_onnxruntime()
file(REMOVE ${PROJECT_BINARY_DIR}/engines/libonnxruntime.so.1)  # of an earlier fetch
if(NOT onnxruntime_INCLUDE_DIR OR NOT onnxruntime_LIBRARY)
  strata_fetch_onnxruntime()
endif()
if(onnxruntime_INCLUDE_DIR AND onnxruntime_LIBRARY)
  file(STRINGS ${onnxruntime_INCLUDE_DIR}/onnxruntime_c_api.h version
       REGEX "^#define ORT_API_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+$" version "${version}")
  if(version LESS 22)
    set(why "the headers in ${onnxruntime_INCLUDE_DIR} are older than ONNX Runtime 1.22")
  else()
    unset(why)
  endif()
endif()
if(why)
  message(STATUS "Engine onnxruntime: not built: ${why}")
else()
  message(STATUS "Engine onnxruntime: ${onnxruntime_LIBRARY}")
  strata_add_engine(onnxruntime)
  target_include_directories(strata_engine_onnxruntime SYSTEM PRIVATE ${onnxruntime_INCLUDE_DIR})
  # One that the user or a packager named stays where it is, and the plugin remembers where.
  if(NOT EXISTS ${PROJECT_BINARY_DIR}/engines/libonnxruntime.so.1)
    target_compile_definitions(strata_engine_onnxruntime PRIVATE
      STRATA_ONNXRUNTIME_LIBRARY="${onnxruntime_LIBRARY}")
  endif()
endif()
if(STRATA_TORCH)
  include(cmake/torch.cmake)
endif()
include(cmake/openvino.cmake)
get_property(engines GLOBAL PROPERTY STRATA_ENGINE_TARGETS)
add_custom_target(strata_engines)
if(engines)
  add_dependencies(strata_engines ${engines})
endif()
