# The check of the API reference must fail on a comment that documents a parameter which is not there.
file(MAKE_DIRECTORY "${OUT}")
file(WRITE "${OUT}/control.hpp" "/// \\param missing no such parameter\nint documented(int present);\n")
execute_process(COMMAND "${CMAKE_COMMAND}" -DDOXYGEN=${DOXYGEN} -DROOT=${ROOT} -DOUT=${OUT}/pages
                        -DINPUT=${OUT}/control.hpp -P "${ROOT}/tests/docs/check_reference.cmake"
                RESULT_VARIABLE status ERROR_VARIABLE text)
if(status EQUAL 0 OR NOT text MATCHES "missing")
  message(FATAL_ERROR "a wrong comment was not found: ${text}")
endif()
