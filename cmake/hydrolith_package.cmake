# So that others can find_package(hydrolith) and link hydrolith::hydrolith.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(hydrolith_library INTERFACE)
set_target_properties(hydrolith_library PROPERTIES EXPORT_NAME hydrolith)
target_link_libraries(hydrolith_library INTERFACE hydrolith_app)
add_library(hydrolith::hydrolith ALIAS hydrolith_library)

get_property(modules GLOBAL PROPERTY HYDROLITH_MODULES)
install(TARGETS hydrolith_library hydrolith_flags ${modules} EXPORT hydrolith-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS hydrolith RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/hydrolith DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY scenes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/hydrolith/scenes)
install(EXPORT hydrolith-targets NAMESPACE hydrolith::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hydrolith)
configure_package_config_file(cmake/hydrolith-config.cmake.in hydrolith-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hydrolith)
write_basic_package_version_file(hydrolith-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hydrolith-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/hydrolith-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hydrolith)
