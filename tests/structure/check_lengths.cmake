# cmake -DROOT=<source tree> -P check_lengths.cmake: no source file above 400 lines but tables. Prints
# every one; fails if there is one, or if a file of the list below is no longer too long.
cmake_policy(VERSION 3.21)
set(max_lines 400)

# Tables: their length is that of what they list.
set(tables tests/order_conditions/tables.hpp)
# Too long, each to be split by what its parts test; the list may only become shorter.
set(known
  include/daedalus/dual.hpp
  include/daedalus/taylor.hpp
  tests/catalogue/arnold_theory_test.cpp
  tests/catalogue/mechanisms_test.cpp
  tests/lie_series/increment_series_test.cpp
  tests/lie_series/multistep_test.cpp
  tests/order_conditions/order_test.cpp
  tests/rosenbrock/traps_test.cpp)

file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/include/*.hpp" "${ROOT}/src/*.?pp" "${ROOT}/catalogue/*.?pp"
     "${ROOT}/reproduce/*.?pp" "${ROOT}/tool/*.?pp" "${ROOT}/python/*.?pp" "${ROOT}/python/*.py" "${ROOT}/soak/*.?pp"
     "${ROOT}/bench/*.?pp" "${ROOT}/tests/*.?pp" "${ROOT}/examples/*.cpp" "${ROOT}/cmake/*.cmake" "${ROOT}/scripts/*")
list(LENGTH files count)
if(count EQUAL 0)
  message(FATAL_ERROR "there are no sources in ${ROOT}")
endif()
list(REMOVE_ITEM files ${tables})
execute_process(COMMAND wc -l ${files} WORKING_DIRECTORY "${ROOT}" OUTPUT_VARIABLE counts COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" counts "${counts}")
set(wrong 0)
foreach(entry IN LISTS counts)
  if(NOT entry MATCHES "^ *([0-9]+) (.+)$" OR CMAKE_MATCH_2 STREQUAL total)
    continue()
  endif()
  set(lines ${CMAKE_MATCH_1})
  set(file "${CMAKE_MATCH_2}")
  if(lines GREATER max_lines AND NOT file IN_LIST known)
    message("${file}: ${lines} lines, ${max_lines} are allowed; split it by what its parts do")
    math(EXPR wrong "${wrong} + 1")
  elseif(lines LESS_EQUAL max_lines AND file IN_LIST known)
    message("${file}: ${lines} lines; take it off the list in tests/structure/check_lengths.cmake")
    math(EXPR wrong "${wrong} + 1")
  endif()
endforeach()
if(wrong GREATER 0)
  message(FATAL_ERROR "${wrong} files")
endif()
