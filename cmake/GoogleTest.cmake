# GoogleTest, built from Debian's source package for whatever target and sanitizer this build is for.
set(TASKMILL_GOOGLETEST_SOURCE /usr/src/googletest CACHE PATH "Source of GoogleTest (Debian package googletest)")
set(INSTALL_GTEST OFF)
set(BUILD_GMOCK OFF)
add_subdirectory(${TASKMILL_GOOGLETEST_SOURCE} ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
target_compile_options(gtest PRIVATE -w)
include(GoogleTest)

# taskmill_test(NAME SOURCES ... DEPS layer ... [LIBRARIES target ...] [ENVIRONMENT VAR=value ...])
# One test program; ctest runs it as one test, so that start-up is paid once. Its label is its folder, which is the layer tested.
# Its report goes to gtest/NAME.xml (tools/test_counts.py).
function(taskmill_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBRARIES;ENVIRONMENT" ${ARGN})
  list(TRANSFORM ARG_DEPS PREPEND taskmill_)
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} ${ARG_LIBRARIES} gtest_main)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME layer)
  set_tests_properties(${name} PROPERTIES
    LABELS ${layer} ENVIRONMENT "GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/gtest/${name}.xml;${ARG_ENVIRONMENT}")
endfunction()
