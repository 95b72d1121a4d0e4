"""Each check of tools/ passes on its good fixture and names every fault of its bad one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
FIXTURES = TOOLS / "fixtures"

# check -> what its report on the bad fixture must contain
FAULTS = {
    "includes": [
        'src/base/align.h:3: "wire/token.h" lies above',
        'include/taskmill/host.h:3: a public header includes "base/align.h"',
        'include/taskmill/host.h:4: "taskmill/gone.h" is no file',
        'src/driver/null/null.cpp:1: "taskmill/host.h" lies above',
        'src/driver/fault/fault.cpp:1: "driver/sim/pool.h" lies in a sibling',
        "src/nowhere/lost.h: has no rank",
    ],
    "clones": ["tests/two.cpp:2: 22 lines are also at src/one.cpp:2"],
    "functions": ["src/box.h:4: Box has 107 lines", "python/tall.py:1: tall has 108 lines"],
    "forbidden": [
        "src/wait.cpp:2: this_thread: waits by sleep or yield",
        "src/nap.cpp:2: usleep: waits by sleep or yield",
        "src/later.cpp:1: TODO: is unfinished",
        "docs/place.md:1: /root/: names a place of one machine",
        "tests/off.cpp:1: DISABLED_: disables a test",
    ],
    "readmes": ["src/arch: has no README.md", "src/base/README.md: 1 lines"],
    "error_codes": [
        "number 8 occurs twice",
        "Twice is odd",
        "ErrorCode::kLater is used, its state is reserved",
        "ErrorCode::kMissing is not in",
        "Unused is active and no source returns it",
        "Untested is active and no test provokes it",
        "has no section `8 Undocumented`",
        "the section of Untested lacks **Cause.**",
        "gives Unused the number 9, the table says 7",
        "explains Later, which is not active",
    ],
    "docstrings": [
        "python/taskmill/__init__.py:1: the module has no docstring",
        "python/taskmill/__init__.py:9: Box.value has no docstring",
        "python/taskmill/__init__.py:13: weigh has no docstring",
        "python/taskmill/__init__.py: taskmill.Box is not in docs/reference/python.md",
        "_taskmill.pyi:3: RunConfig has no docstring",
        "_taskmill.pyi:5: RunConfig.trace has no docstring",
        "_taskmill.pyi:11: Span.start has no docstring",
        "include/taskmill/box.h:1: the header has no comment",
        "include/taskmill/box.h:5: Lid has no comment",
        "include/taskmill/box.h:10: Box::value has no comment",
        "include/taskmill/box.h:11: Box::weight has no comment",
        "include/taskmill/box.h:18: kBoxes has no comment",
    ],
    "docs_snippets": [
        "README.md:3: ",
        "README.md:6: told a lie",
        "README.md:9: ",
        "no target castle in the Makefile",
        "curl is none of make, taskmill, python and pytest",
        "No such command 'nonsense'",
        "went wrong",
        "taskmill explain 99999\n",
        "taskmill run has no --no-such-option",
        "file or directory not found: no_such_test.py",
        "README.md:26: the block before this one prints\n",
        "\ntwo\n",
        "README.md:29: the check knows no `sh no-run`",
        "README.md:32: the check knows no `console`",
        "README.md:36: is indented, so nothing runs it: taskmill run examples/hello",
        "README.md:38: is indented, so nothing runs it: ```sh",
        "the link to docs/gone.md leads nowhere",
    ],
}


def run_tool(name, *arguments):
    done = subprocess.run([sys.executable, TOOLS / f"{name}.py", *arguments], capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout


CHECKS = [
    pytest.param(check, marks=pytest.mark.skipif(not shutil.which("doxygen"), reason="doxygen is not installed (make check installs it)"))
    if check == "docstrings"
    else check
    for check in FAULTS
]


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_passes_on_its_good_fixture(check):
    code, told = run_tool(f"check_{check}", "--root", FIXTURES / check / "good")
    assert code == 0, told


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_names_every_fault_of_its_bad_fixture(check):
    code, told = run_tool(f"check_{check}", "--root", FIXTURES / check / "bad")
    assert code == 1, told
    missing = [fault for fault in FAULTS[check] if fault not in told]
    assert not missing, told
    assert f"{told.splitlines()[-1].split()[0]} findings" == told.splitlines()[-1]


def test_heavy_blocks_of_the_docs_run_when_asked_for():
    code, told = run_tool("check_docs_snippets", "--heavy", "--root", FIXTURES / "docs_snippets" / "good")
    assert code == 1
    assert "README.md:24: taskmill run no-such-folder --json\n" in told
    assert "README.md:27: the block before this one prints\n" in told
    assert told.endswith("\n2 findings\n")


def test_every_check_has_a_fixture():
    checks = {path.stem.removeprefix("check_") for path in TOOLS.glob("check_*.py")} - {"cost"}
    assert checks == {*FAULTS, "device_symbols"}


def test_a_check_fits_150_lines():
    long = [path.name for path in TOOLS.glob("*.py") if len(path.read_text().splitlines()) > 150]
    assert long == []


def build_device_program(folder, kind):
    program = folder / "device" / "program.so"
    program.parent.mkdir()
    source = FIXTURES / "device_symbols" / kind / "program.cpp"
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-nostartfiles", "-o", program, source], check=True)


def test_a_device_program_that_needs_memcpy_only_passes(tmp_path):
    build_device_program(tmp_path, "good")
    assert run_tool("check_device_symbols", "--build", tmp_path)[0] == 0


def test_a_device_program_that_allocates_or_reads_a_clock_is_named(tmp_path):
    build_device_program(tmp_path, "bad")
    code, told = run_tool("check_device_symbols", "--build", tmp_path)
    assert code == 1
    assert "program.so: undefined: malloc" in told
    assert "chrono" in told


def test_a_build_without_device_programs_fails(tmp_path):
    code, told = run_tool("check_device_symbols", "--build", tmp_path)
    assert code == 1 and "no device programs" in told


def make_build(folder, report=None):
    """A build tree whose only test program lists two tests; its last run is `report`."""
    program = folder / "graph_test"
    program.write_text("#!/bin/sh\necho Stack.\necho '  pops_the_newest'\necho '  grows  # GetParam() = 1'\n")
    program.chmod(0o755)
    properties = "LABELS graph ENVIRONMENT GTEST_OUTPUT=xml:graph_test.xml"
    tests = f'add_test(graph_test "{program}" "--gtest_brief=1")\nset_tests_properties(graph_test PROPERTIES {properties})\n'
    (folder / "CTestTestfile.cmake").write_text(tests)
    if report:
        (folder / "gtest").mkdir()
        (folder / "gtest" / "graph_test.xml").write_text(report.read_text())
    return folder


def compare_counts(tmp_path, report):
    for name in ("build", "base"):
        (tmp_path / name).mkdir()
    build = make_build(tmp_path / "build", report)
    return run_tool("test_counts", build, "--against", make_build(tmp_path / "base"))


def test_equal_tests_and_a_reasoned_skip_pass_the_count(tmp_path):
    code, told = compare_counts(tmp_path, FIXTURES / "test_counts" / "good" / "graph_test.xml")
    assert code == 0, told
    assert "skipped: Stack.grows: needs two gigabytes" in told
    assert "2 tests in 1 programs" in told


def test_a_missing_an_extra_and_an_unreasoned_skipped_test_fail_the_count(tmp_path):
    code, told = compare_counts(tmp_path, FIXTURES / "test_counts" / "bad" / "graph_test.xml")
    assert code == 1
    assert "Stack.grows did not run" in told
    assert "Stack.invented is not in" in told
    assert "Stack.pops_the_newest was skipped without a reason" in told


def test_a_program_that_left_no_report_fails_the_count(tmp_path):
    code, told = compare_counts(tmp_path, None)
    assert code == 1 and "left no report" in told
