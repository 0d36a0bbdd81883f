# Installation and the package files behind find_package(daedalus).
include(CMakePackageConfigHelpers)
set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/daedalus")

install(TARGETS daedalus EXPORT daedalusTargets)
install(DIRECTORY include/daedalus DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/generated/daedalus/version.hpp"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/daedalus")
if(TARGET daedalus_tool)
  install(TARGETS daedalus_tool)
endif()
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(EXPORT daedalusTargets NAMESPACE daedalus:: DESTINATION "${_package}")
configure_package_config_file(cmake/daedalusConfig.cmake.in daedalusConfig.cmake
                              INSTALL_DESTINATION "${_package}")
write_basic_package_version_file(daedalusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/daedalusConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/daedalusConfigVersion.cmake" cmake/FindKLU.cmake
              cmake/FindGMP.cmake
        DESTINATION "${_package}")
