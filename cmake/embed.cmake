# strata_embed(<variable> <folder>...): makes a source file that holds every file
# of the folders and implements src/core/base/embedded.h; <variable> is its path.
#
# The assembler takes the bytes in, so size costs no compile time. What is looked
# up is the path inside the repository: "data/energy.json".
function(strata_embed variable)
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/")
  list(TRANSFORM ARGN APPEND "/*")
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" ${ARGN})
  list(SORT files)

  set(EMBEDDED_BYTES "")
  set(EMBEDDED_SYMBOLS "")
  set(EMBEDDED_PATHS "")
  set(EMBEDDED_RANGES "")
  set(number 0)
  foreach(file IN LISTS files)
    set(symbol "strata_embedded_${number}")
    math(EXPR number "${number} + 1")
    # One statement a file: C++ compilers need not accept literals above 64 KiB.
    if(APPLE)  # where C's names begin with an underscore in assembly
      string(APPEND EMBEDDED_BYTES
             "asm(R\"(\n.section __TEXT,__const\n"
             "_${symbol}_begin:\n.incbin \"${PROJECT_SOURCE_DIR}/${file}\"\n_${symbol}_end:\n"
             ".private_extern _${symbol}_begin\n.private_extern _${symbol}_end\n.text\n)\");\n")
    elseif(WIN32)
      string(APPEND EMBEDDED_BYTES
             "asm(R\"(\n.section .rdata,\"dr\"\n"
             "${symbol}_begin:\n.incbin \"${PROJECT_SOURCE_DIR}/${file}\"\n${symbol}_end:\n"
             ".globl ${symbol}_begin, ${symbol}_end\n.text\n)\");\n")
    else()
      string(APPEND EMBEDDED_BYTES
             "asm(R\"(\n.pushsection .rodata\n"
             "${symbol}_begin:\n.incbin \"${PROJECT_SOURCE_DIR}/${file}\"\n${symbol}_end:\n"
             ".globl ${symbol}_begin, ${symbol}_end\n.hidden ${symbol}_begin, ${symbol}_end\n"
             ".popsection\n)\");\n")
    endif()
    string(APPEND EMBEDDED_SYMBOLS "extern const char ${symbol}_begin[], ${symbol}_end[];\n")
    string(APPEND EMBEDDED_PATHS "    \"${file}\",\n")
    string(APPEND EMBEDDED_RANGES "    {${symbol}_begin, ${symbol}_end},\n")
  endforeach()

  set(EMBEDDED_COUNT ${number})
  set(source "${PROJECT_BINARY_DIR}/embedded.cc")
  configure_file(cmake/embedded.cc.in "${source}" @ONLY)
  list(TRANSFORM files PREPEND "${PROJECT_SOURCE_DIR}/")
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${files}")
  set(${variable} "${source}" PARENT_SCOPE)
endfunction()
