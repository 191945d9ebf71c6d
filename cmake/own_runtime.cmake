# The program carries fmt and libstdc++ inside itself. The dynamic linker then has nothing to bind but
# the C library, which is most of the time that a short command takes (ADR 50). Plugins have their own
# copies and speak C with the program, so that no C++ object meets the code of another copy.
option(STRATA_OWN_RUNTIME "The program carries fmt and libstdc++, and starts sooner" ON)

# fmt is a shared library in Debian: the program compiles it from its headers. What has to be
# instantiated differs between releases.
function(strata_own_runtime target)
  if(NOT STRATA_OWN_RUNTIME OR CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
    return()
  endif()
  if(NOT fmt_VERSION MATCHES "^9\\.")
    message(STATUS "Own runtime: no, since fmt ${fmt_VERSION} is not 9")
    return()
  endif()
  target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/fmt_inside.cc)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/cmake/fmt_inside.cc PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
endfunction()
