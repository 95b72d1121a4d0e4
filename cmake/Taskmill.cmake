# Targets per layer. A layer is a folder of src/; its target is taskmill_<name>; DEPS are the layers below it that it uses.
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_program(TASKMILL_CCACHE ccache)
if(TASKMILL_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TASKMILL_CCACHE})
endif()

add_compile_options(-Wall -Wextra -Werror -Wno-interference-size)

set(TASKMILL_SANITIZE "" CACHE STRING "Sanitizers for every target, host and device code: address,undefined or thread")
if(TASKMILL_SANITIZE)
  # -Wmaybe-uninitialized: g++ 12 sees ghosts in destructors that a sanitizer instruments.
  add_compile_options(-fsanitize=${TASKMILL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 -Wno-maybe-uninitialized)
  add_link_options(-fsanitize=${TASKMILL_SANITIZE})
  add_compile_definitions(TASKMILL_SANITIZED="${TASKMILL_SANITIZE}")
endif()

# Device code: no exceptions thrown, no RTTI, no guards for statics; unwind tables stay on, since a user's orchestration may throw.
add_library(taskmill_device_flags INTERFACE)
target_compile_options(taskmill_device_flags INTERFACE
  -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-stack-protector -U_FORTIFY_SOURCE -fasynchronous-unwind-tables)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  target_compile_options(taskmill_device_flags INTERFACE -mno-outline-atomics)
endif()

# taskmill_layer(NAME [DEVICE] [SOURCES ...] [DEPS layer ...] [LIBRARIES target ...])
# Without SOURCES the layer is headers only.
function(taskmill_layer name)
  cmake_parse_arguments(ARG "DEVICE" "" "SOURCES;DEPS;LIBRARIES" ${ARGN})
  set(target taskmill_${name})
  list(TRANSFORM ARG_DEPS PREPEND taskmill_)
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    if(ARG_DEVICE)
      target_link_libraries(${target} PRIVATE taskmill_device_flags)
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  if(ARG_SOURCES)  # no place of the build machine in messages of what is installed
    target_compile_options(${target} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  endif()
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} ${scope} ${ARG_DEPS} ${ARG_LIBRARIES})
endfunction()

# taskmill_device_program(NAME SOURCES ... DEPS layer ... DEFINITIONS ...): a shared object that a device loads.
# Nothing but memcpy, memmove, memset and memcmp may stay undefined in it (tools/check_device_symbols.py).
function(taskmill_device_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;DEFINITIONS" ${ARGN})
  list(TRANSFORM ARG_DEPS PREPEND taskmill_)
  add_library(${name} MODULE ${ARG_SOURCES})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
  target_compile_options(${name} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  target_link_libraries(${name} PRIVATE taskmill_device_flags ${ARG_DEPS})
  if(NOT TASKMILL_SANITIZE)
    target_link_options(${name} PRIVATE -nostartfiles -nostdlib)
  endif()
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/device)
endfunction()
