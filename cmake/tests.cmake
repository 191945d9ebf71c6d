# One test program per room (graph_test: src/core/graph/**/*_test.cc) and per folder of
# tests/ (tests_cli_test: tests/cli/**/*.cc).
include(GoogleTest)
enable_testing()
set(STRATA_TESTS all CACHE STRING
    "Which tests: all, rooms (those beside the code in src/), folders (those in tests/) or a list of\
 these and of single rooms")
option(STRATA_WHOLE_PROGRAMS "One test per program: sanitized programs take long to start" OFF)
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)

# Options that all test programs share. Their own code need not be fast, and -O1 saves a quarter of its
# compile time. With sanitizers, which look at the library, -O0 without the checks of undefined
# behaviour saves almost half of it.
function(strata_test_settings target)
  if(STRATA_FUZZ)
    target_compile_options(${target} PRIVATE -O0 -g0 -fno-sanitize=undefined)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  endif()
  target_link_libraries(${target} PRIVATE
    strata nlohmann_json::nlohmann_json GTest::gmock_main rapidcheck)
endfunction()

# Holds the precompiled headers of all test programs, and nothing else.
if(STRATA_PCH)
  file(CONFIGURE OUTPUT test_headers.cc CONTENT "// Empty.\n")
  add_library(strata_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cc)
  strata_test_settings(strata_test_headers)
  strata_precompile(strata_test_headers <gmock/gmock.h> <gtest/gtest.h>)
endif()

# Simulations that only do arithmetic: a million runs of bench, which the preset `test` looks at.
set(long_simulations "Loads/UnderLoad.*:ScheduleOnMoods.ClaimsAtMost*")

# strata_add_test(<program> <sources> <prefix> [<option of gtest_discover_tests>...])
# adds nothing where no source matches.
function(strata_add_test program sources prefix)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${sources})
  list(FILTER sources EXCLUDE REGEX "_fuzz\\.cc$")
  if(NOT sources)
    return()
  endif()
  add_executable(${program} ${sources})
  target_include_directories(${program} PRIVATE ${STRATA_SOURCE_FOLDERS})
  target_include_directories(${program} SYSTEM PRIVATE ${PROTOZERO_INCLUDE_DIR})
  target_compile_definitions(${program} PRIVATE
    STRATA_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    STRATA_BINARY="$<TARGET_FILE:strata_cli>"
    STRATA_TEST_MODELS="${STRATA_TEST_MODELS}")
  strata_test_settings(${program})
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")  # for tests that such a program cannot pass
    target_compile_definitions(${program} PRIVATE STRATA_SANITIZED)
    set_target_properties(${program} PROPERTIES
      CROSSCOMPILING_EMULATOR ${PROJECT_SOURCE_DIR}/tests/run_sanitized.sh)
  endif()
  if(STRATA_PCH)
    target_precompile_headers(${program} REUSE_FROM strata_test_headers)
  endif()
  strata_unity(${program} ${sources})
  if(STRATA_WHOLE_PROGRAMS)
    add_test(NAME ${prefix}all COMMAND ${program} --gtest_brief=1 --gtest_filter=-${long_simulations})
    set_tests_properties(${prefix}all PROPERTIES TIMEOUT 1200)
  else()
    gtest_discover_tests(${program} TEST_PREFIX ${prefix} DISCOVERY_MODE PRE_TEST
                         DISCOVERY_TIMEOUT 60 ${ARGN})
  endif()
endfunction()

file(GLOB rooms CONFIGURE_DEPENDS LIST_DIRECTORIES true src/*/*)
foreach(folder IN LISTS rooms)
  cmake_path(GET folder FILENAME room)
  if("${STRATA_TESTS}" MATCHES "^all$|^rooms$" OR room IN_LIST STRATA_TESTS)
    strata_add_test(${room}_test ${folder}/*_test.cc ${room}/)
  endif()
endforeach()
if(TARGET options_test)
  target_link_libraries(options_test PRIVATE strata_commands)
endif()
if(TARGET cli_test)
  target_link_libraries(cli_test PRIVATE strata_commands)
endif()
if(TARGET c_test)
  target_link_libraries(c_test PRIVATE strata_c_objects strata_commands)
endif()
if("${STRATA_TESTS}" MATCHES "^all$|^rooms$")
  # The parts of a plugin that need nothing of its engine.
  strata_add_test(engines_test engines/*_test.cc engines/)
  if(TARGET engines_test)
    set(parts profile fusion fusion_rest kernel_trace kernel_types source_values)
    list(TRANSFORM parts PREPEND engines/onnxruntime/)
    list(TRANSFORM parts APPEND .cc)
    target_sources(engines_test PRIVATE ${parts} engines/plugin_inputs.cc
                   engines/openvino/kernel_times.cc)
    target_include_directories(engines_test PRIVATE ${PROJECT_SOURCE_DIR})
  endif()
endif()
if(STRATA_WHOLE_PROGRAMS AND TARGET task_test)
  set_tests_properties(task/all PROPERTIES COST 100)  # the longest, so that it starts first
endif()
# Tests that run models find the plugins beside themselves.
get_property(engines GLOBAL PROPERTY STRATA_ENGINE_TARGETS)
foreach(program engine_test measure_test bench_test sensitivity_test quantize_test task_test strata_cli)
  if(TARGET ${program} AND engines)
    add_dependencies(${program} ${engines})
  endif()
endforeach()

if("${STRATA_TESTS}" STREQUAL "rooms")
  return()
endif()

# Torch exports the models that are not in the repository; once, and again when
# the scripts change. What is in tests/, but for structure, waits for it.
add_test(NAME models
         COMMAND /usr/bin/python3 -B ${PROJECT_SOURCE_DIR}/tests/models/make_models.py
                 --out ${STRATA_TEST_MODELS})
set_tests_properties(models PROPERTIES FIXTURES_SETUP models)
# Those that only tests/zoo/ and tests/engines/ read beside them. Two processes make them.
add_test(NAME sketches
         COMMAND /usr/bin/python3 -B ${PROJECT_SOURCE_DIR}/tests/models/make_models.py
                 --sketches --out ${STRATA_TEST_MODELS})
set_tests_properties(sketches PROPERTIES
                     FIXTURES_SETUP sketches FIXTURES_REQUIRED models PROCESSORS 2)

# The tools whose numbers tests/tools/ compares with, and what they count: once, and again when they
# or the scripts change.
set(packages ${STRATA_TEST_MODELS}/../tools)
cmake_path(NORMAL_PATH packages)
add_test(NAME tools_installed
         COMMAND ${PROJECT_SOURCE_DIR}/tests/tools/install.sh ${packages})
set_tests_properties(tools_installed PROPERTIES FIXTURES_SETUP tools_installed)
add_test(NAME tools_run
         COMMAND /usr/bin/python3 -B ${PROJECT_SOURCE_DIR}/tests/tools/count.py
                 --packages ${packages}/packages --out ${STRATA_TEST_MODELS}/tool_counts.csv)
set_tests_properties(tools_run PROPERTIES
                     FIXTURES_SETUP tools FIXTURES_REQUIRED "models;tools_installed" PROCESSORS 2)

# ONNX's newest conformance cases, where fetching is allowed.
set(STRATA_CONFORMANCE_CASES "")
if(STRATA_FETCH)
  cmake_path(GET STRATA_TEST_MODELS PARENT_PATH beside_models)
  set(STRATA_CONFORMANCE_CASES ${beside_models}/conformance)
  add_test(NAME conformance_cases
           COMMAND ${PROJECT_SOURCE_DIR}/tests/conformance/make_cases.sh
                   ${STRATA_CONFORMANCE_CASES})
  set_tests_properties(conformance_cases PROPERTIES FIXTURES_SETUP conformance_cases)
endif()

# PyTorch 2.13, which Debian does not have, and the networks that it exports: once, and again when the
# scripts change.
if(STRATA_FETCH)
  set(torch ${beside_models}/torch/bin/python)
  add_test(NAME torch_installed
           COMMAND ${PROJECT_SOURCE_DIR}/tests/pt2/install.sh ${beside_models})
  set_tests_properties(torch_installed PROPERTIES FIXTURES_SETUP torch_installed TIMEOUT 1800)
  foreach(kind convolutional transformer)
    add_test(NAME pt2_${kind}
             COMMAND ${torch} -B ${PROJECT_SOURCE_DIR}/tests/pt2/export.py
                     --of ${kind} --out ${STRATA_TEST_MODELS}/pt2)
    set_tests_properties(pt2_${kind} PROPERTIES
                         FIXTURES_SETUP pt2 FIXTURES_REQUIRED torch_installed TIMEOUT 1800)
  endforeach()
  add_test(NAME pt2_schemas
           COMMAND sh -c "$<TARGET_FILE:strata_cli> ops aten --format json | ${torch} -B \
${PROJECT_SOURCE_DIR}/tests/pt2/check_schemas.py")
  set_tests_properties(pt2_schemas PROPERTIES FIXTURES_REQUIRED torch_installed)
  add_test(NAME pt2_torchvision
           COMMAND ${torch} -B ${PROJECT_SOURCE_DIR}/tests/pt2/torchvision_forms.py
                   --strata $<TARGET_FILE:strata_cli>)
  set_tests_properties(pt2_torchvision PROPERTIES FIXTURES_REQUIRED torch_installed TIMEOUT 900)
  # AOTInductor's packages and the questions to Debian's version below, on the engine of the same PyTorch.
  if(STRATA_TORCH_ROOTS AND TARGET strata_engine_torch)
    foreach(script packages inputs failures precision)
      set(name torch/new_${script})
      if(script STREQUAL "packages")
        set(name torch/packages)
      endif()
      add_test(NAME ${name}
               COMMAND ${torch} -B ${PROJECT_SOURCE_DIR}/tests/torch/${script}.py
                       --strata $<TARGET_FILE:strata_cli> --engines ${PROJECT_BINARY_DIR}/engines)
      # Long ones first, so that the other core has work to their end.
      set_tests_properties(${name} PROPERTIES
                           FIXTURES_REQUIRED torch_installed TIMEOUT 900 COST 120)
      if(script STREQUAL "packages")  # which compiles with both cores
        set_tests_properties(${name} PROPERTIES PROCESSORS 2)
      endif()
    endforeach()
  endif()
endif()

# The wheel of what this build has compiled, and python/tests with it: beside PyTorch 2.13, and beside
# Debian's.
if(STRATA_FETCH AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  set(python ${PROJECT_SOURCE_DIR}/tests/python)
  set(wheel ${PROJECT_BINARY_DIR}/python)
  set(python_packages ${beside_models}/python/packages)
  add_test(NAME python/packages COMMAND ${python}/install.sh ${beside_models}/python)
  set_tests_properties(python/packages PROPERTIES FIXTURES_SETUP python_packages)
  add_test(NAME python/wheel
           COMMAND ${python}/make_wheel.sh ${PROJECT_BINARY_DIR} ${wheel} ${python_packages})
  set_tests_properties(python/wheel PROPERTIES
                       FIXTURES_SETUP python_wheel FIXTURES_REQUIRED python_packages)
  foreach(environment new debian)
    add_test(NAME python/${environment}
             COMMAND ${python}/run.sh ${environment} ${wheel} ${python_packages}
                     ${beside_models}/torch)
    set_tests_properties(python/${environment} PROPERTIES
      FIXTURES_REQUIRED "python_wheel;torch_installed;tools_installed;models"
      ENVIRONMENT STRATA_TEST_TOOLS=${packages}/packages
      TIMEOUT 1200)
  endforeach()
endif()

file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES true
     RELATIVE ${PROJECT_SOURCE_DIR}/tests tests/*)
foreach(folder IN LISTS folders)
  set(program tests_${folder}_test)
  if(folder STREQUAL "pt2" AND NOT STRATA_FETCH)
    continue()
  endif()
  if(folder MATCHES "^(structure|trained|start|lint|shell)$")  # which read nothing that torch exports
    strata_add_test(${program} tests/${folder}/*.cc tests/${folder}/)
  else()
    set(fixture models)
    if(folder MATCHES "^(zoo|engines)$")
      set(fixture sketches)
    elseif(folder STREQUAL "tools")
      set(fixture tools)  # which waits for the models
    elseif(folder STREQUAL "conformance" AND STRATA_FETCH)
      set(fixture conformance_cases)
    elseif(folder STREQUAL "pt2")
      set(fixture pt2)
    endif()
    strata_add_test(${program} tests/${folder}/*.cc tests/${folder}/
                    PROPERTIES FIXTURES_REQUIRED ${fixture})
  endif()
  if(TARGET ${program})
    add_dependencies(${program} strata_cli)
  endif()
endforeach()
if(TARGET tests_conformance_test)
  target_compile_definitions(tests_conformance_test PRIVATE
    STRATA_CONFORMANCE_CASES="${STRATA_CONFORMANCE_CASES}")
endif()

# Workflows, the action and the hook, which no test can run, name only what exists.
add_test(NAME tests/structure/ci_files
         COMMAND /usr/bin/python3 -B ${PROJECT_SOURCE_DIR}/tests/structure/ci_files.py)

# Engines that a build asks for (cmake/engines.cmake) and that tests may count on.
if(TARGET tests_engines_test)
  set(expected "")
  if(STRATA_ENGINES)
    set(expected "fake")
    if(STRATA_FETCH)
      string(APPEND expected " onnxruntime")
    endif()
    if(TARGET strata_openvino)
      string(APPEND expected " openvino")
    endif()
  endif()
  target_compile_definitions(tests_engines_test PRIVATE STRATA_EXPECTED_ENGINES="${expected}")
endif()

# Compiles and runs the programs that strata optimize writes beside a model.
function(strata_test_programs engine include library packages)
  if(TARGET strata_engine_${engine} AND EXISTS ${library})
    add_test(NAME engines/programs_${engine}
             COMMAND /usr/bin/python3 -B ${PROJECT_SOURCE_DIR}/tests/engines/run_programs.py
                     --strata $<TARGET_FILE:strata_cli> --engine ${engine} --include ${include}
                     --library ${library} --packages ${packages})
    set_tests_properties(engines/programs_${engine} PROPERTIES FIXTURES_REQUIRED python_packages)
  endif()
endfunction()
if(python_packages)
  strata_test_programs(onnxruntime "${onnxruntime_INCLUDE_DIR}" "${onnxruntime_LIBRARY}" "${python_packages}")
  file(GLOB openvino_library ${STRATA_OPENVINO}/openvino/libs/libopenvino.so.*)
  strata_test_programs(openvino ${STRATA_OPENVINO}/openvino/include "${openvino_library}" ${STRATA_OPENVINO})
endif()

# TorchScript files on PyTorch's engine. Debian's version is the one that torchvision's detectors run on.
set(debian_torch ${PROJECT_BINARY_DIR}/engines-torch-1.13)
if(TARGET strata_engine_torch_1.13)
  add_dependencies(strata_cli strata_engine_torch_1.13 strata_torch_1.13)
  foreach(script networks detectors failures inputs published precision)
    add_test(NAME torch/${script}
             COMMAND /usr/bin/python3 -B ${PROJECT_SOURCE_DIR}/tests/torch/${script}.py
                     --strata $<TARGET_FILE:strata_cli> --engines ${debian_torch}
                     --models ${STRATA_TEST_MODELS})
    set_tests_properties(torch/${script} PROPERTIES FIXTURES_REQUIRED sketches TIMEOUT 1200 COST 120)
  endforeach()
  add_test(NAME torch/conformance
           COMMAND tests_engines_test --gtest_filter=*ScriptEngine*)
  set_tests_properties(torch/conformance PROPERTIES
    FIXTURES_REQUIRED models ENVIRONMENT STRATA_ENGINE_PATH=${debian_torch})
endif()

# Numbers against implementations that share no code with strata.
foreach(model digits digits_planted)
  add_test(NAME oracle/sensitivity_${model}
           COMMAND /usr/bin/python3 -B ${PROJECT_SOURCE_DIR}/tests/oracle/sensitivity_digits.py
                   --strata $<TARGET_FILE:strata_cli> --model ${model}.onnx)
endforeach()

# Pages in a real browser.
set(page_judge ${STRATA_TEST_MODELS}/../page)
cmake_path(NORMAL_PATH page_judge)
add_test(NAME page_installed COMMAND ${PROJECT_SOURCE_DIR}/tests/page/install.sh ${page_judge})
set_tests_properties(page_installed PROPERTIES FIXTURES_SETUP page_installed)
add_test(NAME page
         COMMAND node ${PROJECT_SOURCE_DIR}/tests/page/page_test.mjs
                 $<TARGET_FILE:strata_cli> ${PROJECT_SOURCE_DIR}/tests/models)
set_tests_properties(page PROPERTIES TIMEOUT 900 FIXTURES_REQUIRED page_installed
                     ENVIRONMENT STRATA_AXE=${page_judge}/axe)

# The formulas in a page, without a browser.
add_test(NAME page_llm
         COMMAND node ${PROJECT_SOURCE_DIR}/tests/page/llm_test.mjs $<TARGET_FILE:strata_cli>)

# The flags are handed on for the runtimes of sanitizers and coverage.
add_test(NAME install
         COMMAND ${CMAKE_COMMAND}
                 -DBUILD=${PROJECT_BINARY_DIR}
                 -DWORK=${PROJECT_BINARY_DIR}/install_test
                 -DMODEL=${PROJECT_SOURCE_DIR}/tests/models/mobilenet_v2.onnx
                 -DCXX=${CMAKE_CXX_COMPILER}
                 -DCXX_FLAGS=${CMAKE_CXX_FLAGS}
                 -P ${PROJECT_SOURCE_DIR}/tests/install/install_test.cmake)
# LeakSanitizer's tracer crashes now and then in a program that ends beside its children.
set_tests_properties(install PROPERTIES ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
