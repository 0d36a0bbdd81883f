# Registries of methods and catalogue problems, generated from lists of names: a plain function per
# name and a table of their addresses. Nothing registers itself, so no linker can drop an entry.

# Name -> C++ identifier and file stem: implicit-euler -> implicit_euler.
function(daedalus_identifier name result)
  if(NOT name MATCHES "^[a-z][a-z0-9]*(-[a-z0-9]+)*$")
    message(FATAL_ERROR "'${name}': a name has lower-case words and digits joined by '-'")
  endif()
  string(REPLACE "-" "_" identifier "${name}")
  set(${result} ${identifier} PARENT_SCOPE)
endfunction()

# An entry of a list: adams-type-{1..8} means the names adams-type-1, ..., adams-type-8, whose
# functions are all in adams_type.cpp; bliedf{1..6} means bliedf1, ..., bliedf6 in bliedf.cpp.
function(_daedalus_expand entry names stem)
  if(entry MATCHES "^(.+[a-z0-9])(-?){([0-9]+)\\.\\.([0-9]+)}$")
    set(prefix "${CMAKE_MATCH_1}")
    set(joint "${CMAKE_MATCH_2}")
    set(all "")
    foreach(number RANGE ${CMAKE_MATCH_3} ${CMAKE_MATCH_4})
      list(APPEND all "${prefix}${joint}${number}")
    endforeach()
  else()
    set(prefix "${entry}")
    set(all "${entry}")
  endif()
  daedalus_identifier("${prefix}" identifier)
  set(${names} "${all}" PARENT_SCOPE)
  set(${stem} "${identifier}" PARENT_SCOPE)
endfunction()

# Checks the .cpp files of the current folder against the list and returns all of them.
function(_daedalus_collect list_call support kind_property result)
  set(listed "")
  foreach(entry IN LISTS ARGN)
    _daedalus_expand("${entry}" names stem)
    if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${stem}.cpp")
      message(FATAL_ERROR "'${entry}' is listed in ${list_call} of ${CMAKE_CURRENT_LIST_FILE}, "
                          "but ${CMAKE_CURRENT_SOURCE_DIR}/${stem}.cpp does not exist")
    endif()
    list(APPEND listed ${stem})
    foreach(name IN LISTS names)
      daedalus_identifier("${name}" identifier)
      get_property(known GLOBAL PROPERTY ${kind_property})
      if(identifier IN_LIST known)
        message(FATAL_ERROR "'${name}' is listed twice; the second time in ${list_call} of "
                            "${CMAKE_CURRENT_LIST_FILE}")
      endif()
      set_property(GLOBAL APPEND PROPERTY ${kind_property} ${identifier})
    endforeach()
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  foreach(source IN LISTS sources)
    get_filename_component(stem "${source}" NAME_WE)
    if(NOT stem IN_LIST listed AND NOT stem MATCHES "^${support}")
      string(REPLACE "_" "-" name "${stem}")
      message(FATAL_ERROR "${source} is in no list: add '${name}' to ${list_call} in "
                          "${CMAKE_CURRENT_LIST_FILE}, or call the file ${support}*.cpp if it is shared code")
    endif()
  endforeach()
  set(${result} "${sources}" PARENT_SCOPE)
endfunction()

# daedalus_add_methods(<family> <name>...), called in src/core/methods/<family>/CMakeLists.txt.
# <name> with '-' as '_' is the file <name>.cpp here and the function daedalus::methods::<name>();
# <name>-{1..n} stands for n functions <name>_1(), ..., <name>_n() in one file <name>.cpp, and
# <name>{1..n} for <name>1(), ..., <name>n();
# the family's shared code is engine*.cpp.
function(daedalus_add_methods family)
  get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  if(NOT family STREQUAL folder)
    message(FATAL_ERROR "daedalus_add_methods(${family} ...) is called in the folder of family '${folder}'")
  endif()
  _daedalus_collect("daedalus_add_methods(${family} ...)" engine DAEDALUS_METHODS sources ${ARGN})
  target_sources(daedalus_core PRIVATE ${sources})
  set(engine ${sources})
  list(FILTER engine INCLUDE REGEX "/engine[^/]*$")
  if(engine)
    daedalus_batches(daedalus_core ${family}_engine ${engine})
  endif()
  list(FILTER sources EXCLUDE REGEX "/engine[^/]*$")
  daedalus_batches(daedalus_core ${family} ${sources})
endfunction()

# daedalus_add_problems(<name>...), called once in catalogue/CMakeLists.txt; shared code is support*.cpp.
# With DAEDALUS_ONLY_PROBLEMS the catalogue has these alone: a build that is made for a few tests.
function(daedalus_add_problems)
  _daedalus_collect("daedalus_add_problems(...)" support DAEDALUS_PROBLEMS sources ${ARGN})
  if(DAEDALUS_ONLY_PROBLEMS)
    set(identifiers "")
    list(FILTER sources INCLUDE REGEX "/support[^/]*$")
    foreach(name IN LISTS DAEDALUS_ONLY_PROBLEMS)
      daedalus_identifier("${name}" identifier)
      list(APPEND identifiers ${identifier})
      list(APPEND sources "${CMAKE_CURRENT_SOURCE_DIR}/${identifier}.cpp")
    endforeach()
    set_property(GLOBAL PROPERTY DAEDALUS_PROBLEMS ${identifiers})
  endif()
  target_sources(daedalus_catalogue PRIVATE ${sources})
  daedalus_batches(daedalus_catalogue problems ${sources})
endfunction()

# Writes registry.cpp for one target once all lists are read: FUNCTION gives all entries, FIND the
# one with a name of type NAME.
function(daedalus_write_registry target)
  cmake_parse_arguments(arg "" "PROPERTY;HEADER;TABLE_NAMESPACE;NAMESPACE;TYPE;FUNCTION;FIND;NAME" "" ${ARGN})
  get_property(identifiers GLOBAL PROPERTY ${arg_PROPERTY})
  list(LENGTH identifiers count)
  set(declarations "")
  set(entries "")
  foreach(identifier IN LISTS identifiers)
    string(APPEND declarations "const ${arg_TYPE}& ${identifier}();\n")
    string(REPLACE "_" "-" name "${identifier}")
    string(APPEND entries "    {\"${name}\", &${arg_NAMESPACE}::${identifier}},\n")
  endforeach()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/registry.cpp.in"
                 "${CMAKE_CURRENT_BINARY_DIR}/registry.cpp" @ONLY)
  target_sources(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/registry.cpp")
endfunction()
