# libtaskmill.a for C++ programs: the host part and all layers below it in one archive, so that a user links one library of ours.

# Collects the project's own static libraries that `target` needs, itself included.
function(taskmill_own_libraries target out)
  set(found ${${out}})
  if(NOT TARGET ${target} OR target IN_LIST found OR NOT target MATCHES "^taskmill_")
    return()
  endif()
  list(APPEND found ${target})
  get_target_property(needed ${target} INTERFACE_LINK_LIBRARIES)
  if(needed)
    foreach(library IN LISTS needed)
      string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" library "${library}")
      taskmill_own_libraries(${library} found)
    endforeach()
  endif()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# taskmill_archive(TARGET): build/lib/libtaskmill.a from TARGET and what it needs.
function(taskmill_archive target)
  set(libraries "")
  taskmill_own_libraries(${target} libraries)
  set(archive ${PROJECT_BINARY_DIR}/lib/libtaskmill.a)
  set(script "CREATE ${archive}\n")
  set(static "")
  foreach(library IN LISTS libraries)
    get_target_property(type ${library} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      string(APPEND script "ADDLIB $<TARGET_FILE:${library}>\n")
      list(APPEND static ${library})
    endif()
  endforeach()
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/lib/libtaskmill.mri CONTENT "${script}SAVE\nEND\n")
  add_custom_command(OUTPUT ${archive}
    COMMAND ${CMAKE_AR} -M < ${PROJECT_BINARY_DIR}/lib/libtaskmill.mri
    COMMAND ${CMAKE_RANLIB} ${archive}
    DEPENDS ${static} ${PROJECT_BINARY_DIR}/lib/libtaskmill.mri VERBATIM)
  add_custom_target(taskmill_archive ALL DEPENDS ${archive})
endfunction()
