# cmake -DCHECKER=<check_lengths.cmake> -DSCRATCH=<folder> -P check_lengths_control.cmake: the check finds a
# file of 401 lines, and passes one of 400.
cmake_policy(VERSION 3.21)
file(REMOVE_RECURSE "${SCRATCH}")
string(REPEAT "//\n" 400 text)
file(WRITE "${SCRATCH}/src/good.cpp" "${text}")
execute_process(COMMAND "${CMAKE_COMMAND}" "-DROOT=${SCRATCH}" -P "${CHECKER}" RESULT_VARIABLE good)
file(WRITE "${SCRATCH}/tool/bad.hpp" "${text}//\n")
execute_process(COMMAND "${CMAKE_COMMAND}" "-DROOT=${SCRATCH}" -P "${CHECKER}" RESULT_VARIABLE bad
                OUTPUT_VARIABLE text ERROR_VARIABLE text)
file(REMOVE_RECURSE "${SCRATCH}")
if(NOT good EQUAL 0 OR bad EQUAL 0 OR NOT text MATCHES "tool/bad.hpp: 401 lines")
  message(FATAL_ERROR "the check of lengths does not work: ${good}, ${bad}, ${text}")
endif()
