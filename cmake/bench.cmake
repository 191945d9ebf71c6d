# One program per bench/<name>.cc: bench_<name>.
find_package(benchmark REQUIRED)
file(GLOB sources CONFIGURE_DEPENDS bench/*.cc)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  add_executable(bench_${name} ${source})
  target_include_directories(bench_${name} PRIVATE src)
  target_compile_definitions(bench_${name} PRIVATE
    STRATA_SOURCE_DIR="${PROJECT_SOURCE_DIR}" STRATA_BINARY="$<TARGET_FILE:strata_cli>")
  target_link_libraries(bench_${name} PRIVATE strata benchmark::benchmark)
endforeach()
