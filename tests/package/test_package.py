"""What `pip install .` puts into the package: headers, device programs, support source, a C++ library, and nothing of the build's place."""

import subprocess
from pathlib import Path

import taskmill

ROOT = Path(__file__).resolve().parents[2]
HOME = Path(taskmill.__file__).parent

PROGRAM = """
#include <cstdio>
#include "taskmill/host.h"
int main() {
  auto worker = taskmill::Worker::open({.platform = "a2a3sim"});
  if (!worker) return std::fprintf(stderr, "%s\\n", worker.error().message.c_str()), 1;
  std::printf("%u cores\\n", (*worker)->device_info().cores);
  return (*worker)->close() ? 0 : 1;
}
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(taskmill REQUIRED)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE taskmill::taskmill)
"""


def test_the_package_is_a_home_with_headers_and_programs_of_both_chips():
    installed = {path.name for path in (HOME / "include" / "taskmill").iterdir()}
    assert installed == {path.name for path in (ROOT / "include" / "taskmill").iterdir()}
    programs = {path.name for path in (HOME / "device").iterdir()}
    assert programs == {f"taskmill_{kind}_{arch}.so" for kind in ("aicpu", "aicore") for arch in ("a2a3", "a5")}
    assert list((HOME / "support").glob("*.cpp"))


def test_no_installed_file_names_the_place_where_it_was_built():
    place = str(ROOT / "src").encode(), str(ROOT / "build").encode()
    files = [path for path in HOME.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert files
    assert [path.name for path in files if any(name in path.read_bytes() for name in place)] == []


def test_a_cpp_program_links_the_installed_library_and_opens_a_device(tmp_path):
    (tmp_path / "user.cpp").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)

    def run(*command, **environment):
        done = subprocess.run(command, cwd=tmp_path, env={"PATH": "/usr/bin:/bin", **environment}, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("cmake", "-G", "Ninja", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={HOME}")
    run("cmake", "--build", "build")
    assert run(str(tmp_path / "build" / "user"), TASKMILL_HOME=str(HOME), TASKMILL_CACHE_DIR=str(tmp_path)) == "72 cores\n"
