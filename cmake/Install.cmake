# What a wheel holds beside the Python package. The prefix is site-packages; the package's folder there is the home
# (cmake/Home.cmake) of the extension, which python/CMakeLists.txt installs into it.
include(cmake/Archive.cmake)
taskmill_archive(taskmill_host)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/taskmill DESTINATION taskmill/include)
install(DIRECTORY ${PROJECT_BINARY_DIR}/device/ DESTINATION taskmill/device FILES_MATCHING PATTERN "*.so")
install(DIRECTORY ${TASKMILL_SUPPORT_SOURCE}/ DESTINATION taskmill/support FILES_MATCHING PATTERN "*.cpp" PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/lib/libtaskmill.a DESTINATION taskmill/lib)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/taskmill-config.cmake DESTINATION taskmill/lib/cmake/taskmill)
