# Installs BUILD below WORK, builds examples/ against it with find_package(strata)
# and runs the installed program and every example on MODEL. Examples that run a model have no
# `strata` program to rely on; they get a network with weights and the fake engine, which is not
# installed: it comes from BUILD.
set(prefix ${WORK}/prefix)
set(examples ${WORK}/examples)
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/../../examples -B ${examples} -G Ninja
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${CXX_FLAGS}
    -DCMAKE_EXE_LINKER_FLAGS=-Wl,-S)  # without the library's debug information, which takes most of the time
run(${CMAKE_COMMAND} --build ${examples})

run(${prefix}/bin/strata stat ${MODEL})
foreach(file man/man1/strata.1 man/man1/strata-zoo-table.1 bash-completion/completions/strata
             zsh/site-functions/_strata fish/vendor_completions.d/strata.fish)
  if(NOT EXISTS ${prefix}/share/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()

# The C interface by pkg-config, with nothing but its own names in it.
file(GLOB_RECURSE description ${prefix}/strata-c.pc)
cmake_path(GET description PARENT_PATH folder)
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder}
                          ${PKG_CONFIG} --cflags --libs strata-c
                  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags)
  run(cc -std=c11 ${CMAKE_CURRENT_LIST_DIR}/../../examples/count_from_c.c -o ${WORK}/by_pkg_config
      ${flags})
endif()
file(GLOB_RECURSE library ${prefix}/libstrata_c.so.1)
execute_process(COMMAND nm -D --defined-only ${library} OUTPUT_VARIABLE names
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[0-9a-f]+ T (strata_[a-z_]+)\n" "" others "${names}")
if(NOT CXX_FLAGS MATCHES "-fsanitize=" AND NOT others STREQUAL "")
  message(FATAL_ERROR "libstrata_c.so has names that are not of strata/c.h: ${others}")
endif()

# The installed engines are those for users, and nothing in them leads back to BUILD.
file(GLOB_RECURSE plugins ${prefix}/libstrata_engine_*)
foreach(plugin IN LISTS plugins)
  file(STRINGS ${plugin} paths REGEX "/libonnxruntime[.]so")
  if(paths MATCHES "${BUILD}|/build/onnxruntime/")
    message(FATAL_ERROR "${plugin} looks for ONNX Runtime in the build folder: ${paths}")
  endif()
endforeach()
if(plugins MATCHES "_fake[.]so")
  message(FATAL_ERROR "the fake engine is installed")
endif()
if(plugins MATCHES "_onnxruntime[.]so")
  run(${prefix}/bin/strata stat "zoo:squeezenet1_1?resolution=32" --time --runs 2 --report root)
endif()
file(GLOB programs ${examples}/bin/*)
if(NOT programs)
  message(FATAL_ERROR "examples/ built no program")
endif()
file(REMOVE ${prefix}/bin/strata)
file(MAKE_DIRECTORY ${WORK}/run)
foreach(program IN LISTS programs)
  cmake_path(GET program STEM name)
  if(NOT name MATCHES "^(bench|quantize|sweep|time)_")
    run(${program} ${MODEL})
  elseif(EXISTS ${BUILD}/engines/libstrata_engine_fake.so)
    run(${CMAKE_COMMAND} -E env STRATA_ENGINE_PATH=${BUILD}/engines ${program}
        "zoo:squeezenet1_1?resolution=32" fake WORKING_DIRECTORY ${WORK}/run)
  endif()
endforeach()
