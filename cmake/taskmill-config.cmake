# find_package(taskmill) for C++ programs: the target taskmill::taskmill, which defines TASKMILL_HOME_FOLDER for WorkerOptions::home.
# Lies in <home>/lib/cmake/taskmill.
#   cmake -DCMAKE_PREFIX_PATH=$(python -c 'import taskmill; print(taskmill.__path__[0])') ...
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(spdlog)
find_dependency(OpenSSL COMPONENTS Crypto)
find_dependency(Threads)
find_library(TASKMILL_XXHASH xxhash REQUIRED)
get_filename_component(TASKMILL_HOME_FOLDER ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
if(NOT TARGET taskmill::taskmill)
  add_library(taskmill::taskmill STATIC IMPORTED)
  set_target_properties(taskmill::taskmill PROPERTIES
    IMPORTED_LOCATION ${TASKMILL_HOME_FOLDER}/lib/libtaskmill.a
    INTERFACE_INCLUDE_DIRECTORIES ${TASKMILL_HOME_FOLDER}/include
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_COMPILE_DEFINITIONS "TASKMILL_HOME_FOLDER=\"${TASKMILL_HOME_FOLDER}\""
    INTERFACE_LINK_LIBRARIES "spdlog::spdlog;fmt::fmt;OpenSSL::Crypto;${TASKMILL_XXHASH};Threads::Threads;${CMAKE_DL_LIBS}")
endif()
