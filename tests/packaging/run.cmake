# Installs into a scratch prefix, moves it (an installation must not know where it was made), then
# configures, builds and runs the consumer against it. A wrong version must be refused.
cmake_policy(VERSION 3.21)

function(run description)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${description} failed\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
run("installation" "${CMAKE_COMMAND}" --install "${BUILD}" --config "${CONFIG}" --prefix "${SCRATCH}/staged")
file(RENAME "${SCRATCH}/staged" "${SCRATCH}/prefix")

file(GLOB_RECURSE leftovers "${SCRATCH}/prefix/*.cmake")
foreach(file IN LISTS leftovers)
  file(READ "${file}" text)
  string(FIND "${text}" "${BUILD}" position)
  if(NOT position LESS 0)
    message(FATAL_ERROR "${file} names the build folder")
  endif()
endforeach()

set(configure "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${CMAKE_CURRENT_LIST_DIR}/consumer"
    "-DCMAKE_PREFIX_PATH=${SCRATCH}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_BUILD_TYPE=${CONFIG}"
    "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
run("configuring the consumer" ${configure} -B "${SCRATCH}/build" "-DWANTED=${VERSION}")
run("building the consumer" "${CMAKE_COMMAND}" --build "${SCRATCH}/build")
run("running the consumer" "${SCRATCH}/build/consumer" "${VERSION}")
run("running the consumer of core" "${SCRATCH}/build/consumer_core")
# With HDF5 in the library ten lines loaded 56 shared objects, libcurl among them.
execute_process(COMMAND ldd "${SCRATCH}/build/consumer_core" OUTPUT_VARIABLE loaded ERROR_QUIET)
if(loaded MATCHES "libhdf5|libcurl|libgmp|libtbb")
  message(FATAL_ERROR "a program on daedalus::core alone loads what only other components need:\n${loaded}")
endif()

# What was not built is refused by name.
file(WRITE "${SCRATCH}/absent/CMakeLists.txt"
     "cmake_minimum_required(VERSION 3.21)\nproject(absent LANGUAGES CXX)\nfind_package(daedalus REQUIRED COMPONENTS core nowhere)\n")
execute_process(COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${SCRATCH}/absent" -B "${SCRATCH}/absent/build"
                "-DCMAKE_PREFIX_PATH=${SCRATCH}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}"
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "nowhere")
  message(FATAL_ERROR "component 'nowhere' was not refused by name\n${output}")
endif()

if(EXISTS "${SCRATCH}/prefix/bin/daedalus")
  run("running the installed tool" "${SCRATCH}/prefix/bin/daedalus" list methods)
endif()

# SameMinorVersion: the next minor version is another interface.
string(REGEX REPLACE "^([0-9]+)\\.([0-9]+).*" "\\1;\\2" parts "${VERSION}")
list(GET parts 0 major)
list(GET parts 1 minor)
math(EXPR minor "${minor} + 1")
execute_process(COMMAND ${configure} -B "${SCRATCH}/wrong" "-DWANTED=${major}.${minor}"
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(status EQUAL 0)
  message(FATAL_ERROR "version ${VERSION} was accepted where ${major}.${minor} is asked for")
endif()
file(REMOVE_RECURSE "${SCRATCH}")
