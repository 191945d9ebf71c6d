# Headers that most files include are compiled once for the library, the program and the engines,
# and once for the tests. Every file still includes what it uses: it must compile without them.
#
# Where a compiler cache is used they are off. ccache caches nothing that was compiled with them,
# unless its settings say that it need not look for __TIME__ and for macros (`sloppiness =
# pch_defines,time_macros`), and that is for its user to say; then -DSTRATA_PCH=ON is right.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(precompile OFF)
else()
  set(precompile ON)
endif()
option(STRATA_PCH "Precompile the headers that most files include" ${precompile})
if(NOT STRATA_PCH)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ 12 takes the standard library's code for ours where it was precompiled, and warns of
  # copies of strings in it that clang and the sanitizers find right.
  add_compile_options(-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
                      -Wno-stringop-overread -Wno-maybe-uninitialized)
endif()

# strata_precompile(<target> [<header>...]): the standard library's, fmt's, and these. Other
# targets with the same compiler flags take them over with REUSE_FROM.
function(strata_precompile target)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <charconv> <cmath> <cstdint> <cstring> <deque> <filesystem> <fstream>
    <functional> <limits> <map> <memory> <memory_resource> <numeric> <optional> <set> <span>
    <string> <string_view> <unordered_map> <utility> <variant> <vector>
    <fmt/format.h> <tl/expected.hpp> ${ARGN})
endfunction()

# strata_precompile_library(): the target strata_headers has those of the library and the program.
function(strata_precompile_library)
  set(source ${PROJECT_BINARY_DIR}/headers.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(strata_headers OBJECT ${source})
  target_link_libraries(strata_headers PRIVATE tl::expected fmt::fmt)
  strata_precompile(strata_headers)
endfunction()
