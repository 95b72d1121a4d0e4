"""The example bgemm: its graph, its result, its memory."""

from __future__ import annotations

import pytest
from scenes import changed_after_golden, flip_median, recorded
from taskmill.scene import RunOptions, find_scenes, run_scene

TILE_BYTES = 64 * 64 * 4
SEEDS = (0, 1, 2)


@pytest.fixture(scope="module")
def bgemm(examples):
    (scene,) = find_scenes(examples / "bgemm")
    return scene


@pytest.fixture(scope="module")
def full(bgemm):
    return bgemm.CASES[0]


@pytest.fixture(scope="module")
def ragged(bgemm):
    return bgemm.CASES[1]


def run(scene, case, platform="a2a3sim", **options):
    return run_scene(scene, case, platform, RunOptions(**options))


def test_250_groups_of_2_products_are_1000_tasks_and_pass(bgemm, full, platform):
    result = run(bgemm, full, platform, rounds=2)
    assert result.status == "passed", result.error
    assert result.tasks == 250 * 2 * 2


def test_tiles_cut_off_at_the_edges_pass(bgemm, ragged, platform):
    result = run(bgemm, ragged, platform)
    assert result.status == "passed", result.error
    assert result.tasks == 2 * (3 * 4) * 2 * 2


def test_one_tile_that_is_the_whole_matrix_passes(bgemm, ragged):
    result = run(bgemm, ragged, params={"tile": 64})
    assert result.status == "passed", result.error
    assert result.tasks == 2 * 1 * 2


def test_500_products_pass_through_a_heap_of_three_tiles(bgemm, full, platform):
    result = run(bgemm, {**full, "config": {"heap_bytes": 3 * TILE_BYTES}}, platform)
    assert result.status == "passed", result.error
    assert [ring["heap_bytes"]["peak"] > 0 for ring in result.rings] == [False, True, False, False]
    assert result.rings[1]["heap_bytes"]["peak"] <= 3 * TILE_BYTES


def test_every_order_of_the_tasks_gives_the_same_bits(bgemm, full, monkeypatch):
    scene = recorded(bgemm)
    assert run(scene, full).status == "passed"
    monkeypatch.setenv("TASKMILL_SIM_EXECUTOR", "seeded")
    for seed in SEEDS:
        monkeypatch.setenv("TASKMILL_SIM_SEED", str(seed))
        assert run(scene, full).status == "passed"
    assert len(scene.outputs) == 1 + len(SEEDS)
    assert len({outputs["c"].tobytes() for outputs in scene.outputs}) == 1


@pytest.mark.parametrize("tensor", ["a", "b", "c"])
def test_one_flipped_sign_fails(bgemm, ragged, tensor):
    result = run(changed_after_golden(bgemm, lambda args: flip_median(getattr(args, tensor))), ragged)
    assert result.status == "failed", result.error
    assert "Golden mismatch on 'c'" in result.error


def test_nothing_flipped_passes(bgemm, ragged):
    assert run(changed_after_golden(bgemm, lambda args: None), ragged).status == "passed"


@pytest.mark.parametrize("name", ["batch", "m", "n", "k", "tile"])
def test_a_size_below_1_is_refused_by_its_name(bgemm, ragged, name):
    result = run(bgemm, ragged, params={name: 0})
    assert result.status == "error" and "must be at least 1" in result.error and f"{name}=0" in result.error
