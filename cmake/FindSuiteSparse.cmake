# The components KLU and UMFPACK of SuiteSparse as SuiteSparse::KLU and SuiteSparse::UMFPACK.
# SuiteSparse before version 7 installs no package files.

set(_parts_KLU amd colamd btf suitesparseconfig)
set(_parts_UMFPACK amd suitesparseconfig)

foreach(component IN LISTS SuiteSparse_FIND_COMPONENTS)
  find_package(${component} CONFIG QUIET)
  if(TARGET SuiteSparse::${component})
    set(SuiteSparse_${component}_FOUND TRUE)
    continue()
  endif()
  string(TOLOWER ${component} _name)
  find_path(${component}_INCLUDE_DIR ${_name}.h PATH_SUFFIXES suitesparse)
  find_library(${component}_LIBRARY ${_name})
  mark_as_advanced(${component}_INCLUDE_DIR ${component}_LIBRARY)
  set(_libraries "")
  set(SuiteSparse_${component}_FOUND TRUE)
  foreach(part IN LISTS _parts_${component})
    find_library(SuiteSparse_${part}_LIBRARY ${part})
    mark_as_advanced(SuiteSparse_${part}_LIBRARY)
    list(APPEND _libraries "${SuiteSparse_${part}_LIBRARY}")
  endforeach()
  foreach(found IN LISTS ${component}_INCLUDE_DIR ${component}_LIBRARY _libraries)
    if(NOT found)
      set(SuiteSparse_${component}_FOUND FALSE)
    endif()
  endforeach()
  if(SuiteSparse_${component}_FOUND)
    add_library(SuiteSparse::${component} UNKNOWN IMPORTED)
    set_target_properties(SuiteSparse::${component} PROPERTIES
      IMPORTED_LOCATION "${${component}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${${component}_INCLUDE_DIR}"
      INTERFACE_LINK_LIBRARIES "${_libraries}")
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SuiteSparse HANDLE_COMPONENTS)
