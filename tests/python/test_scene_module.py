"""``python test_x.py``: a file with scenes is a program."""

from __future__ import annotations

import subprocess
import sys

import pytest
from sources import scene_case

MAIN = '\n\nif __name__ == "__main__":\n    SceneTestCase.run_module(__name__)\n'
CASES = [
    scene_case("small"),
    scene_case("wrong", golden=2.5),
    scene_case("a5", platforms=["a5sim"]),
    scene_case("large", manual=True),
]


def program(file, *words):
    return subprocess.run([sys.executable, file, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def verdicts(done):
    return [line for line in done.stdout.splitlines() if " ... " in line]


@pytest.fixture
def file(sources):
    return sources.scene_file("test_x.py", CASES, MAIN)


def test_each_case_is_a_line_and_a_failure_ends_with_1(file):
    done = program(file, "-p", "a2a3sim", "--rounds", 2)
    assert done.returncode == 1, done.stderr
    passed, failed = verdicts(done)
    assert passed == "AddScalar::small ... PASSED"
    assert failed.startswith("AddScalar::wrong ... FAILED: Golden mismatch on 'out': max_abs_err=1.5,")
    assert done.stderr == ""


def test_selected_cases_that_pass_end_with_0(file):
    done = program(file, "-p", "a5sim", "--case", "small", "--case", "AddScalar::a5", "--executor", "seeded", "--seed", 3)
    assert done.returncode == 0, done.stderr
    assert verdicts(done) == ["AddScalar::small ... PASSED", "AddScalar::a5 ... PASSED"]
    done = program(file, "--platform", "a2a3sim", "--manual", "only")
    assert done.returncode == 0 and verdicts(done) == ["AddScalar::large ... PASSED"]


def test_without_golden_a_case_that_differs_passes(file):
    done = program(file, "-p", "a2a3sim", "--skip-golden", "--case", "wrong")
    assert done.returncode == 0 and verdicts(done) == ["AddScalar::wrong ... PASSED"]


def test_exitfirst_stops_at_the_first_failure(sources):
    file = sources.scene_file("test_x.py", [scene_case("wrong", golden=0.0), scene_case("small")], MAIN)
    assert [len(verdicts(program(file, "-p", "a2a3sim", *words))) for words in ([], ["-x"])] == [2, 1]


def test_a_hook_that_raises_is_a_line_with_the_traceback_on_standard_error(sources):
    file = sources.scene_file("test_x.py", [scene_case("bad", params={}), scene_case("small")], MAIN)
    done = program(file, "-p", "a2a3sim")
    assert done.returncode == 1
    assert verdicts(done) == ["AddScalar::bad ... FAILED: generate_args raised KeyError: 'size'", "AddScalar::small ... PASSED"]
    assert "in generate_args" in done.stderr


@pytest.mark.parametrize("skip", ["__import__('pytest').skip", "__import__('unittest').SkipTest"])
def test_a_hook_that_skips_is_an_error_since_only_pytest_skips(sources, skip):
    more = f"\n    def generate_args(self, params):\n        raise {skip}('no data here')\n"
    done = program(sources.scene_file("test_x.py", more=more + MAIN), "-p", "a2a3sim")
    assert done.returncode == 1
    (verdict,) = verdicts(done)
    assert verdict.startswith("AddScalar::small ... FAILED: generate_args raised Skip") and verdict.endswith(": no data here")


def test_a_class_that_the_file_imports_is_not_run(sources):
    sources.scene_file("base.py")
    more = "from base import AddScalar as Base\n\n@scene_test()\nclass Second(Base):\n    pass\n"
    file = sources.write("test_x.py", "from taskmill.scene import SceneTestCase, scene_test\n" + more + MAIN)
    done = program(file, "-p", "a2a3sim")
    assert done.returncode == 0 and verdicts(done) == ["Second::small ... PASSED"], done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "-p/--platform"),
        (["-p", "a9"], "--platform: no case runs on 'a9'; cases list a2a3sim, a5sim"),
        (["-p", "a2a3sim", "--case", "Sub::"], "--case: no scene is called 'Sub'; known are AddScalar"),
        (["-p", "a2a3sim", "--case", "tiny"], "--case: no case is called 'tiny'"),
        (["-p", "a2a3sim", "--case", "large"], "--manual: exclude leaves no case: AddScalar::large: manual"),
        (["-p", "a2a3sim", "--check"], "--check: AddScalar has no stages"),
        (["-p", "a2a3sim", "--check", "--skip-golden"], "give one of them"),
        (["-p", "a2a3sim", "--rounds", "0"], "'0' is no number from 1 on"),
        (["-p", "a2a3sim", "--seed", "-1"], "--seed"),
        (["-p", "a2a3sim", "--executor", "random"], "random"),
    ],
)
def test_a_mistake_in_its_use_ends_with_2_and_says_which(file, words, told):
    done = program(file, *words)
    assert done.returncode == 2 and told in done.stderr and done.stdout == ""


def test_a_file_without_scenes_ends_with_2(sources):
    done = program(sources.write("test_x.py", "from taskmill.scene import SceneTestCase\n" + MAIN), "-p", "a2a3sim")
    assert done.returncode == 2 and "no SceneTestCase with @scene_test" in done.stderr
