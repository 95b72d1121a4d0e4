"""Scene tests: declaration, arguments, comparison, verdicts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from taskmill.scene import (
    In,
    Out,
    RunOptions,
    Scalar,
    SceneTestCase,
    Stage,
    TaskArgsBuilder,
    TensorArg,
    find_scenes,
    run_scene,
    scene_test,
)
from taskmill.scene.build import build_callable
from taskmill.scene.compare import GoldenMismatch, compare, compare_stage


@pytest.fixture
def scene_class(sources):
    """A scene over out = a + s, its sources beside it."""
    sources.add_scalar()

    class AddScalar(SceneTestCase):
        CALLABLE = {
            "orchestration": {"source": "add_scalar.cpp", "function_name": "add_scalar", "signature": [In, Out("out", "float32")]},
            "kernels": [{"id": 0, "source": "kernel.cpp", "core_type": "aiv"}],
        }
        CASES = [{"name": "small", "platforms": ["a2a3sim", "a5sim"], "params": {"size": 16}, "config": {"task_window": 64}}]

        def generate_args(self, params):
            a = np.arange(params["size"], dtype=np.float32)
            return TaskArgsBuilder(TensorArg("a", a), TensorArg("out", np.zeros_like(a)), Scalar("s", 1.0))

        def compute_golden(self, args, params):
            args.out[:] = args.a + args.s

    declared = scene_test(level=2, runtime="tensormap_and_ringbuffer")(AddScalar)
    declared._scene_folder = sources.folder
    return declared


def run(scene, platform="a2a3sim", **options):
    return run_scene(scene, scene.CASES[0], platform, RunOptions(**options))


def test_a_scene_passes(scene_class, platform):
    result = run(scene_class, platform)
    assert (result.name, result.platform, result.status, result.error) == ("AddScalar::small", platform, "passed", "")
    assert result.max_abs_err == 0.0 and result.tasks == 1
    assert [ring["task_slots"]["size"] for ring in result.rings] == [63] * 4
    assert set(result.rings[0]["heap_bytes"]) == {"peak", "size", "enough"}
    assert result.threads_peak >= 1 and result.peak_bytes > 0


def test_ring_sizes_may_have_the_ecosystems_names(scene_class):
    env = {"ring_task_window": 8, "ring_heap": [1024, 2048, 4096, 8192], "ring_dep_pool": [4, 5, 6, 7]}
    scene_class.CASES = [{**scene_class.CASES[0], "config": {"runtime_env": env, "argument_lines": 40}}]
    result = run(scene_class)
    assert result.status == "passed", result.error
    sizes = {room: [ring[room]["size"] for ring in result.rings] for room in result.rings[0]}
    assert sizes == {
        "task_slots": [7] * 4,
        "heap_bytes": env["ring_heap"],
        "edge_nodes": env["ring_dep_pool"],
        "argument_lines": [40] * 4,
    }


def test_a_scene_may_ask_for_the_ecosystems_rules(scene_class):
    assert build_callable(scene_class.CALLABLE, Path(), "x", ["a", "out"], 1).rules == "native"
    scene_class.CALLABLE = {**scene_class.CALLABLE, "rules": "ecosystem"}
    assert build_callable(scene_class.CALLABLE, Path(), "x", ["a", "out"], 1).rules == "ecosystem"
    assert run(scene_class).status == "passed"
    scene_class.CALLABLE = {**scene_class.CALLABLE, "rules": "none"}
    assert "rules is 'none'" in run(scene_class).error


def test_a_wrong_output_fails_with_its_largest_error(scene_class):
    scene_class.compute_golden = lambda self, args, params: args.out.fill(0)
    result = run(scene_class)
    assert result.status == "failed" and result.max_abs_err == 16.0
    assert "Golden mismatch on 'out': max_abs_err=16" in result.error


def test_a_run_that_cannot_start_is_an_error_with_its_code(scene_class):
    scene_class.CALLABLE = {**scene_class.CALLABLE, "kernels": []}
    result = run(scene_class)
    assert result.status == "error" and result.max_abs_err is None
    assert "UnknownKernel, 112" in result.error


def test_an_exception_of_the_scene_itself_is_an_error_with_a_traceback(scene_class):
    def generate_args(self, params):
        raise KeyError("width")

    scene_class.generate_args = generate_args
    result = run(scene_class)
    assert result.status == "error" and "KeyError" in result.error and "generate_args" in result.details


def test_a_golden_that_writes_an_input_is_an_error(scene_class):
    scene_class.compute_golden = lambda self, args, params: args.a.fill(0)
    result = run(scene_class)
    assert result.status == "error" and "read-only" in result.error


def test_every_round_starts_from_the_first_outputs_and_is_compared(scene_class):
    compared = []

    def compare_outputs(self, test_args, golden_args, output_names, params):
        compared.append((output_names, test_args.out.copy()))
        test_args.out.fill(-1)
        return 0.0

    scene_class.compare_outputs = compare_outputs
    result = run(scene_class, rounds=3)
    assert result.status == "passed" and len(result.rounds) == 3
    assert [names for names, _ in compared] == [["out"]] * 3
    assert all((out == compared[0][1]).all() for _, out in compared)
    assert result.phases_ms["execute"] == sorted(r["execute"] for r in result.rounds)[1]


def test_parameters_of_the_caller_replace_those_of_the_case(scene_class):
    seen = []
    generate = scene_class.generate_args
    scene_class.generate_args = lambda self, params: seen.append(dict(params)) or generate(self, params)
    assert run(scene_class, params={"size": 32}).status == "passed"
    assert seen == [{"size": 32}]


def test_a_scene_without_stages_cannot_be_checked(scene_class):
    result = run(scene_class, check=True)
    assert result.status == "error"


def test_levels_runtimes_and_config_keys_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match="Unsupported scene test level"):
        scene_test(level=3, runtime="tensormap_and_ringbuffer")
    with pytest.raises(ValueError, match="tensormap_and_ringbuffer"):
        scene_test(level=2, runtime="by_hand")

    class Odd(SceneTestCase):
        CASES = [{"name": "odd", "platforms": ["a2a3sim"], "config": {"task_widow": 64}}]

    with pytest.raises(ValueError, match="task_widow; allowed are task_window"):
        scene_test()(Odd)
    Odd.CASES = [{"name": "odd", "platforms": ["a2a3sim"], "config": 64}]
    with pytest.raises(TypeError, match="Odd::odd: config is a int, must be a mapping"):
        scene_test()(Odd)
    Odd.CASES = [{"name": "odd", "platforms": ["a2a3sim"], "config": {"runtime_env": {"ring_heaps": 1024}}}]
    with pytest.raises(ValueError, match="unknown runtime_env ring_heaps; allowed are ring_task_window, ring_heap, ring_dep_pool"):
        scene_test()(Odd)
    Odd.CASES = [{"name": "odd", "platforms": ["a2a3sim"], "config": {"runtime_env": [1024]}}]
    with pytest.raises(TypeError, match="runtime_env is a list, must be a mapping"):
        scene_test()(Odd)
    Odd.CASES = [{"name": "odd", "platforms": ["a2a3sim"], "config": {"heap_bytes": 1024, "runtime_env": {"ring_heap": 1024}}}]
    with pytest.raises(ValueError, match="ring_heap and heap_bytes are two names of one size"):
        scene_test()(Odd)
    Odd.CASES = [{"name": "odd"}]
    with pytest.raises(ValueError, match="platforms"):
        scene_test()(Odd)


def test_arguments_are_attributes_and_refuse_bad_names():
    args = TaskArgsBuilder(TensorArg("a", np.zeros(2)), Scalar("s", 1))
    assert args.s == 1 and args.tensor_names() == ["a"] and args.values()[1] == 1
    clone = args.clone()
    clone.a[0] = 5
    assert args.a[0] == 0
    with pytest.raises(ValueError, match="Cannot add tensor after scalar"):
        args.add_tensor("b", np.zeros(2))
    with pytest.raises(ValueError, match="duplicate argument name 's'"):
        args.add_scalar("s", 2)
    for name in ("specs", "clone"):
        with pytest.raises(ValueError, match="conflicts with builder attributes/methods"):
            args.add_scalar(name, 2)
    with pytest.raises(AttributeError, match="'missing'"):
        _ = args.missing
    with pytest.raises(TypeError, match="neither"):
        TaskArgsBuilder(("a", 1))


def test_a_signature_shorter_than_the_tensors_is_refused(scene_class, tmp_path):
    with pytest.raises(ValueError, match="update CALLABLE"):
        build_callable(scene_class.CALLABLE, tmp_path, "x", ["a", "b", "out"], 0)


def test_comparison_counts_nan_and_infinity_as_themselves_only():
    a = np.array([np.nan, np.inf, 1.0], dtype=np.float32)
    assert compare("x", a, a.copy(), 0, 0) == 0.0
    for wrong in (np.array([0, np.inf, 1], dtype=np.float32), np.array([np.nan, -np.inf, 1], dtype=np.float32)):
        with pytest.raises(GoldenMismatch):
            compare("x", a, wrong, 1, 1)
    with pytest.raises(GoldenMismatch, match="shape"):
        compare("x", a, a[:2], 0, 0)


def test_comparison_is_exact_for_large_integers():
    big = np.array([2**62], dtype=np.int64)
    with pytest.raises(GoldenMismatch):
        compare("x", big, big + 1, 0, 0)


def test_comparison_allows_rtol_of_the_golden_value_and_atol():
    golden = np.array([100.0, 0.0])
    assert compare("x", golden + [1.0, 0.5], golden, 0.01, 0.5) == 1.0
    with pytest.raises(GoldenMismatch, match="1 of 2 elements; first at \\(1,\\)"):
        compare("x", golden + [1.0, 0.6], golden, 0.01, 0.5)


def test_a_stage_passes_within_its_share_of_the_rms():
    expected = np.full(4, 2.0, dtype=np.float32)
    good, bad = (compare_stage(Stage("s", expected + error, expected), 1e-4) for error in (1.9e-4, 2.2e-4))
    assert good.passed and not bad.passed and good.rms == 2.0
    assert not compare_stage(Stage("s", np.array([np.nan]), np.ones(1)), 1e-4).passed


def test_helpers_of_two_folders_may_have_the_same_name(tmp_path):
    for number, folder in enumerate((tmp_path / "one", tmp_path / "two")):
        folder.mkdir()
        (folder / "helper.py").write_text(f"VALUE = {number}\n")
        (folder / "scene.py").write_text(
            "import helper\nfrom taskmill.scene import SceneTestCase, scene_test\n"
            "@scene_test()\nclass Scene(SceneTestCase):\n    VALUE = helper.VALUE\n"
        )
    assert [scene.VALUE for scene in find_scenes(tmp_path / "one", tmp_path / "two")] == [0, 1]


def test_a_folder_gives_the_decorated_scenes_of_its_files_only(tmp_path):
    (tmp_path / "helper.py").write_text("VALUE = 3\n")
    (tmp_path / "scenes.py").write_text(
        "import helper\nfrom taskmill.scene import SceneTestCase, scene_test\n"
        "class Plain(SceneTestCase):\n    pass\n"
        "@scene_test()\nclass Second(SceneTestCase):\n    VALUE = helper.VALUE\n"
        "@scene_test()\nclass First(Second):\n    pass\n"
    )
    assert [scene.__name__ for scene in find_scenes(tmp_path)] == ["Second", "First"]
    assert find_scenes(tmp_path / "scenes.py")[0].VALUE == 3
    with pytest.raises(FileNotFoundError):
        find_scenes(tmp_path / "absent.py")


def test_a_scene_with_two_names_is_found_once(tmp_path):
    scene = "from taskmill.scene import SceneTestCase, scene_test\n@scene_test()\nclass Scene(SceneTestCase):\n    pass\nAlias = Scene\n"
    (tmp_path / "scenes.py").write_text(scene)
    assert [found.__name__ for found in find_scenes(tmp_path)] == ["Scene"]


def test_a_file_that_skips_itself_cannot_be_imported(tmp_path):
    (tmp_path / "scenes.py").write_text("import pytest\npytest.skip('no data here', allow_module_level=True)\n")
    told = r"scenes.py cannot be imported \(Skipped: no data here\)"
    with pytest.raises((ImportError, pytest.skip.Exception), match=told):  # a skip that passes through would skip this test
        find_scenes(tmp_path)
