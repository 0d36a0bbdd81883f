# Installation and the package files behind find_package(daedalus).
include(CMakePackageConfigHelpers)
set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/daedalus")

get_property(DAEDALUS_COMPONENTS GLOBAL PROPERTY DAEDALUS_COMPONENTS)
get_property(DAEDALUS_URDF_READER GLOBAL PROPERTY DAEDALUS_URDF_READER)
get_property(DAEDALUS_CERES_USED GLOBAL PROPERTY DAEDALUS_CERES_USED)
set(_targets "")
foreach(component IN LISTS DAEDALUS_COMPONENTS)
  list(APPEND _targets daedalus_${component})
endforeach()
install(TARGETS ${_targets} daedalus EXPORT daedalusTargets)
install(DIRECTORY include/daedalus DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/generated/daedalus/version.hpp"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/daedalus")
# What a user needs and `make install` installs: the library and the tool, without tests and examples.
add_custom_target(daedalus_user DEPENDS ${_targets})
if(TARGET daedalus_tool)
  add_dependencies(daedalus_user daedalus_tool)
  install(TARGETS daedalus_tool)
  # The tool itself writes its manual and completions, from the tree of its commands.
  if(NOT CMAKE_CROSSCOMPILING)
    foreach(page "man|daedalus.1|${CMAKE_INSTALL_MANDIR}/man1"
                 "completion bash|daedalus|${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
                 "completion zsh|_daedalus|${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
      string(REPLACE "|" ";" page "${page}")
      list(GET page 0 command)
      list(GET page 1 name)
      list(GET page 2 destination)
      string(REPLACE " " "\" \"" command "${command}")
      string(MAKE_C_IDENTIFIER "${command}" folder)
      install(CODE "
        file(MAKE_DIRECTORY \"${CMAKE_CURRENT_BINARY_DIR}/shell/${folder}\")
        execute_process(COMMAND \"$<TARGET_FILE:daedalus_tool>\" \"${command}\"
          OUTPUT_FILE \"${CMAKE_CURRENT_BINARY_DIR}/shell/${folder}/${name}\" RESULT_VARIABLE status)
        if(NOT status EQUAL 0)
          message(FATAL_ERROR \"the tool could not write ${name}\")
        endif()")
      install(FILES "${CMAKE_CURRENT_BINARY_DIR}/shell/${folder}/${name}" DESTINATION "${destination}")
    endforeach()
  endif()
endif()
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(EXPORT daedalusTargets NAMESPACE daedalus:: DESTINATION "${_package}")
configure_package_config_file(cmake/daedalusConfig.cmake.in daedalusConfig.cmake
                              INSTALL_DESTINATION "${_package}")
write_basic_package_version_file(daedalusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/daedalusConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/daedalusConfigVersion.cmake" cmake/FindSuiteSparse.cmake
              cmake/FindSerialHDF5.cmake
        DESTINATION "${_package}")
