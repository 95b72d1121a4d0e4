"""Scenes that make a mistake are told which: by hook, by argument, by file. Nothing they do ends the program."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sources import SCENE, scene_case
from taskmill.scene import Out, RunOptions, Scalar, TaskArgsBuilder, TensorArg, find_scenes, run_scene
from taskmill.scene.discover import SceneImportError


@pytest.fixture
def scene_class(sources):
    (scene,) = find_scenes(sources.scene_file("scene.py"))
    return scene


def run(scene, **options):
    return run_scene(scene, scene.CASES[0], "a2a3sim", RunOptions(**options))


def with_arrays(scene, a, out):
    scene.generate_args = lambda self, params: TaskArgsBuilder(TensorArg("a", a), TensorArg("out", out), Scalar("s", 1.0))
    return run(scene)


@pytest.mark.parametrize("hook", ["generate_args", "compute_golden", "compare_outputs"])
@pytest.mark.parametrize(("problem", "told"), [(KeyError, "KeyError: 'width'"), (SystemExit, "SystemExit: width")])
def test_what_a_hook_raises_is_an_error_that_names_the_hook(scene_class, hook, problem, told):
    def raises(*arguments):
        raise problem("width")

    setattr(scene_class, hook, raises)
    result = run(scene_class)
    assert (result.name, result.status) == ("AddScalar::small", "error")
    assert result.error == f"{hook} raised {told}"
    assert ", in raises" in result.details and "runner.py" not in result.details


@pytest.mark.parametrize("hook", ["generate_args", "compute_golden"])
def test_an_assertion_of_a_hook_is_no_verdict(scene_class, hook):
    def asserts(*arguments):
        raise AssertionError("shape")

    setattr(scene_class, hook, asserts)
    result = run(scene_class)
    assert (result.status, result.error) == ("error", f"{hook} raised AssertionError: shape")


def test_an_assertion_of_compare_outputs_is_the_verdict_with_or_without_words(scene_class):
    for words, told in (("too far", "too far"), ("", "compare_outputs raised AssertionError")):

        def asserts(*arguments, words=words):
            raise AssertionError(words)

        scene_class.compare_outputs = asserts
        result = run(scene_class)
        assert (result.status, result.error, result.max_abs_err) == ("failed", told, None)


def test_check_mode_without_a_stage_is_an_error(scene_class):
    scene_class.CHECK_CALLABLE = scene_class.CALLABLE
    scene_class.generate_check_args = scene_class.generate_args
    scene_class.check_stages = lambda self, args, params: []
    assert run(scene_class, check=True).error == "ValueError: check_stages gave no stage"


def test_generate_args_must_return_a_builder(scene_class):
    scene_class.generate_args = lambda self, params: None
    assert run(scene_class).error == "TypeError: generate_args returned a NoneType, must return a TaskArgsBuilder"


def test_a_case_or_a_class_without_golden_is_run_and_not_compared(scene_class):
    compared = []
    scene_class.compute_golden = lambda *arguments: compared.append("golden")
    scene_class.compare_outputs = lambda *arguments: compared.append("outputs")
    assert run(scene_class).status == "passed" and compared == ["golden", "outputs"]
    compared.clear()
    assert run(scene_class, skip_golden=True).max_abs_err is None
    scene_class.SKIP_GOLDEN = True
    result = run(scene_class, rounds=2)
    assert (result.status, result.max_abs_err, len(result.rounds), compared) == ("passed", None, 2, [])
    scene_class.CASES = [scene_case(skip_golden=False)]
    assert run(scene_class).status == "passed" and compared == ["golden", "outputs"]
    scene_class.SKIP_GOLDEN = False
    scene_class.CASES = [scene_case(skip_golden=True)]
    compared.clear()
    assert run(scene_class).status == "passed" and compared == []


def test_arrays_that_no_run_can_take_are_refused_by_name_before_the_golden_is_computed(scene_class):
    scene_class.compute_golden = lambda *arguments: pytest.fail("computed")
    good = np.zeros(16, dtype=np.float32)
    fixed = good.copy()
    fixed.flags.writeable = False
    for out, told in (
        (np.zeros(32, dtype=np.float32)[::2], 'argument 1 ("out") of "AddScalar" is not contiguous'),
        (fixed, 'argument 1 ("out") of "AddScalar" is read-only, but the call writes it'),
        (np.zeros(16), 'argument 1 ("out") of "AddScalar" has dtype float64, which no device knows'),
    ):
        result = with_arrays(scene_class, good, out)
        assert result.status == "error" and told in result.error
    assert 'argument 0 ("a") of "AddScalar" is not contiguous' in with_arrays(scene_class, np.zeros((4, 8), np.float32)[:, :4], good).error


def test_a_dtype_other_than_the_signatures_is_refused_by_name(scene_class):
    orchestration = {**scene_class.CALLABLE["orchestration"]}
    orchestration["signature"] = [orchestration["signature"][0], Out("out", "float32")]
    scene_class.CALLABLE = {**scene_class.CALLABLE, "orchestration": orchestration}
    scene_class.compute_golden = lambda *arguments: None
    result = with_arrays(scene_class, np.zeros(16, dtype=np.float32), np.zeros(16, dtype=np.float16))
    assert result.status == "error"
    assert '"out"' in result.error and "float16" in result.error and "float32" in result.error


def test_a_read_only_input_is_no_mistake(scene_class):
    a = np.arange(16, dtype=np.float32)
    a.flags.writeable = False
    assert with_arrays(scene_class, a, np.zeros(16, dtype=np.float32)).status == "passed"


def test_an_argument_that_is_no_array_is_refused_by_name(scene_class):
    assert "TypeError: argument 'out' is a list, must be a numpy array" in with_arrays(scene_class, np.zeros(16), [0.0] * 16).error


def test_an_argument_is_written_into_and_never_replaced():
    args = TaskArgsBuilder(TensorArg("a", np.zeros(2)), Scalar("s", 1))
    args.a += 1
    args.note = "anything else"
    assert args.a.tolist() == [1, 1] and args.note == "anything else"
    for name in ("a", "s"):
        with pytest.raises(AttributeError, match=f"argument '{name}' cannot be replaced"):
            setattr(args, name, np.ones(2))


@pytest.mark.parametrize("key", ["orchestration", "source", "function_name"])
def test_a_callable_that_lacks_a_key_says_which(scene_class, key):
    orchestration = {name: value for name, value in scene_class.CALLABLE["orchestration"].items() if name != key}
    scene_class.CALLABLE = {"incores": [], **({} if key == "orchestration" else {"orchestration": orchestration})}
    assert f"ValueError: '{key}' is missing in" in run(scene_class).error


def test_files_that_cannot_be_imported_are_all_named_with_what_the_others_have(sources):
    sources.scene_file("good.py")
    sources.write("broken.py", "import no_such_module\n")
    sources.write("exits.py", "raise SystemExit(3)\n")
    sources.write("wrong.py", SCENE.replace("$CASES", "[{'name': 'no platforms'}]"))
    with pytest.raises(SceneImportError) as raised:
        find_scenes(sources.folder)
    told = str(raised.value)
    assert "broken.py cannot be imported (ModuleNotFoundError: No module named 'no_such_module')" in told
    assert "exits.py cannot be imported (SystemExit: 3)" in told
    assert "wrong.py cannot be imported (ValueError: AddScalar: a case needs 'platforms'" in told
    assert told.endswith("; the other files have AddScalar")
    assert raised.value.details.count("Traceback") == 3
    assert str(sources.folder) not in sys.path


def test_a_file_named_twice_has_its_scenes_once(sources):
    file = sources.scene_file("scene.py")
    assert [scene.__name__ for scene in find_scenes(file, sources.folder)] == ["AddScalar"]
