"""The example paged_attention: its graph, its result, what it must notice and what it must not."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import changed_after_golden, flip_median, recorded, with_inputs
from taskmill.scene import RunOptions, find_scenes, run_scene

# Blocks of 48 tokens. Tasks of 2 KV heads, the last of 1.
SMALL = {"heads": 6, "kv_heads": 3, "dim": 64, "page_tokens": 16, "block_pages": 3, "task_heads": 2, "lengths": [300, 96, 1]}
BLOCKS = [7, 2, 1]
LONG = {"heads": 10, "kv_heads": 2, "lengths": [3500, 896]}  # what differs from the model
SEEDS = (0, 1, 2)


@pytest.fixture(scope="module")
def attention(examples):
    (scene,) = find_scenes(examples / "paged_attention")
    return scene


def run(scene, case=0, platform="a2a3sim", config=None, **params):
    chosen = scene.CASES[case]
    return run_scene(scene, {**chosen, "config": config or chosen["config"]}, platform, RunOptions(params=params))


def arguments(scene, **params):
    return scene().generate_args({**scene.CASES[0]["params"], **params})


@pytest.mark.parametrize("executor", ["pool", "seeded"])
def test_a_batch_of_3_passes(attention, platform, executor, monkeypatch):
    monkeypatch.setenv("TASKMILL_SIM_EXECUTOR", executor)
    result = run(attention, platform=platform, **SMALL)
    assert result.status == "passed", result.error
    groups = 2
    assert result.tasks == groups * sum(3 * blocks + 1 for blocks in BLOCKS)


def test_batch_16_of_3500_tokens_is_832_tasks(attention):
    result = run(attention, dim=32)
    assert result.status == "passed", result.error
    assert result.tasks == 16 * 4 * (4 * 3 + 1)


def test_16_sequences_of_lengths_from_1_to_3500_pass(attention, platform):
    assert attention.CASES[1]["name"] == "ragged"
    result = run(attention, case=1, platform=platform, heads=10, kv_heads=2, dim=32)
    assert result.status == "passed", result.error


def test_the_heads_of_the_model_pass(attention):
    result = run(attention, lengths=[300, 128, 1])
    assert result.status == "passed", result.error


@pytest.mark.parametrize(
    "shape",
    [
        {"heads": 27, "task_heads": 3},  # 9 query heads per KV head
        {"heads": 3},  # 1
        {"page_tokens": 10},
        {"page_tokens": 1, "block_pages": 1, "lengths": [5, 1]},
        {"block_pages": 1000, "task_heads": 1000},
    ],
    ids=str,
)
def test_other_shapes_pass(attention, shape):
    result = run(attention, **{**SMALL, **shape})
    assert result.status == "passed", result.error


def test_scores_far_beyond_the_range_of_exp_pass(attention):
    def sharpen(args):
        args.q[:] = args.q * 64

    result = run(with_inputs(attention, sharpen), **SMALL)
    assert result.status == "passed", result.error


def test_pages_are_scattered_and_no_two_places_share_one(attention):
    table = arguments(attention, **SMALL).page_table
    used = table[table >= 0]
    assert len(used) == 19 + 6 + 1 and len(set(used)) == len(used)
    assert np.count_nonzero(np.diff(table[0]) == 1) < 5
    assert (table[1, 6:] == -1).all() and (table[2, 1:] == -1).all()


def test_nan_fills_what_no_token_uses_and_changes_nothing(attention):
    args = arguments(attention, **SMALL)
    assert np.isnan(args.k_cache).sum() == args.k_cache.size - sum(SMALL["lengths"]) * SMALL["kv_heads"] * SMALL["dim"]

    def fill_with_zeros(args):
        for cache in (args.k_cache, args.v_cache):
            cache[np.isnan(cache)] = 0

    honest, zeros = recorded(attention), recorded(with_inputs(attention, fill_with_zeros))
    assert run(honest, **SMALL).status == "passed"
    assert run(zeros, **SMALL).status == "passed"
    assert honest.outputs[0]["out"].tobytes() == zeros.outputs[0]["out"].tobytes()


def test_every_order_of_the_tasks_gives_the_same_bits(attention, monkeypatch):
    scene = recorded(attention)
    assert run(scene, **SMALL).status == "passed"
    monkeypatch.setenv("TASKMILL_SIM_EXECUTOR", "seeded")
    for seed in SEEDS:
        monkeypatch.setenv("TASKMILL_SIM_SEED", str(seed))
        assert run(scene, **SMALL).status == "passed"
    assert len({outputs["out"].tobytes() for outputs in scene.outputs}) == 1
    assert len(scene.outputs) == 1 + len(SEEDS)


def test_a_run_passes_in_the_heap_that_its_report_calls_enough(attention):
    first = run(attention, **SMALL)
    heap = [ring["heap_bytes"] for ring in first.rings]
    assert heap[1]["peak"] > 0 and heap[2]["peak"] > 0
    second = run(attention, config={"heap_bytes": [max(room["enough"], 1024) for room in heap]}, **SMALL)
    assert second.status == "passed", second.error


def point_at_another_sequence(args):
    args.page_table[0, 2] = args.page_table[1, 0]


@pytest.mark.parametrize(
    "change",
    [
        point_at_another_sequence,
        lambda args: flip_median(args.q),
        lambda args: np.subtract.at(args.lengths, 0, 1),
    ],
    ids=["page_table", "q", "lengths"],
)
@pytest.mark.parametrize("sizes", [{**SMALL, "lengths": [300, 96, 20]}, LONG], ids=["300 tokens", "3500 tokens"])
def test_one_wrong_value_fails(attention, change, sizes):
    result = run(changed_after_golden(attention, change), **sizes)
    assert result.status == "failed", result.error
    assert "Golden mismatch on 'out'" in result.error


def test_nothing_changed_passes(attention):
    assert run(changed_after_golden(attention, lambda args: None), **SMALL).status == "passed"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda args: args.lengths.put(1, 0), "lengths[1] is 0: must be 1 to 304"),
        (lambda args: args.lengths.put(1, -5), "lengths[1] is -5: must be 1 to 304"),
        (lambda args: args.lengths.put(0, 305), "lengths[0] is 305: must be 1 to 304"),
        (lambda args: args.page_table.__setitem__((1, 5), -1), "page_table[1, 5] is -1: the cache has 33 pages"),
        (lambda args: args.page_table.__setitem__((0, 18), 33), "page_table[0, 18] is 33: the cache has 33 pages"),
    ],
)
def test_a_length_or_a_page_that_does_not_exist_ends_the_run(attention, change, message):
    result = run(changed_after_golden(attention, change), **SMALL)
    assert result.status == "error" and message in result.error


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"kv_heads": 0}, "kv_heads must be at least 1, got 0"),
        ({"page_tokens": 0}, "page_tokens must be at least 1, got 0"),
        ({"block_pages": 0}, "block_pages must be at least 1, got 0"),
        ({"task_heads": -1}, "task_heads must be at least 1, got -1"),
        ({"lengths": []}, "lengths must be a list of one number per sequence, each at least 1, got []"),
        ({"lengths": 300}, "lengths must be a list of one number per sequence, each at least 1, got 300"),
        ({"lengths": [3, 0]}, "each at least 1, got [3, 0]"),
        ({"heads": 7}, "heads must be a multiple of kv_heads, got 7 and 3"),
        ({"dim": 48}, "dim must be a multiple of 32, got 48"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(attention, params, message):
    result = run(attention, **{**SMALL, **params})
    assert result.status == "error" and message in result.error
