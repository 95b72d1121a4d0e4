# The home: the folder where the host part finds, at run time, what it loads onto a device and what it compiles users' sources with:
#   include/taskmill   public headers
#   device             device programs, taskmill_aicpu_<arch>.so and taskmill_aicore_<arch>.so
#   support            the source that is compiled into every orchestration object
# An installed package is its own home (cmake/Install.cmake). A build tree has one in build/<preset>/home, whose place is compiled in
# through TASKMILL_BUILD_HOME, so that tests need no environment. $TASKMILL_HOME comes before both.
set(TASKMILL_SUPPORT_SOURCE ${PROJECT_SOURCE_DIR}/src/toolchain/support)

set(TASKMILL_BUILD_HOME "")
if(NOT TASKMILL_PYTHON)
  set(TASKMILL_BUILD_HOME ${PROJECT_BINARY_DIR}/home)
  file(MAKE_DIRECTORY ${TASKMILL_BUILD_HOME} ${PROJECT_BINARY_DIR}/device)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include ${TASKMILL_BUILD_HOME}/include SYMBOLIC)
  file(CREATE_LINK ${PROJECT_BINARY_DIR}/device ${TASKMILL_BUILD_HOME}/device SYMBOLIC)
  file(CREATE_LINK ${TASKMILL_SUPPORT_SOURCE} ${TASKMILL_BUILD_HOME}/support SYMBOLIC)
endif()

# taskmill_knows_build_home(SOURCE): compiles SOURCE with TASKMILL_BUILD_HOME, where this build has one. An installed library has none.
function(taskmill_knows_build_home source)
  if(TASKMILL_BUILD_HOME)
    set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS TASKMILL_BUILD_HOME="${TASKMILL_BUILD_HOME}")
  endif()
endfunction()
