# Copies the libraries that `files` and `opened` need to `to`/libraries, each under the name that the
# dynamic linker asks for, and takes symbols for debuggers off `files` in `to`. `opened` themselves are
# copied, too. glibc and the compiler's own libraries are the system's.
file(GET_RUNTIME_DEPENDENCIES
  LIBRARIES ${files} ${opened}
  RESOLVED_DEPENDENCIES_VAR needed
  UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES
    "^ld-linux" "^lib(c|m|dl|pthread|rt|util|resolv)[.]so" "^lib(stdc[+][+]|gcc_s)[.]so")
if(missing)
  message(FATAL_ERROR "the wheel needs libraries that are not there: ${missing}")
endif()
file(REMOVE_RECURSE ${to}/libraries)
foreach(library IN LISTS needed opened)
  execute_process(COMMAND readelf -d ${library} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  if(NOT dynamic MATCHES "SONAME[^[]*\\[([^]]+)\\]")
    message(FATAL_ERROR "${library} is not a shared library, so the wheel cannot carry it")
  endif()
  set(name ${CMAKE_MATCH_1})
  file(REAL_PATH ${library} real)
  if(EXISTS ${to}/libraries/${name})
    continue()
  endif()
  file(COPY_FILE ${real} ${to}/name.so.tmp ONLY_IF_DIFFERENT)
  file(MAKE_DIRECTORY ${to}/libraries)
  file(RENAME ${to}/name.so.tmp ${to}/libraries/${name})
endforeach()
foreach(file IN LISTS files)
  cmake_path(GET file FILENAME name)
  execute_process(COMMAND ${strip} --strip-unneeded ${to}/${name} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
