# `cmake --install` installs the program, the library and a package that
# find_package(strata) finds.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/strata)
install(TARGETS strata_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS strata EXPORT strata-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS strata_c EXPORT strata-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/strata-c.pc.in strata-c.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/strata-c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY include/strata DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Manual pages and completion, which the program writes itself. LeakSanitizer's tracer crashes now and
# then, and has nothing to say here.
if(NOT CMAKE_CROSSCOMPILING)
  set(manual ${PROJECT_BINARY_DIR}/manual)
  set(write ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 $<TARGET_FILE:strata_cli>)
  get_property(engines GLOBAL PROPERTY STRATA_ENGINE_TARGETS)  # whose names are completed
  add_custom_command(OUTPUT ${manual}/done
    COMMAND ${CMAKE_COMMAND} -E make_directory ${manual}/man
    COMMAND ${write} help --man --save ${manual}/man
    COMMAND ${write} completion bash > ${manual}/strata
    COMMAND ${write} completion zsh > ${manual}/_strata
    COMMAND ${write} completion fish > ${manual}/strata.fish
    COMMAND ${CMAKE_COMMAND} -E touch ${manual}/done
    DEPENDS strata_cli ${engines}
    VERBATIM)
  add_custom_target(strata_manual ALL DEPENDS ${manual}/done)
  install(DIRECTORY ${manual}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${manual}/strata DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${manual}/_strata DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${manual}/strata.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# JSON Schemas of all that the program prints as JSON.
install(DIRECTORY data/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/strata)
install(EXPORT strata-targets NAMESPACE strata:: DESTINATION ${package_dir})
configure_package_config_file(cmake/strata-config.cmake.in strata-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(strata-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/strata-config.cmake
              ${PROJECT_BINARY_DIR}/strata-config-version.cmake
        DESTINATION ${package_dir})
