"""The decoder layer at hidden size 512: passes on every simulated platform, and check mode notices a single wrong value."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scenes import check_with_flip, flip_median, wrong_stages
from taskmill.scene import RunOptions, find_scenes, run_scene

SMALL = {"hidden": 512, "kv_heads": 2, "intermediate": 1792, "context": 300, "ragged": True}
STAGES = ["norm", "q", "k", "v", "caches", "attention", "o", "residual", "mlp norm", "gate", "up", "hidden", "mlp", "y"]


@pytest.fixture(scope="session")
def decode(examples):
    (scene,) = find_scenes(examples / "qwen3_14b_decode" / "qwen3_14b_decode.py")
    return scene


@pytest.fixture(scope="session")
def outputs(decode):
    return [*sys.modules[decode.__module__].Sizes.of(SMALL).stage_shapes(), "key_cache", "value_cache", "y"]


def run(scene, platform="a2a3sim", params=SMALL, **options):
    return run_scene(scene, scene.CASES[0], platform, RunOptions(params=params, **options))


def test_the_layer_passes_round_after_round_though_the_cache_is_written_in_place(decode, platform):
    result = run(decode, platform, rounds=2)
    assert result.status == "passed", result.error
    kernels = {"norm": 2, "qkv": 14, "rotate": 2, "attention": 32, "interleave": 1, "o": 4, "mlp": 3 * 7, "down": 8}
    assert result.tasks == sum(kernels.values())


def test_every_stage_of_the_layer_passes(decode, platform):
    result = run(decode, platform, check=True)
    assert result.status == "passed", result.error
    assert [stage.name for stage in result.stages] == STAGES
    assert all(0.01 < stage.rms < 10 for stage in result.stages if stage.name != "caches")


def test_a_context_of_one_token_and_one_of_whole_pages_pass(decode):
    for context in (1, 256):
        result = run(decode, params={**SMALL, "context": context}, check=True)
        assert result.status == "passed", f"context {context}: {result.error}"


def name_another_page(args):
    """One entry of the table names another sequence's first page."""
    args.page_table[3, 0] = args.page_table[5, 0]


@pytest.mark.parametrize(
    ("what", "flip", "stages"),
    [
        ("x", None, ["norm", "residual"]),
        ("input_norm", None, ["norm"]),
        ("q_norm", None, ["q"]),
        ("k_norm", None, ["k"]),
        ("attention_norm", None, ["mlp norm"]),
        ("w_q", None, ["q"]),
        ("w_k", None, ["k"]),
        ("w_v", None, ["v"]),
        ("w_o", None, ["o"]),
        ("w_gate", None, ["gate"]),
        ("w_up", None, ["up"]),
        ("w_down", None, ["mlp"]),
        ("sines", None, ["q", "k"]),
        ("cosines", None, ["q", "k"]),
        ("page_table", name_another_page, ["attention"]),
    ],
)
def test_one_wrong_value_fails_the_stages_that_read_it_and_no_other(decode, outputs, what, flip, stages):
    result = check_with_flip(decode, outputs, SMALL, flip or (lambda args: flip_median(getattr(args, what))))
    assert result.status == "failed", result.error
    assert wrong_stages(result) == stages


def test_nothing_flipped_passes(decode, outputs):
    result = check_with_flip(decode, outputs, SMALL, lambda args: None)
    assert result.status == "passed", result.error


def outputs_with_fill(decode, fill):
    """y, with tokens beyond each sequence's context set to ``fill``."""
    seen = []

    class Filled(decode):
        def generate_args(self, params):
            args = super().generate_args(params)
            for cache in (args.key_cache, args.value_cache):
                assert np.isnan(cache.astype(np.float32)).any()
                cache[np.isnan(cache.astype(np.float32))] = fill
            return args

        def compare_outputs(self, test_args, golden_args, output_names, params):
            seen.append(test_args.y.view(np.uint16).copy())
            return super().compare_outputs(test_args, golden_args, output_names, params)

    Filled._scene_level = decode._scene_level
    result = run(Filled)
    assert result.status == "passed", result.error
    return seen[0]


def test_nan_beyond_the_context_changes_nothing(decode):
    assert np.array_equal(outputs_with_fill(decode, np.nan), outputs_with_fill(decode, 0))


def test_a_seeded_order_passes(decode, monkeypatch):
    monkeypatch.setenv("TASKMILL_SIM_EXECUTOR", "seeded")
    result = run(decode, check=True)
    assert result.status == "passed", result.error


def test_a_cache_that_changed_elsewhere_is_told_in_every_round(decode):
    class Touched(decode):
        def compare_outputs(self, test_args, golden_args, output_names, params):
            golden_before = golden_args.key_cache.view(np.uint16).copy()
            error = super().compare_outputs(test_args, golden_args, output_names, params)
            assert np.array_equal(golden_args.key_cache.view(np.uint16), golden_before)
            test_args.value_cache[0, 0, 0, 0] = 7
            return error if not np.isfinite(error) else super().compare_outputs(test_args, golden_args, output_names, params)

    Touched._scene_level = decode._scene_level
    result = run(Touched)
    assert result.status == "failed" and result.error == "value_cache has changed in 1 elements beside the new tokens of the 16 sequences"


@pytest.mark.parametrize(("name", "value"), [("hidden", 500), ("intermediate", 1800), ("kv_heads", 0), ("context", 0)])
def test_sizes_that_do_not_fit_are_refused(decode, name, value):
    result = run(decode, params={**SMALL, name: value})
    assert result.status == "error" and name in result.error and str(value) in result.error
