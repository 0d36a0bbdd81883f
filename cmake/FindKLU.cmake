# SuiteSparse KLU as SuiteSparse::KLU. SuiteSparse before version 7 installs no package files.

find_package(KLU CONFIG QUIET)
if(TARGET SuiteSparse::KLU)
  set(KLU_FOUND TRUE)
  return()
endif()

find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
find_library(KLU_LIBRARY klu)
set(_klu_parts "")
foreach(part amd colamd btf suitesparseconfig)
  find_library(KLU_${part}_LIBRARY ${part})
  mark_as_advanced(KLU_${part}_LIBRARY)
  list(APPEND _klu_parts KLU_${part}_LIBRARY)
endforeach()
mark_as_advanced(KLU_INCLUDE_DIR KLU_LIBRARY)

if(KLU_INCLUDE_DIR AND EXISTS "${KLU_INCLUDE_DIR}/klu.h")
  file(STRINGS "${KLU_INCLUDE_DIR}/klu.h" _klu_lines
       REGEX "^#define KLU_(MAIN|SUB|SUBSUB)_VERSION[ \t]+[0-9]+")
  string(REGEX REPLACE "[^0-9;]+" "" _klu_numbers "${_klu_lines}")
  string(REPLACE ";" "." KLU_VERSION "${_klu_numbers}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS KLU_LIBRARY KLU_INCLUDE_DIR ${_klu_parts}
                                  VERSION_VAR KLU_VERSION)

if(KLU_FOUND)
  add_library(SuiteSparse::KLU UNKNOWN IMPORTED)
  set_target_properties(SuiteSparse::KLU PROPERTIES
    IMPORTED_LOCATION "${KLU_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}")
  foreach(part IN LISTS _klu_parts)
    set_property(TARGET SuiteSparse::KLU APPEND PROPERTY INTERFACE_LINK_LIBRARIES "${${part}}")
  endforeach()
endif()
