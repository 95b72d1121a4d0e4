"""What `pip install .` puts into the package: headers, device programs, support source, a C++ library, and nothing of the build's place."""

import subprocess
from pathlib import Path

import taskmill

ROOT = Path(__file__).resolve().parents[2]
HOME = Path(taskmill.__file__).parent

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


def test_the_cpp_example_is_built_from_the_installed_package_and_prints_what_its_readme_says(tmp_path):
    example = ROOT / "examples" / "cpp_host"

    def run(*command, **environment):
        done = subprocess.run(command, cwd=tmp_path, env={"PATH": "/usr/bin:/bin", **environment}, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("cmake", "-G", "Ninja", "-S", str(example), "-B", "build", f"-DCMAKE_PREFIX_PATH={HOME}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
    run("cmake", "--build", "build")
    told = run(str(tmp_path / "build" / "cpp_host"), str(example), TASKMILL_CACHE_DIR=str(tmp_path / "cache"))
    assert f"```text\n{told}```" in (example / "README.md").read_text()
