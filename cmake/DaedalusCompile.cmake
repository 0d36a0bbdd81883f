# daedalus_compile(<target>): language level, warnings and floating-point rules of this project's own
# targets. Everything is private: no flag reaches a consumer.

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)

# Programs of tests and examples are linked by lld where it is found: some seventy of them, each with
# whole archives, take the standard linker half a minute.
find_program(DAEDALUS_LLD NAMES ld.lld)
mark_as_advanced(DAEDALUS_LLD)

function(daedalus_link_fast target)
  if(DAEDALUS_LLD)
    target_link_options(${target} PRIVATE -fuse-ld=lld)
  endif()
endfunction()

function(daedalus_compile target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  # Contracted multiply-adds would give GCC and Clang different bits on machines that have them.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -ffp-contract=off)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    # False alarms on std::string concatenation (GCC bugs 105329, 105651); the sanitizer build covers these.
    target_compile_options(${target} PRIVATE
      -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
  if(DAEDALUS_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Precompiled headers hit the cache only when their time stamps and macros are left out of the key.
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${CCACHE_PROGRAM}")
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      target_compile_options(${target} PRIVATE -fpch-preprocess)
    else()
      target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
  endif()
endfunction()

# daedalus_guard_eigen(<target>): of a program or a shared library, that it outlives a resize of a matrix that
# finds no memory (cmake/eigen_memory.cpp). Sanitizers have functions of their own in these places.
function(daedalus_guard_eigen target)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    return()
  endif()
  if(NOT TARGET daedalus_eigen_memory)
    add_library(daedalus_eigen_memory OBJECT "${PROJECT_SOURCE_DIR}/cmake/eigen_memory.cpp")
    daedalus_compile(daedalus_eigen_memory)
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:daedalus_eigen_memory>)
  target_link_options(${target} PRIVATE -Wl,--wrap=malloc,--wrap=free)
endfunction()

# daedalus_compile_as_test(<target>): sources of tests and examples, compiled with DAEDALUS_TEST_OPTIONS by
# DAEDALUS_TEST_COMPILER. Clang takes half of GCC's time where nothing is optimised, and two compilers see the
# headers; the library under test is that of the project's compiler.
set(DAEDALUS_TEST_COMPILER "" CACHE STRING "Compiler of tests and examples, Clang beside GCC; empty: that of the project")
function(daedalus_compile_as_test target)
  target_compile_options(${target} PRIVATE ${DAEDALUS_TEST_OPTIONS})
  if(DAEDALUS_TEST_COMPILER AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    find_program(DAEDALUS_TEST_COMPILER_PATH NAMES "${DAEDALUS_TEST_COMPILER}")
    mark_as_advanced(DAEDALUS_TEST_COMPILER_PATH)
    if(DAEDALUS_TEST_COMPILER_PATH)
      set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
        "${PROJECT_SOURCE_DIR}/scripts/compile-by;${DAEDALUS_TEST_COMPILER_PATH}")
    endif()
  endif()
endfunction()

# daedalus_batches(<target> <group> <source>...): these sources of <target> are compiled DAEDALUS_BATCH
# at a time, its other sources alone. What headers cost, in parsing and in templates, is paid per batch.
function(daedalus_batches target group)
  if(DAEDALUS_BATCH LESS_EQUAL 1)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  list(LENGTH ARGN count)
  # Batches of equal size: 10 files in batches of at most 8 are 5 and 5.
  math(EXPR batches "(${count} + ${DAEDALUS_BATCH} - 1) / ${DAEDALUS_BATCH}")
  set(index 0)
  foreach(source IN LISTS ARGN)
    math(EXPR batch "${index} * ${batches} / ${count}")
    set_source_files_properties("${source}" TARGET_DIRECTORY ${target}
                                PROPERTIES UNITY_GROUP ${group}_${batch})
    math(EXPR index "${index} + 1")
  endforeach()
endfunction()

set(DAEDALUS_STANDARD_HEADERS
    <algorithm> <array> <cmath> <cstddef> <functional> <limits> <memory> <optional> <span> <string>
    <string_view> <utility> <variant> <vector>)

# daedalus_precompile(<name> <kind> HEADERS <h>... LINK <target>...): a target that owns one
# precompiled header, for others to name in target_precompile_headers(... REUSE_FROM <name>).
# kind is OBJECT or EXECUTABLE: the two are compiled with -fPIC and -fPIE, which do not mix.
function(daedalus_precompile name kind)
  cmake_parse_arguments(arg "" "" "HEADERS;LINK" ${ARGN})
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  # Each content is written in one place: a file that differs is rewritten and compiled again.
  if(kind STREQUAL EXECUTABLE)
    file(CONFIGURE OUTPUT "${source}" CONTENT "int main() { return 0; }\n")
    add_executable(${name} "${source}")
  else()
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Owns the precompiled header.\n")
    add_library(${name} OBJECT "${source}")
  endif()
  daedalus_compile(${name})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  target_precompile_headers(${name} PRIVATE ${DAEDALUS_STANDARD_HEADERS} ${arg_HEADERS})
endfunction()
