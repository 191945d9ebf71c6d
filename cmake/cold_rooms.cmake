# Rooms whose own time nobody notices: they prepare what other rooms do, or say what came of it. With
# less optimization the compiler takes a third less time for them. Builds in which every file is
# compiled alone have one level for all, because g++ warns of more where it optimizes less.
set(cold_rooms manual task lint check quantize sensitivity edit report zoo machine)

# strata_take_cold_rooms(<list of sources> <variable>): moves them from the list.
macro(strata_take_cold_rooms sources cold)
  string(JOIN "|" names ${cold_rooms})
  set(${cold} ${${sources}})
  list(FILTER ${cold} INCLUDE REGEX "/src/[a-z]+/(${names})/")
  list(FILTER ${sources} EXCLUDE REGEX "/src/[a-z]+/(${names})/")
endmacro()

function(strata_compile_as_cold target)
  if(STRATA_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_BUILD_TYPE MATCHES "^Rel")
    target_compile_options(${target} PRIVATE -Og)
  endif()
endfunction()

# Their files are a part of the library; only options differ.
function(strata_add_cold_rooms)
  add_library(strata_cold OBJECT ${ARGN})
  foreach(property INCLUDE_DIRECTORIES COMPILE_FEATURES COMPILE_DEFINITIONS)
    set_property(TARGET strata_cold PROPERTY ${property} $<TARGET_PROPERTY:strata,${property}>)
  endforeach()
  target_link_libraries(strata_cold PRIVATE tl::expected fmt::fmt nlohmann_json::nlohmann_json)
  target_precompile_headers(strata_cold REUSE_FROM strata_headers)
  strata_unity(strata_cold ${ARGN})
  strata_compile_as_cold(strata_cold)
endfunction()
