"""The command ``taskmill``: output, exit codes, options."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SCENE = """\
import numpy as np
from taskmill.scene import In, Out, Scalar, SceneTestCase, TaskArgsBuilder, TensorArg, scene_test

@scene_test(level=2, runtime="tensormap_and_ringbuffer")
class AddScalar(SceneTestCase):
    CALLABLE = {
        "orchestration": {"source": "add_scalar.cpp", "function_name": "add_scalar", "signature": [In, Out]},
        "incores": [{"func_id": 0, "source": "kernel.cpp", "core_type": "aiv", "name": "add_scalar"}],
    }
    CASES = [{"name": "small", "platforms": ["a2a3sim", "a5sim"], "params": {"size": 16, "golden": 1.0}}]

    def generate_args(self, params):
        print("printed by the scene")
        a = np.arange(params["size"], dtype=np.float32)
        return TaskArgsBuilder(TensorArg("a", a), TensorArg("out", np.zeros_like(a)), Scalar("s", 1.0))

    def compute_golden(self, args, params):
        args.out[:] = args.a + np.float32(params["golden"])
"""


@pytest.fixture
def scene_file(sources):
    sources.add_scalar()
    return sources.write("scene.py", SCENE)


def taskmill(*words):
    return subprocess.run(
        [sys.executable, "-m", "taskmill", *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


def test_a_passing_scene_prints_a_table_on_standard_error_and_ends_with_0(scene_file):
    done = taskmill("run", scene_file)
    assert done.returncode == 0, done.stderr
    assert "AddScalar::small" in done.stderr and "passed" in done.stderr and "\x1b" not in done.stderr
    assert done.stdout == "printed by the scene\n"


def test_json_is_one_object_on_standard_output_with_the_agreed_keys(scene_file, platform):
    done = taskmill("run", scene_file, "--platform", platform, "--json", "-v")
    assert done.returncode == 0, done.stderr
    (scene,) = json.loads(done.stdout)["scenes"]
    assert scene["name"] == "AddScalar::small" and scene["platform"] == platform and scene["status"] == "passed"
    assert scene["max_abs_err"] == 0.0 and scene["tasks"] == 1
    assert set(scene["phases_ms"]) == {"prepare", "copy_in", "execute", "copy_back"}
    assert all(ms >= 0 for ms in scene["phases_ms"].values())
    assert scene["threads_peak"] >= 1 and scene["peak_bytes"] > 0
    assert [ring["task_slots"]["peak"] for ring in scene["rings"]] == [1, 0, 0, 0]
    assert "printed by the scene" in done.stderr


def test_verbose_prints_a_row_for_each_scope_depth_that_made_tasks(scene_file):
    done = taskmill("run", scene_file, "-v")
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stderr.splitlines()]
    start = lines.index("rings of AddScalar::small: peak of size (enough)")
    assert lines[start + 1] == "scope depth task slots argument lines heap bytes edge nodes"
    assert lines[start + 2].startswith("0 1 of 16,383 (4) ") and lines[start + 2].endswith(" 0 of 268,435,456 (0) 0 of 16,384 (4)")
    assert not any(line.startswith(("1 0 of", "3 and deeper")) for line in lines)


def test_a_scene_that_differs_is_failed_and_ends_with_1(scene_file):
    done = taskmill("run", scene_file.parent, "--param", "golden=2.5", "--json")
    (scene,) = json.loads(done.stdout)["scenes"]
    assert done.returncode == 1 and scene["status"] == "failed" and scene["max_abs_err"] == 1.5
    assert "Golden mismatch on 'out'" in scene["error"] and "Golden mismatch on 'out'" in done.stderr


def test_a_nan_is_null_in_json(scene_file):
    done = taskmill("run", scene_file, "--param", "golden=NaN", "--json")
    (scene,) = json.loads(done.stdout)["scenes"]
    assert done.returncode == 1 and scene["status"] == "failed" and scene["max_abs_err"] is None


def test_a_scene_that_cannot_run_is_an_error_and_ends_with_1(scene_file):
    (scene_file.parent / "kernel.cpp").write_text("nonsense\n")
    done = taskmill("run", scene_file, "--json")
    (scene,) = json.loads(done.stdout)["scenes"]
    assert done.returncode == 1 and scene["status"] == "error" and scene["max_abs_err"] is None
    assert "CompileFailed, 205" in scene["error"] and "kernel.cpp:1" in scene["error"]


def test_rounds_are_run_and_listed(scene_file):
    done = taskmill("run", scene_file, "--rounds", 3, "--json")
    (scene,) = json.loads(done.stdout)["scenes"]
    assert done.returncode == 0 and len(scene["rounds"]) == 3


def test_a_trace_is_chrome_json_with_a_span_per_task(scene_file, tmp_path):
    trace = tmp_path / "trace.json"
    done = taskmill("run", scene_file, "--trace", trace, "--json")
    (scene,) = json.loads(done.stdout)["scenes"]
    events = json.loads(trace.read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X" and event["name"] == "add_scalar"]
    assert len(spans) == scene["tasks"] == 1
    assert spans[0]["ts"] >= 0 and spans[0]["dur"] >= 0


def test_a_trace_of_several_cases_is_a_file_per_case(scene_file, tmp_path):
    scene_file.write_text(SCENE + "\n\n@scene_test()\nclass Again(AddScalar):\n    pass\n")
    done = taskmill("run", scene_file, "--trace", tmp_path / "trace.json")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.glob("trace*.json")) == ["trace.AddScalar.small.json", "trace.Again.small.json"]


def test_the_seeded_executor_runs_it_too(scene_file):
    for seed in (1, 2):
        done = taskmill("run", scene_file, "--executor", "seeded", "--seed", seed)
        assert done.returncode == 0, done.stderr
    assert taskmill("run", scene_file, "--executor", "pool").returncode == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run"], "FILE_OR_FOLDER"),
        (["run", "absent.py"], "absent.py"),
        (["run", "SCENE", "--platform", "a9"], "a9"),
        (["run", "SCENE", "--rounds", "0"], "--rounds"),
        (["run", "SCENE", "--param", "size"], "NAME=VALUE"),
        (["run", "SCENE", "--check"], "no stages"),
        (["run", "SCENE", "--executor", "random"], "random"),
        (["explain", "no-such-code"], "no-such-code"),
        (["fly"], "fly"),
    ],
)
def test_a_mistake_in_its_use_ends_with_2_and_says_which(scene_file, words, told):
    done = taskmill(*(scene_file if word == "SCENE" else word for word in words))
    assert done.returncode == 2
    assert told in done.stderr and done.stdout == ""


def test_a_file_without_scenes_and_a_file_that_cannot_be_imported_end_with_2(sources):
    done = taskmill("run", sources.write("empty.py", ""))
    assert done.returncode == 2 and "no SceneTestCase" in " ".join(done.stderr.replace("│", " ").split())
    done = taskmill("run", sources.write("broken.py", "import no_such_module\n"))
    assert done.returncode == 2 and "no_such_module" in done.stderr


def test_explain_tells_a_code_by_number_or_name():
    by_number, by_name = taskmill("explain", 202), taskmill("explain", "BufferTooShort")
    assert by_number.returncode == 0 and by_number.stdout == by_name.stdout
    assert by_number.stdout.startswith("202 BufferTooShort: a buffer is smaller than the tensor laid over it\n")
    assert "What to do." in by_number.stdout


def test_explain_says_that_a_code_is_reserved():
    assert taskmill("explain", "4").stdout.startswith("4 DepPoolOverflow (reserved: never raised):")
