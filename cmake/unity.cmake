# Files of one room are compiled several at a time where there is no compiler cache: our own headers
# are then parsed once for all of them. Every file still compiles alone, as developers with ccache
# compile it.
#
# A file may use any name in its unnamed namespace, so files that declare the same name go into
# different groups. Code that clang-format has been over declares names in column 0.
option(STRATA_UNITY "Compile several files of a room at a time" ${STRATA_PCH})
if(STRATA_UNITY)
  # A name of one file may hide one of another file's headers, and the compiler takes our files for
  # headers. Compiled alone, each file has both warnings; compiled together, g++ still looks for names
  # that hide another of the same function.
  add_compile_options(-Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wshadow=local -Wno-subobject-linkage)
  endif()
endif()

# strata_declared_names(<variable> <file>)
function(strata_declared_names variable file)
  file(STRINGS ${file} lines REGEX "^[A-Za-z][^#;]*[A-Za-z0-9_>*&] ")
  set(names "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^(namespace|using namespace|template|extern|return|TEST|INSTANTIATE|MATCHER_)")
      continue()
    endif()
    # A name of another namespace may be taken over twice.
    if(line MATCHES "^using [A-Za-z0-9_:]+$" OR line MATCHES "^using [A-Za-z0-9_:]+;")
      continue()
    endif()
    # Keep the text before the first bracket, brace, semicolon or equals sign.
    string(REGEX REPLACE "[(\\[{;=].*" "" head "${line}")
    string(REGEX REPLACE " : .*" "" head "${head}")
    string(STRIP "${head}" head)
    if(head MATCHES "([A-Za-z_0-9]+)$")
      list(APPEND names ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(${variable} "${names}" PARENT_SCOPE)
endfunction()

# strata_unity(<target> <source>...): `most` files at a time, of one folder.
function(strata_unity target)
  if(NOT STRATA_UNITY)
    return()
  endif()
  set(most 8)
  foreach(source IN LISTS ARGN)
    strata_declared_names(names ${source})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME room)
    set(number 0)
    while(TRUE)
      set(group ${target}_${room}_${number})
      list(LENGTH files_${group} files)
      set(meet FALSE)
      foreach(name IN LISTS names)
        if(name IN_LIST names_${group})
          set(meet TRUE)
          break()
        endif()
      endforeach()
      if(files LESS most AND NOT meet)
        break()
      endif()
      math(EXPR number "${number} + 1")
    endwhile()
    list(APPEND files_${group} ${source})
    list(APPEND names_${group} ${names})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
