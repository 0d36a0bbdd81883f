# daedalus_component(<name> SOURCES <file>... [USES <component>...] [LINK <target>...]): a component of
# the library, target daedalus_<name>, alias daedalus::<name>. tests/structure checks that it includes
# nothing of components that it does not use.
function(daedalus_component name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;LINK" ${ARGN})
  set(target daedalus_${name})
  add_library(${target} ${arg_SOURCES})
  add_library(daedalus::${name} ALIAS ${target})
  daedalus_compile(${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} DEFINE_SYMBOL ""
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(${target}
    PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
           "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>"
           "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  if(name STREQUAL graph)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  else()
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/src/core")
  endif()
  target_link_libraries(${target} PRIVATE ${arg_LINK})
  foreach(used IN LISTS arg_USES)
    target_link_libraries(${target} PUBLIC daedalus_${used})
  endforeach()
  target_precompile_headers(${target} REUSE_FROM daedalus_precompiled)
  if(BUILD_SHARED_LIBS)
    daedalus_guard_eigen(${target})
  endif()
  set_property(GLOBAL APPEND PROPERTY DAEDALUS_COMPONENTS ${name})
  set_property(GLOBAL PROPERTY DAEDALUS_COMPONENT_${name}_USES "${arg_USES}")
endfunction()
