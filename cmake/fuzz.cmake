# One libFuzzer program and one test per tests/fuzz/<name>_fuzz.cc. Seeds are in
# tests/fuzz/corpus/<name>; what a run finds goes to the build folder.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "STRATA_FUZZ needs clang++: use the preset fuzz")
endif()
enable_testing()
set(STRATA_FUZZ_SECONDS 60 CACHE STRING
    "How long all fuzzers together run in a test: each takes an equal part, at least two seconds")

add_custom_target(fuzzers)
file(GLOB sources CONFIGURE_DEPENDS tests/fuzz/*_fuzz.cc)
list(LENGTH sources fuzzers)
math(EXPR seconds "${STRATA_FUZZ_SECONDS} / ${fuzzers}")
if(seconds LESS 2)  # most of one goes into reading the seeds
  set(seconds 2)
endif()
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  string(REGEX REPLACE "_fuzz$" "" corpus ${name})
  set(found ${PROJECT_BINARY_DIR}/corpus/${corpus})
  set(seeds ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${corpus})
  file(MAKE_DIRECTORY ${found})
  add_executable(${name} ${source})
  add_dependencies(fuzzers ${name})
  target_include_directories(${name} PRIVATE ${STRATA_SOURCE_FOLDERS})
  target_link_libraries(${name} PRIVATE strata)
  if(name STREQUAL c_fuzz)
    target_link_libraries(${name} PRIVATE strata_c_objects strata_commands)
  endif()
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_test(NAME ${name}
           COMMAND ${name} -max_total_time=${seconds} -timeout=10 -rss_limit_mb=2048
                   -artifact_prefix=${PROJECT_BINARY_DIR}/ ${found} ${seeds})
endforeach()

# One fuzzer and the tests of the C interface run the commands, which are compiled as fast as can be;
# what the sanitizers are to look at is the library and the interface.
target_compile_options(strata_commands PRIVATE -O0 -g0 -fno-sanitize=undefined)
set_target_properties(strata_commands PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
