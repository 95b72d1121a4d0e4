"""The examples pass on every simulated platform, and the layer's check mode notices a single wrong value."""

from __future__ import annotations

import json
import runpy

import pytest
from scenes import check_with_flip, flip_median, wrong_stages
from taskmill.scene import RunOptions, find_scenes, run_scene

SMALL = {"hidden": 512, "intermediate": 1792}
STAGES = ["gate", "up", "hidden", "down"]
OUTPUTS = ["gate", "up", "hidden_f32", "down_f32"]


def run(scene, platform="a2a3sim", **options):
    return run_scene(scene, scene.CASES[0], platform, RunOptions(**options))


@pytest.fixture(scope="session")
def qwen3_mlp(examples):
    (scene,) = find_scenes(examples / "qwen3_mlp")
    return scene


@pytest.mark.parametrize(("name", "tasks"), [("hello", 1), ("vector", 5)])
def test_a_small_example_passes(examples, platform, name, tasks):
    (scene,) = find_scenes(examples / name)
    result = run(scene, platform, rounds=2)
    assert result.status == "passed", result.error
    assert result.tasks == tasks


def test_the_program_of_hello_prints_the_sum(examples, capfd):
    runpy.run_path(str(examples / "hello" / "program.py"), run_name="__main__")
    assert capfd.readouterr().out == "1 task, sum = [ 0.  3.  6.  9. 12. 15. 18. 21.]\n"


def test_the_layer_passes(qwen3_mlp, platform):
    result = run(qwen3_mlp, platform, params=SMALL, rounds=2)
    assert result.status == "passed", result.error
    assert result.tasks == 1 + 3 * 14 + 8
    assert sum(ring["heap_bytes"]["peak"] for ring in result.rings) > 0


def test_every_stage_of_the_layer_passes(qwen3_mlp, platform):
    result = run(qwen3_mlp, platform, params=SMALL, check=True)
    assert result.status == "passed", result.error
    assert [stage.name for stage in result.stages] == STAGES
    assert all(0.1 < stage.rms < 10 for stage in result.stages)


def test_the_layers_timeline_has_a_span_per_task(qwen3_mlp, tmp_path):
    trace = tmp_path / "trace.json"
    result = run(qwen3_mlp, params=SMALL, trace=trace)
    events = json.loads(trace.read_text())["traceEvents"]
    counts = {
        name: sum(event["ph"] == "X" and event["name"] == name for event in events)
        for name in ("interleave", "gate", "up", "swiglu", "down")
    }
    assert counts == {"interleave": 1, "gate": 14, "up": 14, "swiglu": 14, "down": 8}
    assert sum(counts.values()) == result.tasks


@pytest.mark.parametrize(
    ("tensor", "stages"), [("w_gate", ["gate"]), ("w_up", ["up"]), ("w_down", ["down"]), ("x", ["gate", "up"])]
)
def test_one_flipped_sign_fails_the_stages_that_read_it_and_no_other(qwen3_mlp, tensor, stages):
    result = check_with_flip(qwen3_mlp, OUTPUTS, SMALL, lambda args: flip_median(getattr(args, tensor)))
    assert result.status == "failed", result.error
    assert wrong_stages(result) == stages


def test_nothing_flipped_passes(qwen3_mlp):
    result = check_with_flip(qwen3_mlp, OUTPUTS, SMALL, lambda args: None)
    assert result.status == "passed", result.error


def test_sizes_that_are_no_whole_tiles_are_refused(qwen3_mlp):
    result = run(qwen3_mlp, params={"hidden": 500})
    assert result.status == "error" and "multiple of 64" in result.error
