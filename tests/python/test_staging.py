"""What a scene's arrays hold before, between and after its runs."""

from __future__ import annotations

import numpy as np
import pytest
from taskmill import Worker
from taskmill.scene import In, InOut, Out, RunOptions, SceneTestCase, TaskArgsBuilder, TensorArg, run_scene, scene_test

ACCUMULATE = """\
#include <taskmill/kernel.h>
extern "C" void kernel_entry(int64_t* args) {
  const float* a = taskmill::data<float>(args, 0);
  float* sum = taskmill::data<float>(args, 1);
  float* out = taskmill::data<float>(args, 2);
  for (int i = 0; i < 8; ++i) sum[i] += a[i % 4];
  for (int i = 0; i < 16; ++i) out[i] = sum[i % 8];
}
"""
ENTRY = "submit_aiv_task(0, TaskArgs().add_input(args.tensor(0)).add_inout(args.tensor(1)).add_output(args.tensor(2)));"


@pytest.fixture
def accumulate(sources):
    """sum += a and out = sum, over tensors of 16, 32 and 64 bytes; ``scene.arrays`` are those of the last run."""
    sources.orchestration(ENTRY)
    sources.write("kernel.cpp", ACCUMULATE)

    class Accumulate(SceneTestCase):
        CALLABLE = {
            "orchestration": {"source": "orchestration.cpp", "function_name": "entry", "signature": [In, InOut, Out]},
            "incores": [{"func_id": 0, "source": "kernel.cpp", "core_type": "aiv"}],
        }
        CASES = [{"name": "only", "platforms": ["a2a3sim", "a5sim"]}]

        def generate_args(self, params):
            arrays = {"a": np.arange(4), "sum": np.full(8, 10), "out": np.full(16, -7)}
            made = TaskArgsBuilder(*(TensorArg(name, array.astype(np.float32)) for name, array in arrays.items()))
            type(self).arrays = {name: getattr(made, name) for name in arrays}
            return made

        def compute_golden(self, args, params):
            args.sum += np.tile(args.a, 2)
            args.out[:] = np.tile(args.sum, 2)

    declared = scene_test()(Accumulate)
    declared._scene_folder = sources.folder
    return declared


@pytest.fixture
def runs(monkeypatch):
    """Of each run: the arrays as they were given, and its report."""
    seen = []
    run = Worker.run

    def watched(self, handle, *arguments, config=None):
        given = [array.copy() for array in arguments]
        seen.append((given, run(self, handle, *arguments, config=config)))
        return seen[-1][1]

    monkeypatch.setattr(Worker, "run", watched)
    return seen


def run(scene, platform="a2a3sim", **options):
    return run_scene(scene, scene.CASES[0], platform, RunOptions(**options))


def test_in_and_inout_are_copied_to_the_device_and_all_but_in_are_copied_back(accumulate, runs, platform):
    result = run(accumulate, platform)
    assert (result.status, result.max_abs_err) == ("passed", 0.0), result.error
    ((_, report),) = runs
    assert (report.copied_in_bytes, report.copied_back_bytes) == (16 + 32, 32 + 64)


def test_every_round_starts_from_the_first_values_of_out_and_inout(accumulate, runs, platform):
    result = run(accumulate, platform, rounds=3)
    assert (result.status, result.max_abs_err) == ("passed", 0.0), result.error
    assert len(runs) == 3
    for (a, total, out), _ in runs:
        assert (a == np.arange(4)).all() and (total == 10).all() and (out == -7).all()


def test_the_outputs_of_the_last_round_stay_in_the_arrays(accumulate):
    assert run(accumulate, rounds=2).status == "passed"
    assert accumulate.arrays["sum"].tolist() == [10, 11, 12, 13] * 2


def test_a_later_round_that_differs_fails(accumulate):
    rounds = []

    def compare_outputs(self, test_args, golden_args, output_names, params):
        rounds.append(output_names)
        golden_args.sum[0] += len(rounds) == 2
        return SceneTestCase.compare_outputs(self, test_args, golden_args, output_names, params)

    accumulate.compare_outputs = compare_outputs
    result = run(accumulate, rounds=3)
    assert rounds == [["sum", "out"]] * 2
    assert result.status == "failed" and "Golden mismatch on 'sum': max_abs_err=1," in result.error


def test_nothing_is_copied_back_from_a_run_that_failed(accumulate, sources):
    sources.write("kernel.cpp", ACCUMULATE.replace("\n}\n", "\n  *reinterpret_cast<volatile int*>(8) = 1;\n}\n"))
    result = run(accumulate)
    assert result.status == "error" and "KernelCrashed, 110" in result.error
    assert (accumulate.arrays["sum"] == 10).all() and (accumulate.arrays["out"] == -7).all()
