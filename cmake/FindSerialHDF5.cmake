# The C library of HDF5 without MPI: SerialHDF5::SerialHDF5. CMake's own module needs the C language and
# may answer with a parallel build.
find_path(SerialHDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial NO_CACHE)
find_library(SerialHDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial NO_CACHE)
if(SerialHDF5_INCLUDE_DIR AND EXISTS "${SerialHDF5_INCLUDE_DIR}/H5pubconf.h")
  file(STRINGS "${SerialHDF5_INCLUDE_DIR}/H5pubconf.h" _parallel REGEX "^#define H5_HAVE_PARALLEL 1")
  if(_parallel)
    set(SerialHDF5_INCLUDE_DIR "")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SerialHDF5 REQUIRED_VARS SerialHDF5_LIBRARY SerialHDF5_INCLUDE_DIR)

if(SerialHDF5_FOUND AND NOT TARGET SerialHDF5::SerialHDF5)
  add_library(SerialHDF5::SerialHDF5 UNKNOWN IMPORTED)
  # The include folder is for the one file that needs it, see src/CMakeLists.txt.
  set_target_properties(SerialHDF5::SerialHDF5 PROPERTIES IMPORTED_LOCATION "${SerialHDF5_LIBRARY}")
endif()
