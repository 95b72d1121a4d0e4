"""The command ``taskmill``: output, exit codes, options."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from sources import scene_case

@pytest.fixture
def scene_file(sources):
    return sources.scene_file("scene.py")


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


def test_without_golden_a_scene_passes_with_no_error_to_tell(scene_file):
    done = taskmill("run", scene_file, "--skip-golden", "--param", "golden=2.5", "--json")
    (scene,) = json.loads(done.stdout)["scenes"]
    assert done.returncode == 0 and scene["status"] == "passed" and scene["max_abs_err"] is None
    (row,) = [line for line in done.stderr.splitlines() if "passed" in line]
    assert row.split()[:4] == ["AddScalar::small", "a2a3sim", "passed", "-"]


def test_cases_are_selected_by_name_and_manual_ones_only_if_asked_for(sources):
    file = sources.scene_file("scene.py", [scene_case("small"), scene_case("large", manual="a5sim"), scene_case("wide")])
    for words, names in (
        ([], ["small", "large", "wide"]),
        (["--platform", "a5sim"], ["small", "wide"]),
        (["--platform", "a5sim", "--manual", "only"], ["large"]),
        (["--case", "AddScalar::small", "--case", "large", "--platform", "a5sim", "--manual", "include"], ["small", "large"]),
    ):
        done = taskmill("run", file, *words, "--json")
        assert [scene["name"] for scene in json.loads(done.stdout)["scenes"]] == [f"AddScalar::{name}" for name in names]


def test_a_hook_that_raises_is_an_error_of_its_scene_and_the_next_one_runs(sources):
    file = sources.scene_file("scene.py", [scene_case("bad", params={}), scene_case("small")])
    done = taskmill("run", file, "--json", "-v")
    bad, small = json.loads(done.stdout)["scenes"]
    assert done.returncode == 1
    assert (bad["name"], bad["status"]) == ("AddScalar::bad", "error") and small["status"] == "passed"
    assert bad["error"] == "generate_args raised KeyError: 'size'"
    assert "AddScalar::bad on a2a3sim: generate_args raised KeyError: 'size'" in done.stderr and "in generate_args" in done.stderr


def test_a_scene_on_several_platforms_is_a_row_and_a_timeline_for_each(scene_file, tmp_path):
    scene_file.write_text(scene_file.read_text().replace('["a2a3sim"]', '["a2a3sim", "a5sim"]'))
    done = taskmill("run", scene_file, "-p", "a2a3sim", "-p", "a5sim", "--trace", tmp_path / "trace.json", "--json")
    assert done.returncode == 0, done.stderr
    assert [scene["platform"] for scene in json.loads(done.stdout)["scenes"]] == ["a2a3sim", "a5sim"]
    names = sorted(path.name for path in tmp_path.glob("trace*.json"))
    assert names == ["trace.AddScalar.small.a2a3sim.json", "trace.AddScalar.small.a5sim.json"]


def test_the_kernels_of_a_run_are_shown_on_demand(scene_file):
    done = taskmill("run", scene_file, "--kernels", "--json")
    (kernel,) = json.loads(done.stdout)["scenes"][0]["kernels"]["longest"]
    assert (kernel["name"], kernel["count"], kernel["share"]) == ("add_scalar", 1, 1.0)
    assert "kernels of AddScalar::small on a2a3sim" in done.stderr
    assert "kernels" not in json.loads(taskmill("run", scene_file, "--json").stdout)["scenes"][0]


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
    scene_file.write_text(scene_file.read_text() + "\n\n@scene_test()\nclass Again(AddScalar):\n    pass\n")
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
        (["run", "SCENE", "--check", "--skip-golden"], "--skip-golden"),
        (["run", "SCENE", "--case", "Sub::"], "no scene is called 'Sub'"),
        (["run", "SCENE", "--case", "tiny"], "no case is called 'tiny'"),
        (["run", "SCENE", "--manual", "only"], "only leaves no case"),
        (["run", "SCENE", "--manual", "never"], "never"),
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
    sources.write("broken.py", "import no_such_module\n")
    sources.write("wrong.py", "1 +\n")
    done = taskmill("run", sources.folder)
    assert done.returncode == 2 and "ModuleNotFoundError" in done.stderr and "SyntaxError" in done.stderr


def test_explain_tells_a_code_by_number_or_name():
    by_number, by_name = taskmill("explain", 202), taskmill("explain", "BufferTooShort")
    assert by_number.returncode == 0 and by_number.stdout == by_name.stdout
    assert by_number.stdout.startswith("202 BufferTooShort: a buffer is smaller than the tensor laid over it\n")
    assert "What to do." in by_number.stdout


def test_explain_says_that_a_code_is_reserved():
    assert taskmill("explain", "4").stdout.startswith("4 DepPoolOverflow (reserved: never raised):")
