# Copies the libraries that `files` and `opened` need to `to`/libraries, each under the name that the
# dynamic linker asks for. `opened` themselves are copied, too. glibc and the compiler's own libraries
# are the system's. `names` are `files` in `to`: they and the libraries are told to look there first.
find_program(PATCHELF patchelf REQUIRED)
file(GET_RUNTIME_DEPENDENCIES
  LIBRARIES ${files} ${opened}
  RESOLVED_DEPENDENCIES_VAR needed
  UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES
    "^ld-linux" "^lib(c|m|dl|pthread|rt|util|resolv)[.]so" "^lib(stdc[+][+]|gcc_s)[.]so")
if(missing)
  message(FATAL_ERROR "the wheel needs libraries that are not there: ${missing}")
endif()

function(look_in folder file)
  execute_process(COMMAND ${PATCHELF} --set-rpath ${folder} ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${to}/libraries)
file(MAKE_DIRECTORY ${to}/libraries)
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
  file(COPY_FILE ${real} ${to}/libraries/${name})
  look_in($ORIGIN ${to}/libraries/${name})
endforeach()

# The libraries' licences, which must be handed on with them, where the system has them.
find_program(DPKG_QUERY dpkg-query)
if(DPKG_QUERY)
  file(MAKE_DIRECTORY ${to}/libraries/licenses)
  foreach(library IN LISTS needed opened)
    file(REAL_PATH ${library} real)
    string(REGEX REPLACE "^/usr/" "/" short ${real})  # as packages name it that are older than the link
    foreach(place ${real} ${short})
      execute_process(COMMAND ${DPKG_QUERY} --search ${place}
                      OUTPUT_VARIABLE owner ERROR_QUIET RESULT_VARIABLE failed)
      if(NOT failed AND owner MATCHES "^([^:]+):")
        set(package ${CMAKE_MATCH_1})
        if(EXISTS /usr/share/doc/${package}/copyright)
          file(COPY_FILE /usr/share/doc/${package}/copyright ${to}/libraries/licenses/${package}.txt)
        endif()
      endif()
    endforeach()
  endforeach()
endif()

foreach(name IN LISTS names)
  execute_process(COMMAND ${strip} --strip-unneeded ${to}/${name} COMMAND_ERROR_IS_FATAL ANY)
  look_in($ORIGIN/libraries ${to}/${name})
endforeach()
