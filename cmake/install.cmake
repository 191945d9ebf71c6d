# What `cmake --install` puts down: the program, the library and a package that
# find_package(strata) finds.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/strata)
install(TARGETS strata_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS strata EXPORT strata-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/strata DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# JSON Schemas of all that the program prints as JSON.
install(DIRECTORY data/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/strata)
install(EXPORT strata-targets NAMESPACE strata:: DESTINATION ${package_dir})
configure_package_config_file(cmake/strata-config.cmake.in strata-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(strata-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/strata-config.cmake
              ${PROJECT_BINARY_DIR}/strata-config-version.cmake
        DESTINATION ${package_dir})
