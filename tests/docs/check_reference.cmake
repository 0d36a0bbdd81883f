# cmake -DDOXYGEN=<program> -DROOT=<source> -DOUT=<folder> [-DINPUT=<file>] -P check_reference.cmake
# Writes the API reference of the public headers, or of INPUT alone; a warning of Doxygen is an error.
file(READ "${ROOT}/docs/reference/Doxyfile" configuration)
string(APPEND configuration "\nOUTPUT_DIRECTORY = \"${OUT}\"\n")
if(INPUT)
  string(APPEND configuration "INPUT = \"${INPUT}\"\nUSE_MDFILE_AS_MAINPAGE =\n")
endif()
file(MAKE_DIRECTORY "${OUT}")
file(WRITE "${OUT}/Doxyfile" "${configuration}")
execute_process(COMMAND "${DOXYGEN}" "${OUT}/Doxyfile" WORKING_DIRECTORY "${ROOT}"
                RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the API reference has warnings:\n${text}")
endif()
file(GLOB pages "${OUT}/html/*.html")
list(LENGTH pages count)
if(count LESS 5)
  message(FATAL_ERROR "the API reference has ${count} pages")
endif()
