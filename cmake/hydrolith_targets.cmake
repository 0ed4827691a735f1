# One function per kind of target, so that every module is declared in one line.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Portable baseline: no -march flag anywhere. Wide code paths live in Highway targets that are
# chosen at run time, so the binaries run on every x86-64 machine.
add_library(hydrolith_flags INTERFACE)
target_compile_features(hydrolith_flags INTERFACE cxx_std_20)
target_compile_options(hydrolith_flags INTERFACE
  # No contraction to fused multiply-add: the same bits on every machine and code path.
  $<BUILD_INTERFACE:-ffp-contract=off>
  $<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion;-Werror>
  # Optimised GCC 12 warns about bounds inside Eigen and libstdc++ where there are none.
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-restrict>>)
if(HYDROLITH_SANITIZE)
  target_compile_options(hydrolith_flags INTERFACE
    $<BUILD_INTERFACE:-fsanitize=${HYDROLITH_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>)
  target_link_options(hydrolith_flags INTERFACE $<BUILD_INTERFACE:-fsanitize=${HYDROLITH_SANITIZE}>)
endif()

# hydrolith_module(NAME [USES module ...] [LINKS library ...] [PRIVATE library ...])
# A module is one folder of src/ and owns every .cpp in it. USES names the modules it may include
# (docs/architecture.md).
function(hydrolith_module name)
  cmake_parse_arguments(ARG "" "" "USES;LINKS;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(hydrolith_${name} STATIC ${sources})
  add_library(hydrolith::${name} ALIAS hydrolith_${name})
  set_target_properties(hydrolith_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(hydrolith_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:include>)
  list(TRANSFORM ARG_USES PREPEND hydrolith_)
  target_link_libraries(hydrolith_${name}
    PUBLIC hydrolith_flags ${ARG_USES} ${ARG_LINKS} PRIVATE ${ARG_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY HYDROLITH_MODULES hydrolith_${name})
endfunction()

# hydrolith_test(NAME [USES module ...] [LINKS library ...])
# One doctest executable for every folder of tests/, from every .cpp in it.
function(hydrolith_test name)
  cmake_parse_arguments(ARG "" "" "USES;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  add_executable(test_${name} ${sources})
  list(TRANSFORM ARG_USES PREPEND hydrolith_)
  target_link_libraries(test_${name} PRIVATE hydrolith_test_main ${ARG_USES} ${ARG_LINKS})
  # Named options leave out what keeps its default.
  target_compile_options(test_${name} PRIVATE -Wno-missing-field-initializers)
  target_compile_definitions(test_${name} PRIVATE HYDROLITH_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND test_${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
