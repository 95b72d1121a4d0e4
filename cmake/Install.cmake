# What a wheel holds beside the Python package. The install prefix is the package's own folder, site-packages/taskmill, which is
# the home (cmake/Home.cmake) of the extension that lies in it; python/CMakeLists.txt installs that extension.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/taskmill DESTINATION include)
install(DIRECTORY ${PROJECT_BINARY_DIR}/device/ DESTINATION device FILES_MATCHING PATTERN "*.so")
install(DIRECTORY ${TASKMILL_SUPPORT_SOURCE}/ DESTINATION support)
