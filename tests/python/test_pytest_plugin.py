"""The pytest plug-in, in a pytest of its own process."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path

import pytest
from sources import SCENE, Sources, scene_case

pytest_plugins = ["pytester"]
PLUGIN = ("-p", "pytest_taskmill", "-p", "no:cacheprovider", "-W", "error")
CASES = [
    scene_case("small"),
    scene_case("a5", platforms=["a5sim", "a2a3sim"]),
    scene_case("large", manual=["a2a3sim"]),
]


@pytest.fixture
def project(pytester) -> Sources:
    """A folder in which :func:`run` runs pytest, with the scene of test_x.py."""
    made = Sources(pytester.path)
    made.scene_file("test_x.py", CASES)
    return made


def run(pytester, *words):
    return pytester.runpytest_subprocess(*PLUGIN, *words)


def items(pytester, *words):
    return [line for line in run(pytester, "--collect-only", "-q", *words).outlines if "::" in line]


def test_a_scene_is_an_item_per_case_on_its_first_platform(pytester, project):
    done = run(pytester, "-v")
    done.assert_outcomes(passed=2, deselected=1)
    done.stdout.fnmatch_lines(["test_x.py::AddScalar::small[[]a2a3sim] PASSED*", "test_x.py::AddScalar::a5[[]a5sim] PASSED*"])


def test_options_select_and_deselect(pytester, project):
    small, a5, large = (f"test_x.py::AddScalar::{name}" for name in ("small", "a5", "large"))
    assert items(pytester, "--platform", "a5sim") == [f"{small}[a5sim]", f"{a5}[a5sim]", f"{large}[a5sim]"]
    assert items(pytester, "--case", "small", "--case", "AddScalar::a5") == [f"{small}[a2a3sim]", f"{a5}[a5sim]"]
    assert items(pytester, "--manual", "only") == [f"{large}[a2a3sim]"]
    assert items(pytester, "--manual", "include", "-k", "large") == [f"{large}[a2a3sim]"]
    assert items(pytester, "--platform", "a5sim", f"{a5}[a5sim]") == [f"{a5}[a5sim]"]


def test_rounds_and_skip_golden_reach_the_run(pytester, project):
    more = "    def compare_outputs(self, *arguments):\n        print('compared')\n"
    project.scene_file("test_x.py", more=more)
    for words, compared in (([], 1), (["--rounds", "3"], 3), (["--rounds", "3", "--skip-golden"], 0)):
        done = run(pytester, "-rP", *words)
        done.assert_outcomes(passed=1)
        assert done.outlines.count("compared") == compared


def test_a_failure_shows_the_mismatch_and_no_frame_of_the_runner(pytester, project):
    project.scene_file("test_x.py", [scene_case("wrong", golden=2.5)])
    done = run(pytester)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        ["*AddScalar::wrong on a2a3sim*", "Golden mismatch on 'out': max_abs_err=1.5,*", "FAILED test_x.py::AddScalar::wrong*Golden*"]
    )
    for frame in ("*Traceback*", "*runner.py*", "*items.py*"):
        done.stdout.no_fnmatch_line(frame)


def test_a_hook_that_raises_shows_its_own_frames(pytester, project):
    project.scene_file("test_x.py", [scene_case("bad", params={})])
    done = run(pytester)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["generate_args raised KeyError: 'size'", "*test_x.py*in generate_args", "KeyError: 'size'"])
    done.stdout.no_fnmatch_line("*runner.py*")


def test_cases_share_a_device_and_one_that_failed_is_opened_anew(pytester, project):
    crash = '#include <taskmill/kernel.h>\nextern "C" void kernel_entry(int64_t*) { *reinterpret_cast<volatile int*>(8) = 1; }\n'
    more = (
        "\n@scene_test()\nclass Crash(AddScalar):\n"
        "    CALLABLE = {**AddScalar.CALLABLE, 'incores': [{'func_id': 0, 'source': 'crash.cpp', 'core_type': 'aiv'}]}\n"
        "\n@scene_test()\nclass Third(AddScalar):\n    pass\n"
    )
    project.scene_file("test_x.py", [scene_case("one"), scene_case("two")], more)
    project.write("crash.cpp", crash)
    project.write(
        "conftest.py",
        "import taskmill.scene.workers as workers\n"
        "opened = []\n"
        "class Counted(workers.Worker):\n"
        "    def __init__(self, *arguments):\n"
        "        super().__init__(*arguments)\n"
        "        opened.append(self)\n"
        "workers.Worker = Counted\n"
        "def pytest_unconfigure():\n"
        "    print('opened', len(opened))\n",
    )
    done = run(pytester, "-s", "-k", "AddScalar or Third or (Crash and one)")
    done.assert_outcomes(passed=4, failed=1, deselected=1)
    done.stdout.fnmatch_lines(["*KernelCrashed, 110*", "opened 2"])


def test_methods_and_marks_of_a_scene_and_other_tests_work_as_ever(pytester, project):
    more = (
        "\n@pytest.mark.skip(reason='not today')\n@scene_test()\nclass TestSkipped(AddScalar):\n    pass\n"
        "\n@scene_test()\nclass TestOwn(AddScalar):\n"
        "    def test_params(self, tmp_path):\n        assert self.CASES and tmp_path.is_dir()\n"
        "\n@scene_test()\nclass TestNever(AddScalar):\n    __test__ = False\n"
        "\ndef test_plain():\n    assert True\n"
    )
    project.write("test_x.py", "import pytest\n" + SCENE.replace("$CASES", repr([scene_case()])) + more)
    assert items(pytester) == [
        "test_x.py::AddScalar::small[a2a3sim]",
        "test_x.py::TestSkipped::small[a2a3sim]",
        "test_x.py::TestOwn::small[a2a3sim]",
        "test_x.py::TestOwn::test_params",
        "test_x.py::test_plain",
    ]
    run(pytester).assert_outcomes(passed=4, skipped=1)


@pytest.mark.parametrize("skip", ["pytest.skip", "__import__('unittest').SkipTest"])
def test_a_hook_may_skip_its_case(pytester, project, skip):
    more = f"\n    def generate_args(self, params):\n        import pytest\n\n        raise {skip}('no data here')\n"
    project.scene_file("test_x.py", more=more)
    done = run(pytester, "-rs")
    done.assert_outcomes(skipped=1)
    done.stdout.fnmatch_lines(["SKIPPED*no data here"])


def test_fixtures_and_setup_work_for_a_case_and_reach_its_hooks(pytester, project):
    more = (
        "    @classmethod\n    def setup_class(cls):\n        cls.size = 16\n"
        "    def setup_method(self):\n        assert self.size == 16\n        self.golden = 0.5\n"
        "    @pytest.fixture(autouse=True)\n    def expected(self, halved):\n        self.golden += halved\n"
        "    def compute_golden(self, args, params):\n        args.out[:] = args.a + np.float32(self.golden)\n"
        "\n@pytest.fixture\ndef halved(tmp_path):\n    return 0.5\n"
    )
    project.write("test_x.py", "import pytest\n" + SCENE.replace("$CASES", repr([scene_case(golden=9.0)])) + more)
    run(pytester).assert_outcomes(passed=1)


def test_a_fixture_that_does_not_exist_is_an_error_of_the_case(pytester, project):
    more = "\n@pytest.mark.usefixtures('no_such_fixture')\n@scene_test()\nclass Second(AddScalar):\n    pass\n"
    project.write("test_x.py", "import pytest\n" + SCENE.replace("$CASES", repr([scene_case()])) + more)
    done = run(pytester)
    done.assert_outcomes(passed=1, errors=1)
    done.stdout.fnmatch_lines(["*fixture 'no_such_fixture' not found"])


def test_a_scene_in_a_test_class_is_collected(pytester, project):
    more = "\nclass TestOuter:\n    @scene_test()\n    class Inner(AddScalar):\n        pass\n"
    project.scene_file("test_x.py", more=more)
    assert items(pytester) == ["test_x.py::AddScalar::small[a2a3sim]", "test_x.py::TestOuter::Inner::small[a2a3sim]"]


def test_a_scene_that_a_factory_made_runs_once_however_many_names_it_has(pytester, project):
    project.scene_file("test_x.py", more="\nGen = scene_test()(type('Gen', (AddScalar,), {}))\nAlias = Gen\n")
    done = run(pytester, "-v", "--case", "Gen::")
    done.assert_outcomes(passed=1, deselected=1)
    done.stdout.fnmatch_lines(["test_x.py::Gen::small[[]a2a3sim] PASSED*"])


def test_a_scene_belongs_to_the_file_that_defines_it(pytester, project):
    project.write("test_y.py", "from taskmill.scene import *\nfrom test_x import AddScalar\n\ndef test_y():\n    assert AddScalar.CASES\n")
    assert items(pytester, "test_y.py") == ["test_y.py::test_y"]


def test_a_selector_of_nothing_is_a_usage_error(pytester, project):
    for selector, told in (("Sub::", "no scene is called 'Sub'; known are AddScalar"), ("a::b::c", "is none of Foo, Class::Foo")):
        done = run(pytester, "--case", selector)
        assert done.ret == pytest.ExitCode.USAGE_ERROR
        done.stderr.fnmatch_lines([f"ERROR: --case: *{told}*"])
    assert run(pytester, "--platform", "a9").ret == pytest.ExitCode.NO_TESTS_COLLECTED
    assert run(pytester, "--rounds", "0").ret == pytest.ExitCode.USAGE_ERROR


def test_a_file_that_cannot_be_collected_is_told_before_an_unknown_selector(pytester, project):
    project.write("test_broken.py", "import no_such_module\n")
    done = run(pytester, "--case", "Sub::")
    assert done.ret == pytest.ExitCode.INTERRUPTED
    done.stdout.fnmatch_lines(["*no_such_module*"])


def test_options_that_a_project_has_itself_stay_its_own(pytester, project):
    project.write(
        "conftest.py",
        "def pytest_addoption(parser):\n"
        "    parser.addoption('--platform', default='a5sim')\n"
        "    parser.addoption('--rounds', type=int)\n"
        "    parser.addoption('--needed', required=True)\n",
    )
    assert items(pytester, "--case", "small", "--needed", "x") == ["test_x.py::AddScalar::small[a5sim]"]
    run(pytester, "--case", "small", "--needed", "x").assert_outcomes(passed=1, deselected=2)


@pytest.mark.parametrize(
    ("declared", "words", "left"),
    [
        ("'--case'", ["--case=small"], ["small"]),
        ("'--case', dest='chosen', action='append'", ["--case=small"], ["small"]),
        ("'--manual', action='store_true'", [], ["small", "a5"]),
        ("'--manual', action='store_true'", ["--manual"], ["small", "a5", "large"]),
        ("'--platform', action='append'", ["--platform=a2a3sim", "--case=small"], ["small"]),
    ],
)
def test_an_option_of_the_project_may_be_of_another_type(pytester, project, declared, words, left):
    project.write("conftest.py", f"def pytest_addoption(parser):\n    parser.addoption({declared})\n")
    assert [line.split("::")[2].partition("[")[0] for line in items(pytester, *words)] == left


def test_rounds_of_the_project_may_be_text(pytester, project):
    project.write("conftest.py", "def pytest_addoption(parser):\n    parser.addoption('--rounds')\n")
    project.scene_file("test_x.py", more="    def compare_outputs(self, *arguments):\n        print('compared')\n")
    done = run(pytester, "-rP", "--rounds=2")
    done.assert_outcomes(passed=1)
    assert done.outlines.count("compared") == 2


@pytest.mark.parametrize(
    ("declared", "word", "told"),
    [
        ("'--platform', action='append', default=['a5sim']", "--platform=a2a3sim", "['a5sim', 'a2a3sim'] is not a platform"),
        ("'--case', type=int", "--case=3", "3 is not a selector or a list of them"),
        ("'--manual'", "--manual=all", "'all' is not a flag or one of exclude, include and only"),
        ("'--rounds', type=float", "--rounds=1.5", "1.5 is not a number from 1 on"),
        ("'--skip-golden'", "--skip-golden=no", "'no' is not a flag"),
    ],
)
def test_a_value_that_does_not_fit_is_a_usage_error_that_names_the_option(pytester, project, declared, word, told):
    project.write("conftest.py", f"def pytest_addoption(parser):\n    parser.addoption({declared})\n")
    done = run(pytester, word)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: {word.partition('=')[0]}: {told}" in done.errlines


@pytest.mark.parametrize("words", ["--platform a2a3sim", "--case small", "--rounds 2", "--manual only"])
def test_the_value_of_an_option_is_no_file_when_pytest_looks_for_the_conftest(pytester, words):
    checks = pytester.mkdir("checks")
    pytester.makeini("[pytest]\ntestpaths = checks\n")
    (checks / "conftest.py").write_text("def pytest_addoption(parser):\n    parser.addoption('--speed')\n")
    (checks / "test_plain.py").write_text("def test_speed(pytestconfig):\n    assert pytestconfig.getoption('--speed') == '1'\n")
    run(pytester, "--speed=1", *words.split()).assert_outcomes(passed=1)


def test_what_follows_a_flag_of_the_project_is_a_file(pytester):
    checks = pytester.mkdir("checks")
    (checks / "conftest.py").write_text("def pytest_addoption(parser):\n    parser.addoption('--manual', action='store_true')\n")
    (checks / "test_plain.py").write_text("def test_flag(pytestconfig):\n    assert pytestconfig.getoption('--manual') is True\n")
    run(pytester, "--manual", "checks").assert_outcomes(passed=1)


def test_a_project_without_scenes_loads_neither_numpy_nor_the_extension(pytester):
    pytester.makepyfile(
        test_plain="import sys\n\ndef test_modules():\n"
        "    loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "    assert 'pytest_taskmill' in loaded and not loaded & {'numpy', 'taskmill', '_taskmill'}\n"
    )
    run(pytester).assert_outcomes(passed=1)


def test_the_entry_point_names_the_plug_in_and_the_wheel_holds_it():
    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())
    (module,) = project["project"]["entry-points"]["pytest11"].values()
    assert project["project"]["entry-points"]["pytest11"] == {module: module}  # -p and -p no: take either name
    folder = Path(importlib.util.find_spec(module).origin).parent
    assert f"python/{folder.name}" in project["tool"]["scikit-build"]["wheel"]["packages"]
